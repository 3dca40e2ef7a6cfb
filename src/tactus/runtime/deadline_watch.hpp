// The deadlines of jobs that are pending and not yet late.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/touch.hpp"
#include "tactus/sched/arrivals.hpp"
#include "tactus/trace/event.hpp"

namespace tactus::runtime {

/// Holds pending jobs only, so its size does not depend on the length of deadlines. Nothing is allocated
/// after `reserve`.
class DeadlineWatch {
 public:
  void reserve(std::size_t jobs) { all_.reserve(jobs); }
  void touch() { tactus::touch(all_); }
  /// `late` is the first instant at which the job is late.
  void add(Time late, const sched::Release& job) {
    all_.push_back({late, job});
    next_ = std::min(next_, late);
  }
  /// The job has completed or was dropped. True if it was watched.
  bool remove(trace::JobName name) {
    const auto place = std::find_if(all_.begin(), all_.end(), [&](const Entry& entry) {
      return entry.job.task == name.task && entry.job.number == name.number;
    });
    if (place == all_.end()) return false;
    erase(place);
    return true;
  }
  /// The earliest instant at which a job is late; `never` when no job is watched.
  [[nodiscard]] Time next() const { return next_; }
  /// Removes the job that is late first; ties in the order of `add`. There must be one.
  sched::Release take() {
    const auto place = std::min_element(all_.begin(), all_.end(),
                                        [](const Entry& a, const Entry& b) { return a.late < b.late; });
    const sched::Release job = place->job;
    erase(place);
    return job;
  }

 private:
  struct Entry {
    Time late{};
    sched::Release job;
  };

  void erase(std::vector<Entry>::iterator place) {
    const bool was_next = place->late == next_;
    all_.erase(place);
    if (!was_next) return;
    next_ = never;
    for (const Entry& entry : all_) next_ = std::min(next_, entry.late);
  }

  std::vector<Entry> all_;  // in the order of `add`
  Time next_ = never;
};

}  // namespace tactus::runtime
