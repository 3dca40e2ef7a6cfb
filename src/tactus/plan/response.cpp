#include "tactus/plan/response.hpp"

#include <algorithm>
#include <limits>

#include "tactus/analysis/interference.hpp"

namespace tactus::plan {

using analysis::End;
using analysis::FixedPoint;
using analysis::GpuServer;
using analysis::GpuTask;
using analysis::Interference;
using analysis::SupplyBound;

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t max_jobs = 1'000'000;

/// The largest of `length` over less urgent tasks, best-effort ones included.
Duration blocking(const Position& position, Duration GpuTask::*length) {
  const GpuServer& server = position.server;
  std::vector<bool> less_urgent(server.tasks.size(), true);
  less_urgent[position.task] = false;
  for (const std::size_t other : position.more_urgent) less_urgent[other] = false;
  Duration longest{};
  for (std::size_t i = 0; i < server.tasks.size(); ++i) {
    if (less_urgent[i]) longest = std::max(longest, server.tasks[i].*length);
  }
  for (const analysis::BestEffortBlock& block : server.best_effort_blocks) {
    longest = std::max(longest, block.length);
  }
  return longest;
}

void add(Interference& interference, const GpuTask& task) {
  interference.add(task.cost, task.period, task.jitter);
}

/// The terms of the fixed-point equations of one task under np-fp.
struct NonPreemptive {
  explicit NonPreemptive(const Position& position)
      : server{position.server},
        task{position.server.tasks[position.task]},
        blocked{blocking(position, &GpuTask::cost).count()},
        more_urgent{position.more_urgent.size()},
        with_own{position.more_urgent.size() + 1} {
    for (const std::size_t other : position.more_urgent) {
      add(more_urgent, server.tasks[other]);
      add(with_own, server.tasks[other]);
      hyperperiod =
          hyperperiod ? checked_lcm(*hyperperiod, server.tasks[other].period.count()) : std::nullopt;
    }
    add(with_own, task);
    hyperperiod = hyperperiod ? checked_lcm(*hyperperiod, task.period.count()) : std::nullopt;
  }

  /// When job `job` of the busy period starts; nothing where it is later than `latest`.
  [[nodiscard]] std::optional<std::int64_t> start(std::int64_t job, Int128 latest, std::int64_t from) const {
    const Int128 work = blocked + static_cast<Int128>(job) * task.cost.count();
    if (latest < from || latest > largest) return std::nullopt;
    if (work == 0 && more_urgent.size() == 0) return 0;
    const FixedPoint point = more_urgent.min_length(work, End::closed, SupplyBound::always(),
                                                    static_cast<std::int64_t>(latest), from);
    return point.found() ? std::optional{point.length} : std::nullopt;
  }

  /// The number of jobs to examine; nothing where it is too large.
  [[nodiscard]] std::optional<std::int64_t> jobs() const {
    std::int64_t limit = largest;
    if (__builtin_mul_overflow(task.period.count(), max_jobs, &limit)) limit = largest;
    const FixedPoint busy = with_own.min_length(blocked, End::open, SupplyBound::always(), limit);
    if (busy.found()) {
      const Int128 seen = static_cast<Int128>(busy.length) + task.jitter.count();
      return static_cast<std::int64_t>((seen + task.period.count() - 1) / task.period.count());
    }
    if (!hyperperiod || *hyperperiod / task.period.count() > max_jobs) return std::nullopt;
    return *hyperperiod / task.period.count();
  }

  const GpuServer& server;
  const GpuTask& task;
  std::int64_t blocked;
  Interference more_urgent;
  Interference with_own;
  std::optional<std::int64_t> hyperperiod = 1;
};

}  // namespace

std::optional<Duration> non_preemptive_response(const Position& position, Duration limit) {
  const NonPreemptive problem{position};
  const GpuTask& task = problem.task;
  if (limit <= task.jitter || problem.with_own.compare_utilisation({1, 1}) > 0) return std::nullopt;
  const std::int64_t room = (limit - task.jitter - task.cost).count();
  std::optional<std::int64_t> start = problem.start(0, room, 0);
  if (!start) return std::nullopt;
  const std::optional<std::int64_t> jobs = problem.jobs();
  if (!jobs) return std::nullopt;
  std::int64_t longest = *start;
  for (std::int64_t job = 1; job < *jobs; ++job) {
    const Int128 released = static_cast<Int128>(job) * task.period.count();
    start = problem.start(job, released + room, *start + task.cost.count());
    if (!start) return std::nullopt;
    longest = std::max(longest, static_cast<std::int64_t>(*start - released));
  }
  return Duration{longest} + task.cost + task.jitter;
}

std::optional<Duration> window_response(const Position& position, const SupplyBound& supply, Duration limit) {
  const GpuTask& task = position.server.tasks[position.task];
  if (limit <= task.jitter) return std::nullopt;
  Interference more_urgent{position.more_urgent.size()};
  for (const std::size_t other : position.more_urgent) add(more_urgent, position.server.tasks[other]);
  const Int128 work =
      static_cast<Int128>(task.cost.count()) + blocking(position, &GpuTask::longest_block).count();
  const FixedPoint point = more_urgent.min_length(work, End::open, supply, (limit - task.jitter).count());
  return point.found() ? std::optional{Duration{point.length} + task.jitter} : std::nullopt;
}

}  // namespace tactus::plan
