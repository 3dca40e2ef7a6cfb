#include "tactus/sweep/observe.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::sweep {

namespace {

/// Limits the time of one simulation, so that a sweep stops within a second.
constexpr std::int64_t max_jobs = 1'000'000;

class LongestResponses final : public trace::Observer {
 public:
  using Observer::on;

  explicit LongestResponses(std::size_t tasks) : longest_(tasks) {}

  [[nodiscard]] trace::Interests interests() const override { return {.ends = true}; }

  void on(const trace::JobEnded& event) override {
    if (event.completion == never) return;
    std::optional<Duration>& longest = longest_[event.job.task];
    longest = std::max(longest.value_or(Duration{}), event.completion - event.release);
  }

  [[nodiscard]] const std::vector<std::optional<Duration>>& longest() const { return longest_; }

 private:
  std::vector<std::optional<Duration>> longest_;
};

/// Nothing where it leaves 64 bits or holds too many jobs.
std::optional<Duration> horizon_of(const System& system, const Observation& observation) {
  Int128 longest = 0;
  Int128 offset = 0;
  for (const Task& task : system.tasks) {
    offset = std::max<Int128>(offset, task.offset.count());
    if (task.period) longest = std::max<Int128>(longest, task.period->count());
  }
  const Int128 length =
      observation.horizon ? Int128{observation.horizon->count()} : offset + longest * observation.jobs;
  if (length <= 0 || length >= in_ns(never)) return std::nullopt;
  Int128 jobs = 0;
  for (const Task& task : system.tasks) {
    if (task.period) jobs += length / task.period->count() + 1;
  }
  if (jobs > max_jobs) return std::nullopt;
  return Duration{static_cast<std::int64_t>(length)};
}

}  // namespace

std::optional<std::vector<std::optional<Duration>>> longest_responses(const System& system,
                                                                      const Observation& observation) {
  const std::optional<Duration> horizon = horizon_of(system, observation);
  if (!horizon || !validate(system).empty() || !find_missing_parameters(system).empty()) return std::nullopt;
  LongestResponses observer{system.tasks.size()};
  const std::array<trace::Observer*, 1> observers{&observer};
  sim::SimulationOptions options;
  options.horizon = horizon;
  try {
    sim::simulate(system, options, observers);
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const OverflowError&) {
    return std::nullopt;
  }
  return observer.longest();
}

}  // namespace tactus::sweep
