// The device's side of resident work: waits for jobs and notes their ends. Included by block_loop.cuh. Like
// that file it uses only what a test can replace; global_time() is defined by the including file.
//
// Blocks of a launch agree on each job: the first that sees it due, or is asked to stop, decides for all.
#pragma once

#include "tactus/device/cuda/resident.hpp"

namespace tactus::cuda::detail {

/// Reads a value that others write concurrently: bypasses the cache of the SM, which is not coherent.
template <class Value>
__device__ Value read_now(const Value& value) {
  return *static_cast<const volatile Value*>(&value);
}
template <class Value>
__device__ void write_now(Value& place, Value value) {
  *static_cast<volatile Value*>(&place) = value;
}

constexpr unsigned none_begins = ~0U;
/// Closer to a release the host's memory is not read: that could make it late.
constexpr unsigned long long quiet_before_release_ns = 6'000;

/// For kernels that read them. Before the job begins.
__device__ inline void write_facts(const ResidentPace& pace, unsigned long long number) {
  if (pace.facts == nullptr) return;
  JobFacts& facts = *pace.facts;
  if (pace.period == 0) {
    facts.number = read_now(pace.control->facts.number);
    facts.release_ns = read_now(pace.control->facts.release_ns);
    facts.deadline_ns = read_now(pace.control->facts.deadline_ns);
  } else {
    facts.number = number;
    facts.release_ns = pace.offset + static_cast<long long>(number * pace.period);
    facts.deadline_ns = facts.release_ns + pace.deadline;
  }
  __threadfence();
}

/// What one thread of the launch does while nothing is due: it listens to the host.
class Listener {
 public:
  __device__ Listener(const ResidentPace& pace, unsigned blocks) : pace_{pace}, blocks_{blocks} {}

  /// True when the host wants no further job.
  __device__ bool hears_stop() {
    word_ = read_now(pace_.control->word);
    if (pace_.period == 0) return (word_ & 1ULL) != 0;
    if (word_ >> 1U != answered_) answer();
    return (word_ & 1ULL) != 0;
  }
  /// Of a doorbell, as the host last said.
  [[nodiscard]] __device__ unsigned long long rung() const { return word_ >> 1U; }

  /// Before the first job: says that all blocks are there, and asks for the first release.
  __device__ void begin() {
    ResidentState& state = *pace_.state;
    if (!is_ready_ && read_now(state.present) == blocks_) {
      is_ready_ = true;
      write_now(pace_.answer->ready, 1U);
    }
    const unsigned long long first = read_now(pace_.control->first);
    if (first == 0) return;
    state.first = first;
    if (pace_.period != 0) write_facts(pace_, 0);
    __threadfence();
    write_now(state.release, first);
  }

 private:
  __device__ void answer() {
    answered_ = word_ >> 1U;
    write_now(pace_.answer->time, global_time());
    __threadfence_system();
    write_now(pace_.answer->question, answered_);
    ResidentState& state = *pace_.state;
    if (read_now(state.release) == 0) return;
    state.first =
        read_now(pace_.control->first) + static_cast<unsigned long long>(read_now(pace_.control->shift));
    write_now(state.release, state.first + state.job * pace_.period);
  }

  const ResidentPace& pace_;
  unsigned blocks_;
  unsigned long long word_ = 0;
  unsigned long long answered_ = 0;
  bool is_ready_ = false;
};

/// Waits until the next job may begin; false when there is none any more. Called by one thread of each block
/// of the launch, with the number of jobs so far; all get the same answer. `listens`: the thread that hears
/// the host.
__device__ inline bool await_job(const ResidentPace& pace, unsigned round, bool listens, unsigned blocks) {
  ResidentState& state = *pace.state;
  if (round == 0) atomicAdd(&state.present, 1U);
  while (read_now(state.round) != round) {
  }
  __threadfence();
  Listener listener{pace, blocks};
  unsigned decision = round + 1;
  for (;;) {
    if (read_now(state.begun) != round) break;
    const unsigned long long release = read_now(state.release);
    const unsigned long long now = global_time();
    if (pace.period != 0 && release != 0 && now >= release) break;
    if (!listens) continue;
    if (release == 0) listener.begin();
    if (pace.period != 0 && release != 0 && release - now < quiet_before_release_ns) continue;
    if (listener.hears_stop()) {
      decision = none_begins;
      break;
    }
    if (pace.period == 0 && release != 0 && listener.rung() > read_now(state.job)) {
      write_facts(pace, 0);
      break;
    }
  }
  const unsigned before = atomicCAS(&state.begun, round, decision);
  if (before == round && decision != none_begins) state.start = global_time();
  __threadfence_system();  // what was written before the release is seen from here on
  return (before == round ? decision : before) == round + 1;
}

/// The job is over in all blocks. Called by one thread of the launch.
__device__ inline void end_job(const ResidentPace& pace) {
  ResidentState& state = *pace.state;
  const unsigned long long end = global_time();
  const unsigned long long number = state.job;
  ResidentRecord& record = pace.ring[state.records % pace.ring_size];
  write_now(record.sequence, 0ULL);
  __threadfence_system();
  write_now(record.number, number);
  write_now(record.start, read_now(state.start));
  write_now(record.end, end);
  __threadfence_system();
  write_now(record.sequence, ++state.records);
  const bool skips = pace.skip_after != 0 && end > state.release + pace.skip_after;
  state.job = number + (skips ? 2 : 1);
  if (pace.period != 0) write_facts(pace, state.job);
  if (pace.period != 0) write_now(state.release, state.first + state.job * pace.period);
  __threadfence();
  write_now(state.round, state.round + 1);
}

}  // namespace tactus::cuda::detail
