#include "tactus/runtime/resident_book.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace tactus::runtime {

ResidentBook::ResidentBook(const System& system, device::Device& device, Time horizon, JobBook& book,
                           Ending& ending, device::AssumptionWatch& assumptions)
    : system_{system},
      device_{device},
      horizon_{horizon},
      book_{book},
      ending_{ending},
      assumptions_{assumptions},
      jobs_{device.capabilities(system).releases_jobs ? ResidentJobs{system, horizon} : ResidentJobs{}} {}

void ResidentBook::release(Time until) {
  while (const std::optional<sched::Release> release = jobs_.take_released(until)) {
    book_.released_unwatched(*release);
  }
}

void ResidentBook::watch(Time now, Duration watchdog) {
  for (const TaskIndex task : jobs_.all()) {
    const std::optional<sched::Release> oldest = jobs_.oldest(task);
    if (!oldest || now - std::max(oldest->nominal, jobs_.heard(task)) <= watchdog || ending_.has_come()) {
      continue;
    }
    ending_.lose("nothing was heard of task '" + system_.tasks[task].name + "', job " +
                 std::to_string(oldest->number) +
                 ", which the device releases itself, for longer than the watchdog allows");
  }
}

bool ResidentBook::hear(Time now) {
  if (const std::optional<sched::Release> released = jobs_.take_released(now)) {
    book_.released_unwatched(*released);
    return true;
  }
  const std::optional<device::ResidentJob> job = device_.take_resident();
  if (job) end(*job, now);
  return job.has_value();
}

void ResidentBook::end(const device::ResidentJob& job, Time now) {
  const Time last =
      ending_.has_come() ? std::min(now, horizon_) : horizon_;  // the device may go on after a stop
  if (job.failed) ending_.fail(device_);
  if (!jobs_.awaits(job.task, job.number)) return;
  // What the device says may come before the clock of this thread has passed the release.
  release(std::min(last, std::max(now, job.end)));
  if (job.end > last) return;  // it and those before it that are still open are pending at the end of the run
  std::uint64_t lost = job.lost_before;
  for (auto oldest = jobs_.oldest(job.task); oldest && oldest->number < job.number;
       oldest = jobs_.oldest(job.task)) {
    const bool is_skipped = lost == 0 && system_.tasks[job.task].on_miss == OnMiss::skip_next;
    give_up(*oldest, is_skipped ? trace::Fate::skipped : trace::Fate::no_room, now);
    if (lost > 0) --lost;
  }
  const std::optional<sched::Release> release = jobs_.oldest(job.task);
  if (!release || release->number != job.number) return;
  if (job.failed) return give_up(*release, trace::Fate::failed, now);
  jobs_.note_over(job.task, now);
  const Time ready = jobs_.note_end(job.task, job.end);
  const trace::JobName name{job.task, job.number};
  assumptions_.ran(name, 0, ready, std::max(Duration{}, job.end - ready));
  const Time deadline = book_.deadline_of(job.task, release->nominal);
  book_.trace().tell(trace::OperationFinished{name, 0, -1, release->nominal, job.start, job.end});
  book_.ended({.job = name,
               .release = release->nominal,
               .start = job.start,
               .completion = job.end,
               .deadline = deadline,
               .missed = job.end > deadline},
              job.end);
  if (job.end > deadline) book_.missed(name, release->nominal, now);
}

/// The device skipped it, or nobody knows when it ended.
void ResidentBook::give_up(const sched::Release& release, trace::Fate fate, Time now) {
  jobs_.note_over(release.task, now);
  const Time deadline = book_.deadline_of(release.task, release.nominal);
  book_.ended({.job = {release.task, release.number},
               .release = release.nominal,
               .deadline = deadline,
               .missed = fate != trace::Fate::skipped && book_.is_within_run(deadline),
               .fate = fate},
              now);
}

std::vector<trace::JobEnded> ResidentBook::close(Time reached) {
  std::vector<trace::JobEnded> unfinished;
  if (!any()) return unfinished;
  while (hear(reached)) {
  }
  for (const TaskIndex task : jobs_.all()) {
    while (const std::optional<sched::Release> release = jobs_.oldest(task)) {
      jobs_.note_over(task, reached);
      unfinished.push_back({.job = {task, release->number},
                            .release = release->nominal,
                            .deadline = book_.deadline_of(task, release->nominal)});
    }
  }
  return unfinished;
}

}  // namespace tactus::runtime
