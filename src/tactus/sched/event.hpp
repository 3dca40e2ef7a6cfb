// What happens: the input of the scheduler core.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/sched/job_table.hpp"

namespace tactus::sched {

using TimerId = std::uint32_t;

/// A job has arrived; its deadline counts from the nominal instant, which may lie before now.
struct Released {
  TaskIndex task = 0;
  std::uint64_t number = 0;
  Time nominal{};
};

struct Finished {
  SubmissionId id;
};

/// A part is over or a requested stop took effect, and the segment is not finished; so much of it is done,
/// all parts together.
struct Stopped {
  SubmissionId id;
  SegmentProgress progress{};
};

/// The device refused or broke off a segment.
struct Failed {
  SubmissionId id;
};

struct TimerFired {
  TimerId timer = 0;
};

/// A job used up its execution budget.
struct BudgetUsedUp {
  JobId job;
};

/// A job is not done at its deadline.
struct DeadlinePassed {
  JobId job;
};

/// No further work is to be started: best-effort jobs no longer repeat.
struct StopRequested {};

using Event = std::variant<Finished, Released, TimerFired, Stopped, Failed, BudgetUsedUp, DeadlinePassed,
                           StopRequested>;

using Events = std::vector<Event>;

}  // namespace tactus::sched
