// What a device remembers of the jobs in progress: when they began, and what of them is there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tactus/device/cuda/segment_work.hpp"
#include "tactus/device/cuda/stream_queues.hpp"
#include "tactus/sched/job_map.hpp"

namespace tactus::cuda {

class JobRows {
 public:
  struct SegmentRow {
    std::uint32_t entry = nothing;
    std::uint32_t loop = nothing;      // of bound work that can be stopped
    std::optional<MemoryCopy> copy{};  // of a bound copy that has begun
  };

  JobRows(std::size_t jobs, std::size_t max_segments) : starts_{jobs}, segments_{jobs, max_segments} {}

  /// Of a job that is not known yet, a fresh one.
  SegmentRow& open(sched::SubmissionId submission) {
    starts_.open(submission.job);
    return segments_.open(submission.job, submission.segment);
  }
  /// Null when nothing is known of it.
  [[nodiscard]] SegmentRow* find(sched::SubmissionId submission) {
    return segments_.find(submission.job, submission.segment);
  }
  [[nodiscard]] bool knows(sched::JobId job) const { return starts_.find(job) != nullptr; }

  void note_start(sched::JobId job, Time start) {
    if (Start* known = starts_.find(job)) known->at = std::min(known->at, start);
  }
  /// `never` when nothing of it began.
  [[nodiscard]] Time start(sched::JobId job) const {
    const Start* known = starts_.find(job);
    return known == nullptr ? never : known->at;
  }

  [[nodiscard]] std::size_t max_segments() const { return segments_.places(); }

 private:
  struct Start {
    Time at = never;
  };
  sched::JobMap<Start> starts_;
  sched::JobMap<SegmentRow> segments_;
};

}  // namespace tactus::cuda
