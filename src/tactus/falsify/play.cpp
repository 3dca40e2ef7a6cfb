#include "tactus/falsify/play.hpp"

#include <algorithm>

#include "tactus/base/exact.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/observer.hpp"

namespace tactus::falsify {

namespace {

class BoundWatch final : public trace::Observer {
 public:
  using Observer::on;

  explicit BoundWatch(const Bounds& bounds) : bounds_{bounds} {}

  [[nodiscard]] trace::Interests interests() const override { return {.ends = true}; }

  void on(const trace::JobEnded& event) override {
    ++played_.jobs;
    const std::optional<Duration>& bound = bounds_[event.job.task];
    if (!bound) return;
    if (event.completion == never) {
      unfinished_.push_back(event);
    } else {
      note(played_.closest, {event.job.task, event.job.number, event.completion - event.release, *bound});
    }
  }

  /// A job that was not done has a response time of at least the time until the end.
  [[nodiscard]] const Played& finish(Time end) {
    for (const trace::JobEnded& event : unfinished_) {
      note(played_.closest,
           {event.job.task, event.job.number, end - event.release, *bounds_[event.job.task]});
    }
    return played_;
  }

 private:
  const Bounds& bounds_;
  Played played_;
  std::vector<trace::JobEnded> unfinished_;
};

}  // namespace

double Closest::ratio() const {
  return static_cast<double>(in_ns(observed)) / static_cast<double>(in_ns(bound));
}

bool nearer(const Closest& a, const Closest& b) {
  return static_cast<Int128>(in_ns(a.observed)) * in_ns(b.bound) >
         static_cast<Int128>(in_ns(b.observed)) * in_ns(a.bound);
}

void note(std::optional<Closest>& closest, const Closest& candidate) {
  if (!closest || nearer(candidate, *closest)) closest = candidate;
}

std::optional<Duration> playing_time(const System& system) {
  constexpr std::int64_t max_jobs = 400;
  Duration scripted_end{};
  Duration longest{1};
  bool open = false;
  Int128 rate_numerator = 0;  // jobs in a second of the axis below, to bound the work
  constexpr std::int64_t axis = 1'000'000'000;
  for (const Task& task : system.tasks) {
    if (task.deadline) longest = std::max(longest, *task.deadline);
    if (task.period) longest = std::max(longest, *task.period);
    if (has_scripted_releases(task)) {
      scripted_end = std::max(scripted_end, task.jobs.back().release->time_since_epoch());
    } else if (repeats(task)) {
      open = true;
      rate_numerator += axis / std::max<std::int64_t>(1, in_ns(*task.period));
    } else if (task.arrival == Arrival::best_effort) {
      open = true;
      rate_numerator += axis / std::max<std::int64_t>(1, in_ns(min_time(task.work)));
    }
  }
  if (!open) return std::nullopt;
  if (scripted_end > Duration{}) return checked_add(scripted_end, longest * 4);
  const std::optional<Duration> cycle = hyperperiod(system);
  const Duration affordable{
      static_cast<std::int64_t>(static_cast<Int128>(axis) * max_jobs / std::max<Int128>(1, rate_numerator))};
  Duration wanted = cycle && *cycle < affordable ? *cycle * 2 : affordable;
  for (const Task& task : system.tasks) wanted = std::max(wanted, checked_add(task.offset, longest * 2));
  return wanted;
}

Played play(const System& system, const Bounds& bounds, Execution execution,
            std::optional<Duration> horizon) {
  BoundWatch watch{bounds};
  trace::Observer* observer = &watch;
  sim::SimulationOptions options;
  options.execution = execution;
  options.horizon = horizon;
  options.max_pending = 512;
  return watch.finish(simulate(system, options, {&observer, 1}).reached);
}

}  // namespace tactus::falsify
