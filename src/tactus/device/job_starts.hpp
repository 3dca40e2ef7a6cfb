// When jobs started.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tactus/base/time.hpp"
#include "tactus/sched/job_map.hpp"

namespace tactus::device {

/// When the first submission of each job started. Allocates only when it is made.
class JobStarts {
 public:
  explicit JobStarts(std::size_t jobs) : starts_{jobs} {}

  /// To be called at every submission: starts of other jobs are ignored.
  void open(sched::JobId job) noexcept { starts_.open(job); }
  void note(sched::JobId job, Time start) noexcept {
    if (Start* known = starts_.find(job)) known->at = std::min(known->at, start);
  }
  /// `never` when none of its work has started.
  [[nodiscard]] Time of(sched::JobId job) const noexcept {
    const Start* known = starts_.find(job);
    return known == nullptr ? never : known->at;
  }

 private:
  struct Start {
    Time at = never;
  };
  sched::JobMap<Start> starts_;
};

}  // namespace tactus::device
