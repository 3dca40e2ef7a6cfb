#include "tactus/plan/compare.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::plan {

namespace {

/// The release of the oldest job of each task that was pending at the end. Jobs that were given up do not
/// count.
class OldestPending final : public trace::Observer {
 public:
  using Observer::on;

  explicit OldestPending(std::size_t tasks) : release_(tasks) {}

  [[nodiscard]] trace::Interests interests() const override { return {.ends = true}; }

  void on(const trace::JobEnded& event) override {
    if (event.completion != never || event.fate != trace::Fate::ran) return;
    std::optional<Time>& release = release_[event.job.task];
    if (!release || event.release < *release) release = event.release;
  }

  [[nodiscard]] std::optional<Duration> age(TaskIndex task, Time reached) const {
    if (!release_[task] || *release_[task] > reached) return std::nullopt;
    return reached - *release_[task];
  }

 private:
  std::vector<std::optional<Time>> release_;
};

std::optional<Simulated> simulate(const System& system, const CompareOptions& options, const Watch& watch) {
  try {
    sim::SimulationOptions settings;
    settings.horizon = options.horizon;
    settings.watch.stop = watch.stop;
    trace::Statistics statistics{system.tasks.size()};
    OldestPending pending{system.tasks.size()};
    const std::array<trace::Observer*, 2> observers{&statistics, &pending};
    const sim::Outcome outcome = sim::simulate(system, settings, observers);
    Simulated seen;
    seen.horizon = outcome.horizon;
    seen.reached = outcome.reached;
    seen.misses = statistics.misses();
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      const std::optional<trace::ResponseTimes> response = statistics.of(task).response;
      const std::optional<Duration> age = pending.age(task, outcome.reached);
      const bool unfinished = age && (!response || *age >= response->max);
      seen.unfinished.push_back(unfinished);
      seen.longest.push_back(unfinished ? age : response ? std::optional{response->max} : std::nullopt);
    }
    return seen;
  } catch (const InputError&) {
    return std::nullopt;  // the simulator does not support it
  } catch (const OverflowError&) {
    return std::nullopt;
  }
}

}  // namespace

bool Comparison::some_holds() const {
  return std::any_of(ways.begin(), ways.end(), [](const ComparedWay& way) { return way.trial.holds(); });
}

Comparison compare(const System& system, std::span<const Way> ways, const CompareOptions& options,
                   const Watch& watch) {
  Comparison result;
  result.system = system.name;
  for (const Task& task : system.tasks) {
    result.tasks.push_back(task.name);
    result.deadlines.push_back(task.deadline);
  }
  for (const Way& way : ways) {
    if (watch.stopped()) break;
    ComparedWay compared;
    compared.trial = try_way(system, way, watch);
    if (options.simulate && compared.trial.complete) {
      compared.simulated = simulate(compared.trial.plan.planned, options, watch);
    }
    result.ways.push_back(std::move(compared));
    watch.show(static_cast<double>(result.ways.size()) / static_cast<double>(ways.size()));
  }
  result.interrupted = watch.stopped();
  return result;
}

std::optional<WorstPart> worst_part(std::span<const std::optional<Duration>> values,
                                    std::span<const std::optional<Duration>> deadlines) {
  constexpr std::int64_t whole = 1000;
  constexpr Int128 largest = std::numeric_limits<std::int64_t>::max();
  std::optional<WorstPart> worst;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i] || !deadlines[i]) continue;
    const Int128 deadline = deadlines[i]->count();
    const Int128 part = (static_cast<Int128>(values[i]->count()) * whole + deadline - 1) / deadline;
    const auto thousandths = static_cast<std::int64_t>(std::min(part, largest));
    if (!worst || thousandths > worst->thousandths) worst = WorstPart{i, thousandths};
  }
  return worst;
}

}  // namespace tactus::plan
