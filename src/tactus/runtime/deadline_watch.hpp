// The jobs that are neither done nor late: those whose deadlines are still of interest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/touch.hpp"
#include "tactus/sched/arrivals.hpp"
#include "tactus/trace/event.hpp"

namespace tactus::runtime {

/// Holds pending jobs alone, however long their deadlines are; so it is bounded, and nothing is allocated
/// once `reserve` has been called.
class DeadlineWatch {
 public:
  void reserve(std::size_t jobs) { all_.reserve(jobs); }
  void touch() { tactus::touch(all_); }
  /// `late` is the first instant at which the job is late.
  void add(Time late, const sched::Release& job) {
    all_.push_back({late, job});
    next_ = std::min(next_, late);
  }
  /// The job is over. Whether it was here.
  bool remove(trace::JobName name) {
    const auto place = std::find_if(all_.begin(), all_.end(), [&](const Entry& entry) {
      return entry.job.task == name.task && entry.job.number == name.number;
    });
    if (place == all_.end()) return false;
    erase(place);
    return true;
  }
  /// `never` when there is nothing to watch.
  [[nodiscard]] Time next() const { return next_; }
  /// The job that is late first, of equals the one that came first. There is one.
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

  std::vector<Entry> all_;  // in the order in which they came
  Time next_ = never;
};

}  // namespace tactus::runtime
