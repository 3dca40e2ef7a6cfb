// What is on the device: every operation that was submitted and has not ended.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/device/device.hpp"
#include "tactus/device/host/function_context.hpp"
#include "tactus/device/host/reports.hpp"
#include "tactus/device/host/segment_plan.hpp"
#include "tactus/device/host/worker.hpp"
#include "tactus/sched/job_map.hpp"

namespace tactus::device::host {

inline constexpr std::uint32_t no_activity = ~std::uint32_t{0};

/// One submission of a segment.
struct Activity {
  Request request;
  const SegmentPlan* plan = nullptr;
  Time called{};
  Time start = never;
  Duration whole{};              // time of all of the segment; of a kernel, of a block
  Duration time_done{};          // by this submission
  std::int64_t blocks_done = 0;  // blocks, slices or pieces
  OperationIndex in_rules = no_index;
  Time slice_start{};       // of exclusive work that runs
  std::uint32_t epoch = 0;  // ends that were planned in an earlier one are void
  bool live = false;
  bool stopping = false;
  bool failed = false;
  std::atomic<bool>* stop = nullptr;  // what bound functions see
  std::uint32_t next_free = no_activity;

  /// What earlier submissions of the segment did.
  [[nodiscard]] const sched::SegmentProgress& before() const { return request.stretch.done; }
  /// Of a copy that is made piece by piece.
  [[nodiscard]] bool is_piece() const { return request.stretch.max_bytes != sched::Stretch::all; }
  [[nodiscard]] Duration time_left() const { return whole - before().time - time_done; }
  [[nodiscard]] sched::SegmentProgress progress() const {
    return {before().blocks + blocks_done, before().bytes, before().time + time_done};
  }
};

/// Owned by the front end. Reports what ends.
class ActivityTable {
 public:
  /// InputError when it would be too large.
  ActivityTable(const Setup& setup, const SegmentPlans& plans, Reports& reports,
                std::shared_ptr<FunctionContext> context);

  /// The most submissions that may be under way.
  static std::size_t capacity_for(const Setup& setup);

  /// `no_activity` when there is no room; that is reported as a failure.
  std::uint32_t open(const Request& request, Time now);
  /// The activity that a stop is meant for.
  [[nodiscard]] std::uint32_t find(sched::SubmissionId submission) const;
  [[nodiscard]] Activity& operator[](std::uint32_t index) { return activities_[index]; }

  /// Something of it runs from then on.
  void note_start(Activity& activity, Time start) {
    if (start < activity.start) activity.start = start;
  }
  /// A function of it threw.
  void note_failure(Activity& activity, const char* what) {
    activity.failed = true;
    keep_failure(activity.request, what);
  }

  enum class WorkEnd : std::uint8_t { finished, stopped, failed };
  /// It has left the device.
  void end(std::uint32_t index, WorkEnd ending, Time now);

  /// What a function that works for it may know.
  [[nodiscard]] Job::Facts facts(const Activity& activity) const;
  /// What of a bound copy it stands for.
  [[nodiscard]] CopyWork copy_work(const Activity& activity) const;
  /// The other pieces of the job's copy go where this one went.
  void keep_copy(const Activity& activity, const MemoryCopy& copy);

  void tell_block(const Activity& activity, std::int64_t block, std::int32_t sm, Time start, Time end);
  void tell_copy(const Activity& activity, std::int32_t engine, Time start, Time end);
  void tell_cpu(const Activity& activity, std::int32_t core, Time start, Time end);
  [[nodiscard]] bool wants_blocks() const { return reports_.wanted.blocks.load(std::memory_order_relaxed); }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (Activity& activity : activities_) {
      if (activity.live) visit(activity);
    }
  }

  /// The first failure; empty when there was none. Any thread may ask.
  [[nodiscard]] std::string failure() const;

 private:
  /// What is on the device of a segment of a job.
  struct Row {
    std::uint32_t activity = no_activity;
    std::optional<MemoryCopy> copy{};  // of a bound copy that has begun
  };

  void keep_failure(const Request& request, const char* what);
  [[nodiscard]] Report report_on(const Activity& activity, Report::Kind kind) const;

  const Setup& setup_;
  const SegmentPlans& plans_;
  Reports& reports_;
  std::shared_ptr<FunctionContext> context_;
  sched::JobMap<Row> rows_;  // by segment
  std::vector<Activity> activities_;
  std::uint32_t first_free_ = no_activity;
  std::array<char, 480> failure_{};
  std::atomic<bool> has_failure_{false};
};

}  // namespace tactus::device::host
