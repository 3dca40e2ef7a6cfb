// Counts the fates of the jobs of every task, where the events arise.
//
// A verdict depends on these numbers, so they must be complete even when events are lost on the way to
// observers. Nothing is allocated after construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/trace/event.hpp"
#include "tactus/trace/first_miss.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::trace {

struct TaskTally {
  std::uint64_t released = 0;
  std::uint64_t completed = 0;
  std::uint64_t misses = 0;
  std::uint64_t overruns = 0;  // jobs that used up their budget
  std::uint64_t aborted = 0;
  std::uint64_t failed = 0;
  std::uint64_t skipped = 0;
  std::uint64_t no_room = 0;
  std::uint64_t full = 0;
  std::uint64_t pending = 0;  // at the end of the run
  // Response times of completed jobs:
  Duration shortest = Duration::max();
  Duration longest = Duration::min();
  Int128 sum = 0;
  /// The largest age that a job is known to have reached: when it completed, when it was given up, or at the
  /// end of the run if it was pending. A job that was turned away has none. Nothing when there was no such
  /// job.
  std::optional<Duration> longest_known;

  /// During the run: released, and not known to have ended.
  [[nodiscard]] std::uint64_t in_progress() const {
    return released - completed - aborted - failed - skipped - no_room - full;
  }
  [[nodiscard]] bool completed_in_longest() const { return completed > 0 && longest_known == longest; }
};

/// Puts exact numbers in place of those that observers may have missed. The 99th percentile stays as it was
/// observed; it is not exact where something was lost.
void correct(TaskStatistics& statistics, const TaskTally& tally);

class JobTally {
 public:
  explicit JobTally(std::size_t tasks) : tasks_(tasks) {}

  void on(const JobReleased& event) { ++tasks_[event.job.task].released; }
  void overrun(TaskIndex task) { ++tasks_[task].overruns; }
  /// `now` is when the engine learned of it.
  void on(const JobEnded& event, Time now);
  /// Consecutive jobs that have not begun: the first of them, their number, and how many
  /// missed their deadlines.
  void pending(const JobEnded& first, std::uint64_t jobs, std::uint64_t misses, Time now);

  [[nodiscard]] const std::vector<TaskTally>& tasks() const { return tasks_; }
  [[nodiscard]] std::uint64_t misses() const;
  /// The missed job with the earliest deadline; nothing when none was missed.
  [[nodiscard]] const std::optional<JobEnded>& first_miss() const { return first_miss_.job(); }

 private:
  std::vector<TaskTally> tasks_;
  FirstMiss first_miss_;
};

}  // namespace tactus::trace
