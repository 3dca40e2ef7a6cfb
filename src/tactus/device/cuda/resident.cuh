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

/// Closer to a release only the clock is read: reading the host's memory could make the job late.
constexpr unsigned long long near_ns = 12'000;
/// After each job the host's questions are heard once, if there is so much time.
constexpr unsigned long long time_to_hear_ns = 6'000;
/// After so many jobs that followed each other too closely, its questions are heard nevertheless.
constexpr unsigned max_unheard = 8;

/// For kernels that read them. Before the job begins.
__device__ inline void write_facts(const ResidentPace& pace, unsigned long long number) {
  JobFacts& facts = *pace.facts;
  if (pace.period == 0) {
    fence_with_host();  // they were written before the word
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

__device__ inline ResidentWord read_word(const ResidentPace& pace, unsigned listener = 0) {
  return {read_now(pace.control->places[listener].word)};
}

/// Before the first job: says that all blocks are there, and waits for the first release. False when the host
/// wants no job at all.
__device__ inline bool await_first(const ResidentPace& pace, unsigned blocks) {
  ResidentState& state = *pace.state;
  bool is_ready = false;
  while (state.first == 0) {
    if (read_word(pace).stops()) return false;
    if (!is_ready && read_now(state.present) == blocks) {
      is_ready = true;
      write_now(pace.answer->ready, blocks);
    }
    state.first = read_now(pace.control->first);
  }
  if (pace.period != 0 && state.wants_facts != 0) write_facts(pace, 0);
  fence_on_device();
  write_now(state.release, state.first);
  return true;
}

/// Reads what the host says, and answers its questions. False when it wants no further job.
__device__ inline bool listen(const ResidentPace& pace) {
  ResidentState& state = *pace.state;
  const ResidentWord word = read_word(pace);
  state.unheard = 0;
  if (word.stops()) return false;
  if (word.count() == state.answered) return true;
  state.answered = word.count();
  write_now(pace.answer->time, global_time());
  fence_with_host();  // the shift was written before the word, and the time comes before the answer
  write_now(pace.answer->question, state.answered);
  state.first =
      read_now(pace.control->first) + static_cast<unsigned long long>(read_now(pace.control->shift));
  write_now(state.release, state.first + state.job * pace.period);
  return true;
}

/// Waits until this job is rung, or none is any more.
__device__ inline BegunWord await_ring(const ResidentPace& pace, unsigned job, unsigned listener) {
  for (;;) {
    const ResidentWord word = read_word(pace, listener);
    if (word.stops()) return {BegunWord::none};
    if (word.count() > job) return begun_word(job + 1, word.segment());
  }
}

/// Waits until the next release is near. Called by one thread of the launch, which hears the host. False when
/// there is no further job.
__device__ inline bool await_near(const ResidentPace& pace) {
  ResidentState& state = *pace.state;
  const bool has_time = global_time() + time_to_hear_ns < state.release;
  if ((++state.unheard > max_unheard || has_time) && !listen(pace)) return false;
  for (;;) {
    const unsigned long long release = state.release;
    const unsigned long long now = global_time();
    if (now + near_ns >= release) return true;
    if (!listen(pace)) return false;
  }
}

/// Waits until the next job is rung, or its release is near. Called by the thread that hears the host, of a
/// doorbell the first of them.
__device__ inline BegunWord await_next(const ResidentPace& pace, unsigned round, unsigned blocks) {
  constexpr BegunWord none{BegunWord::none};
  if (pace.state->first == 0 && !await_first(pace, blocks)) return none;
  if (pace.period != 0) return await_near(pace) ? begun_word(round + 1) : none;
  const bool wants_facts = pace.state->wants_facts != 0;  // read before the ring: it takes its time
  const BegunWord begun = await_ring(pace, round, 0);
  if (wants_facts && begun.jobs() != BegunWord::none) write_facts(pace, 0);
  return begun;
}

__device__ inline void await_release(const ResidentPace& pace) {
  if (pace.period == 0) return;
  const unsigned long long release = read_now(pace.state->release);
  while (global_time() < release) {
  }
}

/// The same for the other blocks. False when another block has decided already.
__device__ inline bool await_near_quietly(const ResidentPace& pace, unsigned round) {
  ResidentState& state = *pace.state;
  while (BegunWord{read_now(state.begun)}.jobs() == round) {
    const unsigned long long release = read_now(state.release);
    if (release != 0 && global_time() + near_ns >= release) return true;
  }
  return false;
}

/// Waits until the release, or for the decision that no job begins any more.
__device__ inline BegunWord await_released(const ResidentPace& pace, unsigned round, bool listens,
                                           unsigned blocks) {
  BegunWord decision = begun_word(round + 1);
  if (listens) {
    decision = await_next(pace, round, blocks);
  } else if (!await_near_quietly(pace, round)) {
    return decision;  // too late: the caller reads what was decided
  }
  if (decision.jobs() != BegunWord::none) await_release(pace);
  return decision;
}

/// How many blocks listen for a ring. Before the first job one of them does more than that, and facts are
/// written by the one that begins the job.
__device__ inline unsigned listeners_of(const ResidentPace& pace, unsigned round) {
  return round == 0 || pace.state->wants_facts != 0 ? 1 : ResidentControl::listeners;
}

/// Waits until another block has begun the next job, or none begins any more.
__device__ inline BegunWord await_begun(const ResidentPace& pace, unsigned round) {
  BegunWord begun{};
  do {
    begun.bits = acquire_now(&pace.state->begun);
  } while (begun.jobs() == round);
  return begun;
}

/// Waits until the next job begins, or none does any more. Called by one thread of each block of the launch,
/// with what it heard last; all get the same answer, and see from then on what was written before the
/// release. `rank`: of the block; the first hears the host.
__device__ inline BegunWord await_job(const ResidentPace& pace, BegunWord last, unsigned rank,
                                      unsigned blocks) {
  ResidentState& state = *pace.state;
  const unsigned round = last.jobs();
  const bool is_rung = pace.period == 0;
  if (round == 0) atomicAdd(&state.present, 1U);
  while (read_now(state.round) != round) {
  }
  fence_on_device();
  if (is_rung && rank >= listeners_of(pace, round)) return await_begun(pace, round);
  BegunWord decision{};
  if (is_rung) {
    decision = rank == 0 ? await_next(pace, round, blocks) : await_ring(pace, round, rank);
  } else {
    decision = await_released(pace, round, rank == 0, blocks);
  }
  // Whoever sees it first begins the job for all, unless it has been decided that none begins.
  const BegunWord before{acquire_if_equal(&state.begun, last.bits, decision.bits)};
  if (before.jobs() != round) return before;
  if (!is_rung && decision.jobs() != BegunWord::none) state.start = global_time();
  return decision;
}

/// A block has done its part of a rung job: tells the host, which waits. Called by one thread of each block.
__device__ inline void tell_done(const ResidentPace& pace, unsigned round, unsigned block) {
  release_to_host(&pace.done[block], round + 1);
}

/// A job that the clock released is over in all blocks. Called by one thread of the launch, which has heard
/// of all of them. False when the host wants no further job: so also jobs that follow each other at once
/// leave it a word between them.
__device__ inline bool note_end(const ResidentPace& pace, unsigned round) {
  const unsigned long long end = global_time();
  const ResidentWord heard = read_word(pace);  // on its way while the fence waits
  ResidentRecord done{};
  done.number = pace.state->job;
  done.release = read_now(pace.state->release);
  done.start = read_now(pace.state->start);
  done.end = end;
  done.sequence = round + 1ULL;
  // Others' results are seen here, and those in the host's memory come before the record.
  fence_with_host();
  ResidentRecord& record = pace.ring[round % pace.ring_size];
  write_now(record.number, done.number);
  write_now(record.release, done.release);
  write_now(record.start, done.start);
  write_now(record.end, done.end);
  write_now(record.check, check_of(done));
  write_now(record.sequence, done.sequence);
  const bool skips = pace.skip_after != 0 && end > done.release + pace.skip_after;
  pace.state->job = done.number + (skips ? 2 : 1);
  return !heard.stops();
}

/// After this job none begins any more.
__device__ inline void begin_none(const ResidentPace& pace, unsigned round) {
  acquire_if_equal(&pace.state->begun, begun_word(round + 1).bits, begun_word(BegunWord::none).bits);
}

/// Lets the blocks wait for the next job.
__device__ inline void go_to_next(const ResidentPace& pace, unsigned round) {
  ResidentState& state = *pace.state;
  if (pace.period != 0) {
    if (state.wants_facts != 0) write_facts(pace, state.job);
    write_now(state.release, state.first + state.job * pace.period);
  }
  fence_on_device();
  write_now(state.round, round + 1);
}

}  // namespace tactus::cuda::detail
