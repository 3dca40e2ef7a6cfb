// The random values of every job: execution times, separations and delays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tactus/base/random.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/interval.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/execution.hpp"

namespace tactus::sched {

/// The same seed gives the same values, for every strategy and every order of calls.
class Draws {
 public:
  Draws(const System& system, std::uint64_t seed, Execution execution)
      : system_{system},
        seed_{seed},
        execution_{execution},
        scripted_{std::any_of(system.tasks.begin(), system.tasks.end(),
                              [](const Task& task) { return !task.jobs.empty(); })} {}

  /// Time from the release of job `job` of a sporadic task to the next release: uniform in [T, 2T] in every
  /// execution mode. For periodic tasks it is exactly T.
  [[nodiscard]] Duration separation(TaskIndex task, std::uint64_t job, const Task& description) const {
    const Duration period = *description.period;
    if (description.arrival != Arrival::sporadic) return period;
    return saturating_add(time_at(period),
                          draw_between(draw_bits(seed_, Purpose::separation, task, job), Duration{}, period))
        .time_since_epoch();
  }

  /// From the nominal release until the scheduler sees it; at most `bound`, which is the task's jitter plus
  /// the platform's release overhead.
  [[nodiscard]] Duration release_delay(TaskIndex task, std::uint64_t job, Duration bound) const {
    if (const ScriptedJob* script = find_script(task, job); script && script->late) return *script->late;
    return choose(Purpose::release_delay, task, job, 0, {Duration{}, bound});
  }

  /// Execution time of one segment (of one block, for a kernel): drawn once per segment and job.
  [[nodiscard]] Duration execution(TaskIndex task, std::uint64_t job, std::uint64_t segment,
                                   Interval time) const {
    const ScriptedJob* script = find_script(task, job);
    if (script != nullptr && !script->times.empty()) return script->times[segment];
    return choose(Purpose::execution, task, job, segment, time);
  }

  /// How late a timer fires. Timers belong to no job, so scripts do not set this.
  [[nodiscard]] Duration timer_delay(std::uint64_t timer, Time due, Duration bound) const {
    return choose(Purpose::timer_delay, timer, static_cast<std::uint64_t>(in_ns(due)), 0,
                  {Duration{}, bound});
  }

  /// What the engine needs for its next event or submission, by number.
  [[nodiscard]] Duration engine_time(std::uint64_t action, Duration bound) const {
    return choose(Purpose::engine_time, 0, action, 0, {Duration{}, bound});
  }

  /// An overhead of one GPU segment or copy: from submission to the launch, from its end until the scheduler
  /// knows, or the copy overhead.
  [[nodiscard]] Duration overhead(Purpose purpose, TaskIndex task, std::uint64_t job, std::uint64_t segment,
                                  Duration bound) const {
    if (const ScriptedJob* script = find_script(task, job)) {
      if (purpose == Purpose::launch_delay && script->launch) return *script->launch;
      if (purpose == Purpose::completion_delay && script->completion) return *script->completion;
      if (purpose == Purpose::cpu_delay && script->cpu) return *script->cpu;
    }
    return choose(purpose, task, job, segment, {Duration{}, bound});
  }

 private:
  [[nodiscard]] Duration choose(Purpose purpose, std::uint64_t task, std::uint64_t job, std::uint64_t segment,
                                Interval range) const {
    if (execution_ == Execution::worst || range.best == range.worst) return range.worst;
    if (execution_ == Execution::best) return range.best;
    return draw_between(draw_bits(seed_, purpose, task, job, segment), range.best, range.worst);
  }

  [[nodiscard]] const ScriptedJob* find_script(TaskIndex task, std::uint64_t job) const {
    if (!scripted_) return nullptr;
    const std::vector<ScriptedJob>& jobs = system_.tasks[task].jobs;
    return job < jobs.size() ? &jobs[job] : nullptr;
  }

  const System& system_;
  std::uint64_t seed_;
  Execution execution_;
  bool scripted_;  // some task has a script
};

}  // namespace tactus::sched
