// The executive's part in jobs that the device releases itself: it tells of them, and nothing waits for it.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tactus/runtime/executive.hpp"

namespace tactus::runtime {

void Executive::release_resident(Time until) {
  while (const std::optional<Release> release = resident_.take_released(until)) {
    ++outcome_.released;
    tell(trace::JobReleased{
        {release->task, release->number}, release->nominal, deadline_of(release->task, release->nominal)});
  }
}

/// A task whose jobs the device releases is lost when nothing was heard of a job for too long.
void Executive::watch_resident(Time now) {
  for (const TaskIndex task : resident_.all()) {
    const std::optional<Release> oldest = resident_.oldest(task);
    if (!oldest || now - std::max(oldest->nominal, resident_.heard(task)) <= options_.watchdog || ending_) {
      continue;
    }
    end(RunEnd::lost);
    outcome_.failure = "nothing was heard of task '" + system_.tasks[task].name + "', job " +
                       std::to_string(oldest->number) + ", which the device releases itself, for longer " +
                       "than the watchdog allows";
  }
}

/// Bookkeeping of a job that the device releases. Nothing waits for it, and no event waits for more than one
/// of them. True when more may be left.
bool Executive::hear_resident(Time now) {
  release_resident(now);
  const std::optional<device::ResidentJob> job = device_.take_resident();
  if (job) end_resident(*job, now);
  return job.has_value();
}

void Executive::end_resident(const device::ResidentJob& job, Time now) {
  const Time last = ending_ ? std::min(now, horizon_) : horizon_;  // the device may go on after a stop
  if (job.failed) note_failure();
  if (!resident_.awaits(job.task, job.number)) return;
  // What the device says may come before the clock of this thread has passed the release.
  release_resident(std::min(last, std::max(now, job.end)));
  if (job.end > last) return;  // it and those before it that are still open are pending at the end of the run
  std::uint64_t lost = job.lost_before;
  for (auto oldest = resident_.oldest(job.task); oldest && oldest->number < job.number;
       oldest = resident_.oldest(job.task)) {
    give_up_resident(*oldest, lost > 0 ? trace::Fate::no_room : trace::Fate::skipped, now);
    if (lost > 0) --lost;
  }
  const std::optional<Release> release = resident_.oldest(job.task);
  if (!release || release->number != job.number) return;
  if (job.failed) return give_up_resident(*release, trace::Fate::failed, now);
  resident_.note_over(job.task, now);
  ++outcome_.completed;
  const Time ready = resident_.note_end(job.task, job.end);
  assumptions_.ran({job.task, job.number}, 0, ready, std::max(Duration{}, job.end - ready));
  const Time deadline = deadline_of(job.task, release->nominal);
  trace_.tell(trace::OperationFinished{{job.task, job.number}, 0, -1, release->nominal, job.start, job.end});
  tell(trace::JobEnded{.job = {job.task, job.number},
                       .release = release->nominal,
                       .start = job.start,
                       .completion = job.end,
                       .deadline = deadline,
                       .missed = job.end > deadline},
       job.end);
  if (job.end > deadline) note_miss({job.task, job.number}, release->nominal, now);
}

/// The device skipped it, or nobody knows when it ended.
void Executive::give_up_resident(const Release& release, trace::Fate fate, Time now) {
  resident_.note_over(release.task, now);
  ++outcome_.dropped;
  const Time deadline = deadline_of(release.task, release.nominal);
  tell(trace::JobEnded{.job = {release.task, release.number},
                       .release = release.nominal,
                       .deadline = deadline,
                       .missed = fate != trace::Fate::skipped && deadline <= horizon_,
                       .fate = fate},
       now);
}

/// Ends that were not heard yet count, up to the end of the run.
void Executive::add_pending_resident(std::vector<trace::JobEnded>& unfinished) {
  if (!resident_.any()) return;
  while (hear_resident(outcome_.reached)) {
  }
  for (const TaskIndex task : resident_.all()) {
    while (const std::optional<Release> release = resident_.oldest(task)) {
      resident_.note_over(task, outcome_.reached);
      unfinished.push_back({.job = {task, release->number},
                            .release = release->nominal,
                            .deadline = deadline_of(task, release->nominal)});
    }
  }
}

}  // namespace tactus::runtime
