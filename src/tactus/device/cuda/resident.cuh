// The device's side of resident work: waits for jobs and notes their ends. Included by block_loop.cuh. Like
// that file it uses only what a test can replace; global_time(), the fences and sm_id() are defined by the
// including file.
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
/// Closer to a release only the clock is read: reading the host's memory could make the job late.
constexpr unsigned long long near_ns = 12'000;
/// After so many jobs that followed each other too closely, the host is heard nevertheless.
constexpr unsigned max_unheard = 8;

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
  fence_on_device();
}

/// Before the first job: says that all blocks are there, and waits for the first release. False when the host
/// wants no job at all.
__device__ inline bool await_first(const ResidentPace& pace, unsigned blocks) {
  ResidentState& state = *pace.state;
  bool is_ready = false;
  while (state.first == 0) {
    if ((read_now(pace.control->word) & 1ULL) != 0) return false;
    if (!is_ready && read_now(state.present) == blocks) {
      is_ready = true;
      write_now(pace.answer->ready, 1U);
    }
    state.first = read_now(pace.control->first);
  }
  if (pace.period != 0) write_facts(pace, 0);
  fence_on_device();
  write_now(state.release, state.first);
  return true;
}

/// Reads what the host says, and answers its questions. False when it wants no further job.
__device__ inline bool listen(const ResidentPace& pace) {
  ResidentState& state = *pace.state;
  const unsigned long long word = read_now(pace.control->word);
  state.unheard = 0;
  if ((word & 1ULL) != 0) return false;
  if (word >> 1U == state.answered) return true;
  state.answered = word >> 1U;
  write_now(pace.answer->time, global_time());
  release_to_host();
  write_now(pace.answer->question, state.answered);
  state.first =
      read_now(pace.control->first) + static_cast<unsigned long long>(read_now(pace.control->shift));
  write_now(state.release, state.first + state.job * pace.period);
  return true;
}

/// Waits until a job is rung, or the next release is near. Called by one thread of the launch, which hears
/// the host. False when there is no further job.
__device__ inline bool await_near(const ResidentPace& pace, unsigned blocks) {
  ResidentState& state = *pace.state;
  if (state.first == 0 && !await_first(pace, blocks)) return false;
  if (pace.period == 0) {
    const unsigned long long job = state.job;
    for (;;) {
      const unsigned long long word = read_now(pace.control->word);
      if ((word & 1ULL) != 0) return false;
      if (word >> 1U > job) break;
    }
    write_facts(pace, 0);
    return true;
  }
  if (++state.unheard > max_unheard && !listen(pace)) return false;
  for (;;) {
    const unsigned long long release = state.release;
    const unsigned long long now = global_time();
    if (now + near_ns >= release) return true;
    if (!listen(pace)) return false;
  }
}

__device__ inline void await_release(const ResidentPace& pace) {
  if (pace.period == 0) return;
  const unsigned long long release = read_now(pace.state->release);
  while (global_time() < release) {
  }
}

/// The same for the other blocks: until the next job has begun or its release is near.
__device__ inline void await_near_quietly(const ResidentPace& pace, unsigned round) {
  ResidentState& state = *pace.state;
  while (read_now(state.begun) == round) {
    const unsigned long long release = read_now(state.release);
    if (release != 0 && global_time() + near_ns >= release) return;
  }
}

/// Whoever sees the release first begins the job for all, unless it has been decided that none begins.
__device__ inline bool begin_at_release(const ResidentPace& pace, unsigned round, bool listens,
                                        unsigned blocks) {
  ResidentState& state = *pace.state;
  unsigned decision = round + 1;
  if (!listens) {
    await_near_quietly(pace, round);
  } else if (!await_near(pace, blocks)) {
    decision = none_begins;
  }
  if (decision != none_begins) await_release(pace);
  const unsigned before = atomicCAS(&state.begun, round, decision);
  if (before == round && decision != none_begins) state.start = global_time();
  return (before == round ? decision : before) == round + 1;
}

/// Only the thread that hears the host knows that a job was rung.
__device__ inline bool begin_when_rung(const ResidentPace& pace, unsigned round, bool listens,
                                       unsigned blocks) {
  ResidentState& state = *pace.state;
  if (!listens) {
    unsigned begun = round;
    while (begun == round) begun = read_now(state.begun);
    return begun == round + 1;
  }
  const bool goes_on = await_near(pace, blocks);
  write_now(state.begun, goes_on ? round + 1 : none_begins);
  state.start = global_time();
  return goes_on;
}

/// Waits until the next job begins; false when there is none any more. Called by one thread of each block of
/// the launch, with the number of jobs so far; all get the same answer. `listens`: the thread that hears the
/// host.
__device__ inline bool await_job(const ResidentPace& pace, unsigned round, bool listens, unsigned blocks) {
  ResidentState& state = *pace.state;
  if (round == 0) atomicAdd(&state.present, 1U);
  while (read_now(state.round) != round) {
  }
  fence_on_device();
  const bool begins = pace.period == 0 ? begin_when_rung(pace, round, listens, blocks)
                                       : begin_at_release(pace, round, listens, blocks);
  acquire_from_host();  // what was written before the release is seen from here on
  return begins;
}

/// The job is over in all blocks. Called by one thread of the launch.
__device__ inline void end_job(const ResidentPace& pace) {
  ResidentState& state = *pace.state;
  const unsigned long long end = global_time();
  const unsigned long long number = state.job;
  const unsigned long long start = read_now(state.start);
  release_to_host();  // results of the job that lie in the host's memory come before its record
  ResidentRecord& record = pace.ring[state.records % pace.ring_size];
  const unsigned long long sequence = ++state.records;
  write_now(record.number, number);
  write_now(record.start, start);
  write_now(record.end, end);
  write_now(record.check, check_of(sequence, number, start, end));
  write_now(record.sequence, sequence);
  const bool skips = pace.skip_after != 0 && end > state.release + pace.skip_after;
  state.job = number + (skips ? 2 : 1);
  if (pace.period != 0) {
    write_facts(pace, state.job);
    write_now(state.release, state.first + state.job * pace.period);
  }
  fence_on_device();
  write_now(state.round, state.round + 1);
}

}  // namespace tactus::cuda::detail
