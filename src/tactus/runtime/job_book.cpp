#include "tactus/runtime/job_book.hpp"

#include <algorithm>
#include <utility>

namespace tactus::runtime {

JobBook::JobBook(const System& system, Time horizon, OnIncident on_miss,
                 std::span<trace::Observer* const> observers, Ending& ending)
    : system_{system},
      horizon_{horizon},
      on_miss_{std::move(on_miss)},
      ending_{ending},
      observers_{trace::guard(observers)},
      trace_{trace::pointers_to(observers_)},
      tally_{system.tasks.size()},
      watches_deadlines_{static_cast<bool>(on_miss_) ||
                         std::any_of(system.tasks.begin(), system.tasks.end(),
                                     [](const Task& task) { return task.on_miss != OnMiss::proceed; })} {}

void JobBook::released_unwatched(const sched::Release& job) {
  const trace::JobReleased event{{job.task, job.number}, job.nominal, deadline_of(job.task, job.nominal)};
  tally_.on(event);
  trace_.tell(event);
}

void JobBook::released(const sched::Release& job) {
  released_unwatched(job);
  const Time deadline = deadline_of(job.task, job.nominal);
  if (watches_deadlines_ && deadline != never) deadlines_.add(saturating_add(deadline, nanoseconds(1)), job);
}

void JobBook::ended(const trace::JobEnded& job, Time now) {
  if (watches_deadlines_ && deadlines_.remove(job.job) && job.missed) missed(job.job, job.release, now);
  tally_.on(job, now);
  trace_.tell(job);
}

void JobBook::left_out(const trace::JobEnded& first, std::uint64_t jobs, std::uint64_t misses, Time now) {
  tally_.pending(first, jobs, misses, now);
  untold_ += jobs;
}

void JobBook::missed(const trace::JobName& job, Time release, Time now) {
  if (on_miss_ && !std::exchange(calls_on_miss_, true)) {
    on_miss_({job, release, deadline_of(job.task, release), now});
    calls_on_miss_ = false;
  }
  if (system_.tasks[job.task].on_miss == OnMiss::stop) ending_.come(RunEnd::miss);
}

void JobBook::tell_late(Time now, const sched::JobTable& jobs, sched::Events& events) {
  const std::size_t others = events.size();
  const Time last = std::min(now, horizon_);  // a later one does not count
  while (deadlines_.next() <= last && deadlines_.next() != never) {
    const sched::Release release = deadlines_.take();
    missed({release.task, release.number}, release.nominal, now);
    if (system_.tasks[release.task].on_miss != OnMiss::skip_next) continue;
    jobs.for_each([&](sched::JobId id, const sched::JobRow& job) {
      if (job.task == release.task && job.number == release.number) {
        events.emplace_back(sched::DeadlinePassed{id});
      }
    });
  }
  std::rotate(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(others), events.end());
}

void JobBook::count(Outcome& outcome) const {
  outcome.untold = untold_;
  outcome.misses = tally_.misses();
  outcome.tasks = tally_.tasks();
  outcome.first_miss = tally_.first_miss();
  outcome.observer_failures = trace::failures_of(observers_);
  for (const trace::TaskTally& task : tally_.tasks()) {
    outcome.released += task.released;
    outcome.completed += task.completed;
    outcome.pending += task.pending;
    outcome.dropped += task.aborted + task.failed + task.skipped + task.no_room + task.full;
    outcome.overruns += task.overruns;
  }
}

}  // namespace tactus::runtime
