// What a device remembers of the jobs in progress: when they began, and what of them is there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/device/cuda/flights.hpp"
#include "tactus/device/cuda/segment_work.hpp"

namespace tactus::cuda {

class JobRows {
 public:
  struct SegmentRow {
    std::uint32_t flight = nothing;
    std::uint32_t loop = nothing;      // of bound work that can be stopped
    std::optional<MemoryCopy> copy{};  // of a bound copy that has begun
  };

  JobRows(std::size_t jobs, std::size_t most_segments)
      : most_segments_{most_segments}, jobs_(jobs), segments_(jobs * most_segments) {}

  /// Of a job that is not known yet, a fresh one.
  SegmentRow& open(sched::Operation operation) {
    JobRow& job = jobs_[operation.job.slot];
    if (job.generation != operation.job.generation) {
      job = {.generation = operation.job.generation};
      const auto first = segments_.begin() + static_cast<std::ptrdiff_t>(place({operation.job, 0}));
      std::fill(first, first + static_cast<std::ptrdiff_t>(most_segments_), SegmentRow{});
    }
    return segments_[place(operation)];
  }
  /// Null when nothing is known of it.
  [[nodiscard]] SegmentRow* find(sched::Operation operation) {
    if (operation.segment >= most_segments_ || !knows(operation.job)) return nullptr;
    return &segments_[place(operation)];
  }
  [[nodiscard]] bool knows(sched::JobId job) const {
    return job.slot < jobs_.size() && jobs_[job.slot].generation == job.generation;
  }

  void note_start(sched::JobId job, Time start) {
    if (knows(job)) jobs_[job.slot].start = std::min(jobs_[job.slot].start, start);
  }
  /// `never` when nothing of it began.
  [[nodiscard]] Time start(sched::JobId job) const { return knows(job) ? jobs_[job.slot].start : never; }

  [[nodiscard]] std::size_t most_segments() const { return most_segments_; }

 private:
  struct JobRow {
    std::uint32_t generation = ~std::uint32_t{0};
    Time start = never;
  };
  [[nodiscard]] std::size_t place(sched::Operation operation) const {
    return std::size_t{operation.job.slot} * most_segments_ + operation.segment;
  }

  std::size_t most_segments_;
  std::vector<JobRow> jobs_;
  std::vector<SegmentRow> segments_;
};

}  // namespace tactus::cuda
