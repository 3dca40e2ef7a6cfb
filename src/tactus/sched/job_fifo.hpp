// A FIFO queue of jobs that wait for an earlier job of their task.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tactus/base/touch.hpp"
#include "tactus/sched/job_table.hpp"

namespace tactus::sched {

class JobFifo {
 public:
  void reserve(std::size_t jobs) { reserve_touched(jobs_, jobs); }
  [[nodiscard]] bool empty() const { return first_ == jobs_.size(); }

  void push(JobId job) {
    // Reuse the free space at the front before allocating more.
    if (first_ > 0 && jobs_.size() == jobs_.capacity()) {
      jobs_.erase(jobs_.begin(), jobs_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    jobs_.push_back(job);
  }

  bool remove(JobId id) {
    const auto place = std::find(jobs_.begin() + static_cast<std::ptrdiff_t>(first_), jobs_.end(), id);
    if (place == jobs_.end()) return false;
    if (*place == front()) {
      pop();
      return true;
    }
    jobs_.erase(place);
    if (empty()) {
      jobs_.clear();
      first_ = 0;
    }
    return true;
  }

  [[nodiscard]] std::span<const JobId> in_order() const { return std::span{jobs_}.subspan(first_); }
  [[nodiscard]] JobId front() const { return jobs_[first_]; }

  JobId pop() {
    const JobId job = jobs_[first_++];
    if (empty()) {
      jobs_.clear();
      first_ = 0;
    }
    return job;
  }

 private:
  std::vector<JobId> jobs_;
  std::size_t first_ = 0;
};

}  // namespace tactus::sched
