// What becomes of the jobs of a run: counted, told to observers, and watched for their deadlines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/deadline_watch.hpp"
#include "tactus/runtime/ending.hpp"
#include "tactus/runtime/outcome.hpp"
#include "tactus/sched/arrivals.hpp"
#include "tactus/sched/core.hpp"
#include "tactus/sched/event.hpp"
#include "tactus/trace/fanout.hpp"
#include "tactus/trace/guarded_observer.hpp"
#include "tactus/trace/job_tally.hpp"

namespace tactus::runtime {

class JobBook {
 public:
  /// The system, the observers and the ending must outlive the book. Without `on_miss` deadlines are watched
  /// where a task asks for it.
  JobBook(const System& system, Time horizon, OnIncident on_miss, std::span<trace::Observer* const> observers,
          Ending& ending);
  JobBook(const JobBook&) = delete;
  JobBook& operator=(const JobBook&) = delete;
  ~JobBook() = default;

  /// For so many released jobs that are neither over nor late.
  void reserve(std::size_t jobs) { deadlines_.reserve(watches_deadlines_ ? jobs : 0); }
  void touch() { deadlines_.touch(); }

  [[nodiscard]] trace::Fanout& trace() noexcept { return trace_; }
  [[nodiscard]] Time deadline_of(TaskIndex task, Time release) const {
    const std::optional<Duration>& deadline = system_.tasks[task].deadline;
    return deadline ? saturating_add(release, *deadline) : never;
  }
  /// Whether a job that is given up misses this deadline.
  [[nodiscard]] bool is_within_run(Time deadline) const { return deadline != never && deadline <= horizon_; }
  /// Jobs of the task that were released and are not over.
  [[nodiscard]] std::uint64_t in_progress(TaskIndex task) const { return tally_.tasks()[task].in_progress(); }

  void released(const sched::Release& job);
  /// Of a job whose end is known only afterwards, or that has no deadline.
  void released_unwatched(const sched::Release& job);
  /// Completed, or will never complete: where it misses its deadline by that, this is known from now on.
  void ended(const trace::JobEnded& job, Time now);
  void overran(TaskIndex task) { tally_.overrun(task); }
  /// Jobs of one task that did not begin, beginning with this one; observers are not told.
  void left_out(const trace::JobEnded& first, std::uint64_t jobs, std::uint64_t misses, Time now);
  void missed(const trace::JobName& job, Time release, Time now);

  /// The first instant at which a watched job is late; `never` when there is none.
  [[nodiscard]] Time next_late() const noexcept { return deadlines_.next(); }
  /// Jobs that are not over by now, and late. What the core must know comes before all other events, which
  /// may be of the same jobs.
  void tell_late(Time now, const sched::JobTable& jobs, sched::Events& events);

  /// The numbers of the run so far.
  void count(Outcome& outcome) const;

 private:
  const System& system_;
  Time horizon_;
  OnIncident on_miss_;
  Ending& ending_;
  std::vector<trace::GuardedObserver> observers_;
  trace::Fanout trace_;
  trace::JobTally tally_;
  DeadlineWatch deadlines_;
  bool watches_deadlines_;
  bool calls_on_miss_ = false;  // stays so when it throws: then it is called no more
  std::uint64_t untold_ = 0;
};

}  // namespace tactus::runtime
