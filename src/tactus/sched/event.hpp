// Events: the input of the scheduler core.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/sched/job_table.hpp"

namespace tactus::sched {

using TimerId = std::uint32_t;

/// A job was released. Its deadline counts from the nominal release, which may be earlier than now.
struct Released {
  TaskIndex task = 0;
  std::uint64_t number = 0;
  Time nominal{};
};

struct Finished {
  SubmissionId id;
};

/// A submission has ended, or a requested stop has taken effect, and the segment is not finished. `progress`
/// counts all submissions of the segment.
struct Stopped {
  SubmissionId id;
  SegmentProgress progress{};
};

/// The device refused or aborted a submission.
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

/// A job is not complete at its deadline.
struct DeadlinePassed {
  JobId job;
};

/// The run is about to end: best-effort jobs no longer repeat.
struct StopRequested {};

using Event = std::variant<Finished, Released, TimerFired, Stopped, Failed, BudgetUsedUp, DeadlinePassed,
                           StopRequested>;

using Events = std::vector<Event>;

}  // namespace tactus::sched
