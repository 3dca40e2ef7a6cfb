// The places of a task's jobs: so many may be in progress at once, and each has one to itself.
//
// What a run keeps for each job of a task, such as its buffers, is found by the number of its place. Where
// results are kept, the place of a completed job is free when it is given back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/sched/job_table.hpp"

namespace tactus::sched {

class Places {
 public:
  /// Without a limit there are no places, and nothing is ever full.
  Places() = default;
  explicit Places(std::uint32_t limit) : jobs_(limit) {
    free_.reserve(limit);
    for (std::uint32_t place = limit; place > 0; --place) free_.push_back(place - 1);
  }

  [[nodiscard]] bool any() const noexcept { return !jobs_.empty(); }
  [[nodiscard]] bool full() const noexcept { return any() && free_.empty(); }

  /// There must be a free one.
  std::uint32_t take(JobId job) noexcept {
    const std::uint32_t place = free_.back();
    free_.pop_back();
    jobs_[place] = job;
    return place;
  }
  /// The job is over; `done`: with a result.
  void leave(std::uint32_t place, bool done) noexcept {
    jobs_[place].reset();
    if (!done || !keeps_) give_back(place);
  }
  void give_back(std::uint32_t place) noexcept { free_.push_back(place); }
  /// From now on the place of a job with a result is given back by `give_back` alone.
  void keep() noexcept { keeps_ = true; }

  /// The job with the least number of those for which `is_wanted(row)`.
  template <class Wanted>
  [[nodiscard]] std::optional<JobId> oldest(const JobTable& jobs, Wanted&& is_wanted) const noexcept {
    const JobRow* oldest = nullptr;
    for (const std::optional<JobId>& id : jobs_) {
      if (!id) continue;
      const JobRow& job = jobs.get(*id);
      if (is_wanted(job) && (oldest == nullptr || job.number < oldest->number)) oldest = &job;
    }
    return oldest == nullptr ? std::nullopt : std::optional{oldest->id};
  }

 private:
  std::vector<std::uint32_t> free_;
  std::vector<std::optional<JobId>> jobs_;  // by place: who is there
  bool keeps_ = false;
};

}  // namespace tactus::sched
