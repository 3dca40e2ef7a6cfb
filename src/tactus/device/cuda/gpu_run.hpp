// The GPU part of one run: puts submissions into streams and detects their ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/device/cuda/bound_call.hpp"
#include "tactus/device/cuda/builtin_work.hpp"
#include "tactus/device/cuda/captured_work.hpp"
#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/copies.hpp"
#include "tactus/device/cuda/cuda_device.hpp"
#include "tactus/device/cuda/lane_streams.hpp"
#include "tactus/device/cuda/loop_pool.hpp"
#include "tactus/device/cuda/resident_tasks.hpp"
#include "tactus/device/cuda/segment_work.hpp"
#include "tactus/device/cuda/stream.hpp"
#include "tactus/device/cuda/stream_queues.hpp"
#include "tactus/device/failure_note.hpp"
#include "tactus/device/job_starts.hpp"
#include "tactus/device/launcher.hpp"

namespace tactus::cuda {

/// A call and the signal after it, for a launcher.
struct LaunchedCall {
  BoundCall call;
  const CompletionWords* words = nullptr;
  std::uint32_t word = 0;
  unsigned value = 0;

  void operator()() {
    call();
    words->signal(call.stream, word, value);
  }
};
using CallLauncher = device::Launcher<LaunchedCall>;

class GpuRun {
 public:
  /// Prepares the run. References in the setup must outlive it.
  GpuRun(const device::Setup& setup, const device::CudaOptions& options);

  /// The first instant of the run, on the host's clock. To be called before it.
  void begin(HostInstant origin) { resident_->begin(origin); }

  // Nothing below throws: errors of CUDA and exceptions of bound functions become failures of their
  // submission.
  void submit(const device::Request& request, Time now);
  /// False when the submission is not in a stream.
  bool request_stop(sched::SubmissionId submission);

  [[nodiscard]] bool is_idle() const {
    return entries_.size() == 0 && refused_.empty() && resident_->is_idle();
  }
  /// See Device::take_resident.
  std::optional<device::ResidentJob> take_resident();
  /// Whether `poll` has events.
  [[nodiscard]] bool has_news(Time now);
  void poll(Time now, sched::Events& events);
  /// Asks CUDA for errors if nothing has ended for a while. True if it asked.
  bool look_for_errors(Time now);

  Time job_over(sched::JobId job);

  /// Stops what can be stopped and waits for the rest, up to a limit. False when something did not end: then
  /// nothing may be freed, because CUDA would block.
  [[nodiscard]] bool close(Time now);
  /// The same for a run that was not closed: references in the setup may be invalid.
  [[nodiscard]] bool abandon();
  /// After `close`: when the jobs started.
  [[nodiscard]] device::JobStarts take_starts() { return std::move(starts_); }

  [[nodiscard]] std::vector<std::string> not_enforced() const;
  [[nodiscard]] std::string failure() const { return failure_.text(); }

 private:
  /// The result of a submission.
  struct Result {
    enum class Kind : std::uint8_t { finished, stopped, failed };
    Kind kind = Kind::finished;
    sched::SegmentProgress done;
  };

  [[nodiscard]] SegmentRow& row_of(sched::SubmissionId id) { return rows_.open(id.job, id.segment); }
  /// Null when the job is not known.
  [[nodiscard]] SegmentRow* find_row(sched::SubmissionId id) { return rows_.find(id.job, id.segment); }
  /// Moves a queued submission to its stream, unless it must wait for a loop.
  void send(std::uint32_t index);
  [[nodiscard]] bool must_wait_for_loop(std::uint32_t index);
  /// Whether it is built-in work that may be asked to stop, or is pinned by its loop.
  [[nodiscard]] bool needs_loop(const StreamEntry& entry) const;
  /// Whether a loop of bound work will become free without further submissions.
  [[nodiscard]] bool has_bound_loop_in_flight();
  /// Sends submissions that wait for the rest of a copy, or for a loop, as far as possible.
  void send_held();
  void enqueue(StreamEntry& entry, SegmentRow& row, cudaStream_t stream);
  /// Calls the bound function of a submission, or launches what it captured, and measures how long it takes.
  void call(StreamEntry& entry, SegmentRow& row, cudaStream_t stream);
  void call_or_launch(StreamEntry& entry, SegmentRow& row, cudaStream_t stream);
  /// The call has just returned.
  void note_call(const StreamEntry& entry, Duration time);
  void note_kernel(const StreamEntry& entry);

  // Calls made by launchers. Until one is through, nothing else is enqueued in its stream.
  [[nodiscard]] CallLauncher* launcher_of(const StreamEntry& entry) const;
  /// False when the launcher has no room.
  [[nodiscard]] bool hand_over(CallLauncher& launcher, std::uint32_t index);
  /// Goes on with a submission whose call is through. False: it is not.
  bool hear_launcher(std::uint32_t index);
  void stop_launched(StreamEntry& entry);
  void end_launchers(Duration patience);
  [[nodiscard]] BoundCall begin_call(const StreamEntry& entry, const SegmentRow& row, cudaStream_t stream);
  /// What the call did with the loop that it was offered.
  void end_call(const BoundCall& call, StreamEntry& entry, SegmentRow& row);
  void launch_in_loop(StreamEntry& entry, cudaStream_t stream);
  void begin_copy(StreamEntry& entry, SegmentRow& row);
  /// Enqueues the next chunks of a copy, enough to keep the engine busy.
  void feed(std::uint32_t index);
  /// Enqueues a signal: the completion word tells when everything now in the stream has ended.
  void mark(std::uint32_t index);
  void make_way_for(const device::Request& request);
  /// Nothing more of it is enqueued, and running work is asked to stop.
  void cut(StreamEntry& entry);
  void stop_loop(StreamEntry& entry);
  void break_off(std::uint32_t index, std::string_view what);
  [[nodiscard]] bool has_ended(std::uint32_t index) const;
  /// Whether pinned work ended without being asked because none of its SMs was free.
  [[nodiscard]] bool left_early(const StreamEntry& entry) const;
  /// Whether it ended early and its next launch is delayed, so that launches do not flood the stream.
  [[nodiscard]] bool pauses(const StreamEntry& entry, Time now) const;
  void send_again(std::uint32_t index, Time now);
  void conclude(std::uint32_t index, Time now, sched::Events& events);
  void give_loop_back(const StreamEntry& entry);
  [[nodiscard]] Result result_of(const StreamEntry& entry, SegmentRow& row);
  [[nodiscard]] Result result_of_bound_loop(const StreamEntry& entry, SegmentRow& row);
  [[nodiscard]] Time start_of(const StreamEntry& entry) const;
  void fail(const device::Request& request, std::string_view what);
  void fail_all(sched::Events& events);
  void keep_failure(const device::Request& request, std::string_view what);
  /// Whether CUDA reports an error that invalidates the whole device.
  bool find_breakage(cudaStream_t stream);
  void blame(cudaError_t status);
  void conclude_rung(const ResidentTasks::Rung& rung, Time now, sched::Events& events);
  void stop_all();
  [[nodiscard]] bool wait_for_streams();

  // Copies, for a launcher's call that does not return outlives what they were given for.
  device::Bindings bindings_;
  std::vector<std::string> names_;  // of tasks
  device::Setup setup_;
  device::CudaOptions options_;
  SegmentWorks works_;
  LaneStreams streams_;
  Stream control_;  // most urgent: for stop requests
  ChunkRule chunk_rule_;
  Copies copies_;
  BuiltinWork builtin_;
  CapturedWorks captured_;
  LoopPool bound_loops_;
  DeviceBuffer<JobFacts> facts_;  // by stream
  StreamQueues entries_;
  CompletionWords words_;
  Time now_{};  // of the latest call by the engine
  device::JobStarts starts_;
  sched::JobMap<SegmentRow> rows_;            // by segment
  std::vector<Time> last_end_;                // by stream
  std::vector<sched::SubmissionId> refused_;  // failed before they were in a stream
  device::FailureNote failure_;
  cudaError_t broken_ = cudaSuccess;  // an error that invalidates the whole device
  bool told_broken_ = false;          // as the failure of a job that the device releases
  Time heard_{};                      // the last end, or the last check for errors
  std::size_t next_look_ = 0;
  std::size_t loops_in_flight_ = 0;
  std::size_t calls_at_launchers_ = 0;
  bool holds_ = false;  // a submission may be waiting for the rest of a copy, or for a loop
  /// Observations about the kernels of a task.
  struct Seen {
    bool cannot_stop = false;   // although its jobs are to be aborted on overrun
    bool strays = false;        // nothing keeps it on its SMs
    bool never_yields = false;  // although the scheduler relies on stopping it
  };
  std::vector<Seen> seen_;  // by task
  bool abandoned_ = false;
  bool is_left_behind_ = false;                           // a launcher's call did not return
  std::vector<std::unique_ptr<CallLauncher>> launchers_;  // by task; their threads use the members above
  std::optional<ResidentTasks> resident_;                 // last: it starts when everything else is prepared
};

}  // namespace tactus::cuda
