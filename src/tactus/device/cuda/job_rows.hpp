// The state of the jobs in progress on the device.
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
    std::optional<MemoryCopy> copy{};  // of a bound copy that has started
  };

  JobRows(std::size_t jobs, std::size_t max_segments) : starts_{jobs}, segments_{jobs, max_segments} {}

  /// A new one if the job is not known yet.
  SegmentRow& open(sched::SubmissionId submission) {
    starts_.open(submission.job);
    return segments_.open(submission.job, submission.segment);
  }
  /// Null when the job is not known.
  [[nodiscard]] SegmentRow* find(sched::SubmissionId submission) {
    return segments_.find(submission.job, submission.segment);
  }
  [[nodiscard]] bool knows(sched::JobId job) const { return starts_.find(job) != nullptr; }

  void note_start(sched::JobId job, Time start) {
    if (Start* known = starts_.find(job)) known->at = std::min(known->at, start);
  }
  /// `never` when none of its work has started.
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
