// The GPU's part of one run: what is submitted goes to streams, and its end is looked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/device/cuda/builtin_work.hpp"
#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/copies.hpp"
#include "tactus/device/cuda/cuda_device.hpp"
#include "tactus/device/cuda/failure_note.hpp"
#include "tactus/device/cuda/job_rows.hpp"
#include "tactus/device/cuda/lane_streams.hpp"
#include "tactus/device/cuda/loop_pool.hpp"
#include "tactus/device/cuda/segment_work.hpp"
#include "tactus/device/cuda/stream.hpp"
#include "tactus/device/cuda/stream_queues.hpp"

namespace tactus::cuda {

class GpuRun {
 public:
  /// Makes everything ready. What the setup refers to outlives the run.
  GpuRun(const device::Setup& setup, const device::CudaOptions& options);

  // From here on nothing throws: what CUDA or a bound function complains of becomes a failure of its flight.
  void submit(const device::Request& request, Time now);
  /// False when no such submission is in a stream.
  bool request_stop(sched::SubmissionId submission);

  [[nodiscard]] bool is_idle() const { return entries_.size() == 0 && refused_.empty(); }
  /// Whether `poll` has something to tell.
  [[nodiscard]] bool has_news(Time now);
  void poll(Time now, sched::Events& events);
  /// Asks CUDA whether something went wrong, when nothing was heard for a while. Whether it asked.
  bool look_for_errors(Time now);

  Time job_over(sched::JobId job);

  /// Stops what can be stopped and waits for the rest, but not for ever. False when something did not end:
  /// then nothing may be freed, since CUDA would wait for it.
  [[nodiscard]] bool close(Time now);
  /// The same for a run that nobody waits for: what the setup refers to may be gone.
  [[nodiscard]] bool abandon();
  /// After `close`: when the jobs began.
  [[nodiscard]] JobRows take_rows() { return std::move(rows_); }

  [[nodiscard]] std::vector<std::string> not_enforced() const;
  [[nodiscard]] const FailureNote& failure() const { return failure_; }

 private:
  /// What became of a flight.
  struct Result {
    enum class Kind : std::uint8_t { finished, stopped, failed };
    Kind kind = Kind::finished;
    sched::SegmentProgress done;
  };

  /// It is in its queue; now it goes to the stream, unless it must wait for a loop.
  void send(std::uint32_t index);
  [[nodiscard]] bool must_wait_for_loop(std::uint32_t index);
  /// Built-in work that may be asked to stop, or that only its loop keeps on its SMs.
  [[nodiscard]] bool needs_loop(const StreamEntry& entry) const;
  /// Whether a loop of bound work comes back by itself.
  [[nodiscard]] bool has_bound_loop_in_flight() const;
  /// What waits for the rest of copies, or for a loop, goes on, as far as it may.
  void send_held();
  void enqueue(StreamEntry& entry, JobRows::SegmentRow& row, cudaStream_t stream);
  void launch_in_loop(StreamEntry& entry, cudaStream_t stream);
  void begin_copy(StreamEntry& entry, JobRows::SegmentRow& row);
  /// Enqueues the next chunks of a copy, as many as the engine needs to go on.
  void feed(std::uint32_t index);
  /// The flight's word will tell when all that is in the stream by now has ended.
  void mark(std::uint32_t index);
  void make_way_for(const device::Request& request);
  /// Nothing more of it goes to the stream, and what runs is asked to stop.
  void cut(StreamEntry& entry);
  void stop_loop(StreamEntry& entry);
  void break_off(std::uint32_t index, std::string_view what);
  [[nodiscard]] bool has_ended(std::uint32_t index) const;
  /// Work that is pinned by its loop may find none of its SMs free, and leave without being asked.
  [[nodiscard]] bool left_early(const StreamEntry& entry) const;
  /// It left early, and waits a little, so that its launches do not flood the stream.
  [[nodiscard]] bool pauses(const StreamEntry& entry, Time now) const;
  void send_again(std::uint32_t index, Time now);
  void conclude(std::uint32_t index, Time now, sched::Events& events);
  void give_loop_back(const StreamEntry& entry);
  [[nodiscard]] Result result_of(const StreamEntry& entry, JobRows::SegmentRow& row);
  [[nodiscard]] Result result_of_bound_loop(const StreamEntry& entry, JobRows::SegmentRow& row);
  [[nodiscard]] Time start_of(const StreamEntry& entry) const;
  void fail(const device::Request& request, std::string_view what);
  void fail_all(sched::Events& events);
  void keep_failure(const device::Request& request, std::string_view what);
  /// Whether CUDA reports an error that nothing on the device survives.
  bool find_breakage(cudaStream_t stream);
  void blame(cudaError_t status);
  void stop_all();
  [[nodiscard]] bool wait_for_streams();

  device::Setup setup_;
  device::CudaOptions options_;
  SegmentWorks works_;
  LaneStreams streams_;
  Stream control_;  // more urgent than all others: stops
  ChunkRule chunk_rule_;
  Copies copies_;
  BuiltinWork builtin_;
  LoopPool bound_loops_;
  StreamQueues entries_;
  CompletionWords words_;
  JobRows rows_;
  std::vector<Time> last_end_;                // by stream
  std::vector<sched::SubmissionId> refused_;  // what failed before it was in a stream
  FailureNote failure_;
  cudaError_t broken_ = cudaSuccess;  // an error that nothing on the device survives
  Time heard_{};                      // when something ended, or was looked for, last
  std::size_t next_look_ = 0;
  std::size_t loops_in_flight_ = 0;
  bool holds_ = false;  // something may wait for the rest of a copy, or for a loop
  /// What was seen of a task's kernels.
  struct Seen {
    bool cannot_stop = false;   // though an overrun is to end its jobs
    bool strays = false;        // nothing keeps it on its SMs
    bool never_yields = false;  // though the scheduler counts on stopping it
  };
  std::vector<Seen> seen_;  // by task
  bool abandoned_ = false;
};

}  // namespace tactus::cuda
