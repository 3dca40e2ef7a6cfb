// The submissions on the device.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/device/device.hpp"
#include "tactus/device/failure_note.hpp"
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
  Duration whole{};              // of the whole segment; for a kernel, of one block
  Duration time_done{};          // by this submission
  std::int64_t blocks_done = 0;  // blocks or slices; 1 when a copy has ended
  OperationIndex in_rules = no_index;
  Time slice_start{};  // of running exclusive work
  bool live = false;
  bool stopping = false;
  bool failed = false;
  std::atomic<bool>* stop = nullptr;  // flag that bound functions read
  std::uint32_t next_free = no_activity;

  /// The progress made by earlier submissions of the segment.
  [[nodiscard]] const sched::SegmentProgress& before() const { return request.stretch.done; }
  /// Of this submission.
  [[nodiscard]] Duration time_left() const { return request.stretch.time_of(whole) - time_done; }
  [[nodiscard]] sched::SegmentProgress progress() const {
    if (plan->server == ServerKind::copy && blocks_done > 0) return {.bytes = request.stretch.until.bytes};
    return {before().blocks + blocks_done, before().bytes, before().time + time_done};
  }
};

/// Used by the front end only. Reports the ends of submissions.
class ActivityTable {
 public:
  /// InputError when the table would be too large.
  ActivityTable(const Setup& setup, const SegmentPlans& plans, Reports& reports,
                std::shared_ptr<FunctionContext> context);

  /// The largest number of submissions in flight.
  static std::size_t capacity_for(const Setup& setup);

  /// `no_activity` when the table is full, which is reported as a failure.
  std::uint32_t open(const Request& request, Time now);
  /// A core that is held for a job: no segment, without end, and nothing is told of it.
  std::uint32_t open_hold(const Request& request, Time now);
  void close_hold(std::uint32_t index) { free(index); }
  /// The activity that a stop request refers to.
  [[nodiscard]] std::uint32_t find(sched::SubmissionId submission) const;
  [[nodiscard]] Activity& operator[](std::uint32_t index) { return activities_[index]; }

  /// Work of the activity runs from `start` on.
  void note_start(Activity& activity, Time start) {
    if (start < activity.start) activity.start = start;
  }
  /// A bound function threw.
  void note_failure(Activity& activity, const char* what) {
    activity.failed = true;
    failure_.keep(setup_.system, activity.request, what);
  }

  enum class WorkEnd : std::uint8_t { finished, stopped, failed };
  /// The activity has left the device.
  void end(std::uint32_t index, WorkEnd ending, Time now);

  /// The facts that a bound function gets.
  [[nodiscard]] Job::Facts facts(const Activity& activity) const;
  /// The part of a bound copy that it covers.
  [[nodiscard]] CopyWork copy_work(const Activity& activity) const;
  /// Keeps the buffers for the further chunks of this copy.
  void keep_copy(const Activity& activity, const MemoryCopy& copy);

  /// For the trace: a part of it ran on an SM, a copy engine or a core.
  void tell(Report::Kind kind, const Activity& activity, std::int32_t place, Time start, Time end,
            std::int64_t block = 0);
  [[nodiscard]] bool wants(Report::Kind kind) const {
    return reports_.wanted(kind).load(std::memory_order_relaxed);
  }

  template <class Visit>
  void for_each(Visit&& visit) {
    for (Activity& activity : activities_) {
      if (activity.live) visit(activity);
    }
  }

  /// The first failure; empty when there was none. Any thread may call this.
  [[nodiscard]] std::string failure() const { return failure_.text(); }

 private:
  /// The state of one segment of a job.
  struct Row {
    std::uint32_t activity = no_activity;
    std::optional<MemoryCopy> copy{};  // of a bound copy that has started
  };

  std::uint32_t take_free(const Request& request, const SegmentPlan& plan, Duration whole, Time now);
  void free(std::uint32_t index);
  [[nodiscard]] Report report_on(const Activity& activity, Report::Kind kind) const;

  const Setup& setup_;
  const SegmentPlans& plans_;
  Reports& reports_;
  std::shared_ptr<FunctionContext> context_;
  sched::JobMap<Row> rows_;  // by segment
  std::vector<Activity> activities_;
  std::uint32_t first_free_ = no_activity;
  FailureNote failure_;
};

}  // namespace tactus::device::host
