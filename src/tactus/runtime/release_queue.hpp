// Releases as the engine comes to see them: by the calendar or by callers, some of them late.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tactus/base/agenda.hpp"
#include "tactus/base/time.hpp"
#include "tactus/base/touch.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/callers.hpp"
#include "tactus/runtime/job_book.hpp"
#include "tactus/runtime/resident_jobs.hpp"
#include "tactus/sched/arrivals.hpp"
#include "tactus/sched/draws.hpp"
#include "tactus/sched/event.hpp"

namespace tactus::runtime {

class ReleaseQueue {
 public:
  struct Options {
    Time horizon = never;
    /// Releases are seen after the overhead of the platform.
    bool plays_overheads = false;
    /// So many releases are handled at once; after a delay, further ones wait for the next time.
    std::size_t most_at_once = 0;
  };

  /// Without the tasks that the device or callers release. References must outlive the queue.
  ReleaseQueue(const System& system, const sched::Draws& draws, const ResidentJobs& resident,
               Callers& callers, JobBook& book, const Options& options);

  /// Releases that may be on their way to being seen.
  [[nodiscard]] std::size_t most_unseen() const noexcept { return most_unseen_; }
  void reserve();
  void touch() { tactus::touch(seen_); }

  /// When the next one that is known is due.
  [[nodiscard]] Time next() const noexcept { return std::min(arrivals_.next(), unseen_.next()); }
  /// More may be due than were handled last.
  [[nodiscard]] bool is_full() const noexcept { return seen_.size() == most_at_once_; }

  /// What is due: booked, and an event for each that is seen.
  void collect(Time now, sched::Events& events);

  /// Releases that were not handled.
  struct Rest {
    std::vector<sched::Release> jobs;  // told to observers
    bool counts_all = true;            // false: there are too many even to count
  };
  /// At the end of the run. Later calls fail.
  Rest close(Time reached);

 private:
  [[nodiscard]] bool has_room_for(Time next, Time now) const;
  void release(const sched::Release& job, Time now);
  void take_calls(Time now);
  bool release_what_was_not_looked_at(Time reached);
  bool leave_out(const sched::Release& first, Time reached);

  const System& system_;
  const sched::Draws& draws_;
  Callers& callers_;
  JobBook& book_;
  sched::Arrivals arrivals_;
  std::vector<Duration> delay_;  // by task: how late a release may be seen
  Agenda<sched::Release> unseen_;
  std::size_t most_unseen_;
  std::vector<sched::Release> seen_;  // handled last
  std::size_t most_at_once_;
  Time collected_ = Time::min();  // releases up to here were collected, as far as there was room
};

}  // namespace tactus::runtime
