// The simulated machine: a GPU, CPU cores, and the overheads of the platform.
//
// Calls reach the GPU after the launch overhead, and the end of GPU work becomes known after the completion
// overhead.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/base/agenda.hpp"
#include "tactus/device/device.hpp"
#include "tactus/device/segment_facts.hpp"
#include "tactus/device/sim/sim_cpus.hpp"
#include "tactus/device/sim/sim_gpu.hpp"
#include "tactus/sched/draws.hpp"
#include "tactus/sched/job_map.hpp"
#include "tactus/trace/fanout.hpp"

namespace tactus::device {

class SimMachine final : private GpuListener, private CpuListener {
 public:
  /// `open_ended`: there is no horizon, so every event counts and must fit into 64 bits.
  SimMachine(const Setup& setup, bool open_ended);

  /// Updates which events the observers want.
  void listen();

  /// Runs the machine alone to the first instant that concerns the caller, at most `limit`; see
  /// SimGpu::advance. `next` is the latest limit that makes sense.
  Time advance(Time limit) {
    completions_.clear();
    const Time now = gpu_.advance(limit, completions_);
    if (now != never) cpus_.advance(now, completions_);
    return now;
  }
  [[nodiscard]] Time next() const {
    return std::min(std::min(calls_.next(), notices_.next()), cpus_.next_end());
  }
  [[nodiscard]] Time next_end() const { return std::min(next(), gpu_.next_end()); }
  /// Whether anything finished in the last `advance`.
  [[nodiscard]] bool has_finished() const { return !completions_.empty(); }

  /// Appends the events that the scheduler learns of at this instant.
  void collect(Time now, sched::Events& events) {
    for (const Completion& completion : completions_) finished(completion, now, events);
    completions_.clear();
    while (notices_.next() == now) add_event(notices_.take(), events);
  }
  /// Calls whose launch overhead has passed reach the GPU.
  void make_calls(Time now) {
    while (calls_.next() == now) call_device(calls_.take(), now);
  }
  void submit(const sched::Submit& request, TaskIndex task, std::uint64_t number, Time now);
  void request_stop(sched::SubmissionId submission, Time now);
  void hold_core(const sched::HoldCore& hold, Time now) {
    cpus_.hold(hold.cores, token_of({hold.job, 0}), hold.urgency, now);
  }
  void dispatch(Time now) {
    gpu_.dispatch(now);
    cpus_.dispatch(now);
  }
  [[nodiscard]] SimGpu& gpu() { return gpu_; }

  /// See Device::job_over.
  Time job_over(sched::JobId job, Time now);
  /// The schedule ends here.
  void end_at(Time now);

  [[nodiscard]] const std::vector<SegmentFacts>& facts(TaskIndex task) const { return facts_[task]; }
  [[nodiscard]] StreamIndex named_stream(std::size_t index) const { return named_streams_[index]; }

 private:
  /// A job with at least one submission.
  struct JobFacts {
    TaskIndex task = 0;
    std::uint64_t number = 0;
    Time start = never;
  };

  /// A stream of a job's own, or those that jobs share.
  struct JobStream {
    StreamIndex own = no_index;
    Time last_call{};  // when the latest call of the job in this stream reaches the GPU
  };

  /// A submission that may be asked to stop, or is not the last of its segment.
  struct Part {
    std::uint64_t number = 0;  // unique number
    sched::Stretch stretch{};
    std::size_t job_stream = 0;
    sched::SegmentProgress end{};  // of the segment when it has ended
    OperationIndex on_device = no_index;
    bool launching = false;
    bool until_stopped = false;
    bool is_last = false;
  };

  struct DelayedCall {
    std::uint64_t token = 0;
    StreamIndex stream = 0;
    std::uint32_t rank = 0;
    std::uint32_t sm_set = 0;
    std::uint64_t part = 0;  // 0: the whole segment; otherwise the number of the submission
  };

  /// A message to the scheduler: an operation has finished, or stopped with this progress.
  struct Notice {
    std::uint64_t token = 0;
    sched::SegmentProgress progress{};
    bool finished = true;
  };

  static std::uint64_t token_of(sched::SubmissionId submission) {
    return (std::uint64_t{submission.job.slot} << 32U) | submission.segment;
  }
  static std::uint32_t slot_of(std::uint64_t token) { return static_cast<std::uint32_t>(token >> 32U); }
  static std::uint32_t segment_of(std::uint64_t token) { return static_cast<std::uint32_t>(token); }
  [[nodiscard]] trace::JobName name_of(std::uint64_t token) const {
    const JobFacts& job = jobs_.last(slot_of(token));
    return {job.task, job.number};
  }
  [[nodiscard]] const SegmentFacts& facts_of(std::uint64_t token) const {
    return facts_[jobs_.last(slot_of(token)).task][segment_of(token)];
  }
  [[nodiscard]] Time delayed(Time time, Duration delay) const {
    return open_ended_ ? checked_add(time, delay) : saturating_add(time, delay);
  }

  void finished(const Completion& completion, Time now, sched::Events& events);
  void add_event(const Notice& notice, sched::Events& events) const;
  Notice end_part(std::uint64_t token);
  void tell_finished(std::uint64_t token, Time called, Time start, Time now);
  void make_room(std::uint32_t slot);
  [[nodiscard]] std::size_t place_of(sched::StreamId stream) const;
  StreamIndex stream_for(const sched::Submit& request, JobStream& job_stream);
  [[nodiscard]] Duration notice_delay(std::uint64_t token) const;
  void prepare_part(DelayedCall& call, const sched::Submit& request);
  [[nodiscard]] Duration with_copy_overhead(Duration length, std::uint64_t token) const;
  void cut_exclusive(TimedCall& call, const SegmentFacts& facts) const;
  bool stop_on_device(std::uint64_t token, Part& part, Time now);
  void call_device(const DelayedCall& call, Time now);
  void call_part(const DelayedCall& call, TimedCall timed, Time now);
  void remember_start(std::uint64_t token, Time start);

  void block_ran(std::uint64_t token, std::int64_t block, std::int32_t sm, Time start, Time end) override;
  void copy_ran(std::uint64_t token, std::int32_t engine, Time start, Time end) override;
  void cpu_ran(std::uint64_t token, std::int32_t core, Time start, Time end) override;

  const System& system_;
  const sched::Draws& draws_;
  trace::Fanout& trace_;
  bool open_ended_;
  std::vector<std::vector<SegmentFacts>> facts_;  // by task and segment
  std::vector<Overheads> overheads_;              // by task
  SimGpu gpu_;
  SimCpus cpus_;
  std::vector<StreamIndex> named_streams_;
  Agenda<DelayedCall> calls_;
  Agenda<Notice> notices_;  // events that the scheduler does not know of yet
  sched::JobMap<JobFacts> jobs_;
  sched::JobMap<JobStream> job_streams_;           // by own stream; the last: shared ones
  sched::JobMap<std::int32_t> stream_of_segment_;  // index of its named stream; -1: a stream of the job's own
  sched::JobMap<Part> parts_;                      // by segment; used only for work that strategies cut
  std::uint64_t parts_made_ = 0;
  std::vector<Completion> completions_;
};

}  // namespace tactus::device
