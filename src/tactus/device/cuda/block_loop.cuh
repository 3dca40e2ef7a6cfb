// The loop over blocks. Include kernel.cuh, which has its rules. This file uses only features of CUDA that a
// test can replace, so that the loop also runs on a machine without a GPU; sm_id() and global_time() are
// defined by the including file, and so are the fences.
#pragma once

#include "tactus/device/cuda/block_loop.hpp"
#include "tactus/device/cuda/resident.cuh"

namespace tactus::cuda {

/// A block of the work: the counterpart of blockIdx and gridDim in a plain kernel.
struct BlockIndex {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
  dim3 grid;
  unsigned long long linear = 0;  // x first, then y, then z
  unsigned segment = 0;           // of a task that is rung: which of its GPU segments
};

namespace detail {

constexpr unsigned long long no_block = ~0ULL;

__device__ inline bool is_leader() { return threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0; }

__device__ inline BlockIndex index_of(unsigned long long linear, const dim3& grid) {
  BlockIndex block;
  block.grid = grid;
  block.linear = linear;
  if (grid.y == 1 && grid.z == 1) {
    block.x = static_cast<unsigned>(linear);
  } else if (linear >> 32 == 0) {  // a 64-bit division is several times slower
    const unsigned number = static_cast<unsigned>(linear);
    const unsigned row = number / grid.x;
    block.x = number % grid.x;
    block.y = row % grid.y;
    block.z = row / grid.y;
  } else {
    const unsigned long long row = linear / grid.x;
    block.x = static_cast<unsigned>(linear % grid.x);
    block.y = static_cast<unsigned>(row % grid.y);
    block.z = static_cast<unsigned>(row / grid.y);
  }
  return block;
}

/// The state of the loop that the threads of a block share. In shared memory, to leave the registers to the
/// body.
struct LoopPlace {
  // Double-buffered: while slow threads still read one value, the first thread writes the other. So one
  // barrier per block suffices.
  unsigned long long upcoming[2];
  unsigned home;     // the piece in which the block of the launch starts every job
  unsigned piece;    // that it takes from now
  unsigned used_up;  // pieces that it found empty
  BegunWord begun;   // the job to do, or none any more
  unsigned rank;     // of the block among those that stay; where not all of the launch do
};

/// The number of blocks in a piece.
__device__ inline unsigned long long size_of_piece(const BlockLoop& loop, unsigned piece) {
  const unsigned long long begin = piece * loop.piece_blocks;
  const unsigned long long rest = begin < loop.blocks ? loop.blocks - begin : 0;
  return rest < loop.piece_blocks ? rest : loop.piece_blocks;
}

/// Takes the next block, from another piece when its own is exhausted. A block that was taken must be run: so
/// after a launch, exactly the blocks that were handed out have run.
__device__ inline unsigned long long take(const BlockLoop& loop, LoopPlace& place) {
  for (;;) {
    const unsigned long long answer = atomicAdd(&loop.state->next[place.piece], 1ULL);
    if (answer < size_of_piece(loop, place.piece)) return place.piece * loop.piece_blocks + answer;
    if (++place.used_up >= loop.pieces) return no_block;
    place.piece = place.piece + 1 == loop.pieces ? 0 : place.piece + 1;
  }
}

__device__ inline unsigned blocks_launched() { return gridDim.x * gridDim.y * gridDim.z; }

/// The blocks of the launch that do a job together.
__device__ inline unsigned blocks_of(const BlockLoop& loop) {
  return loop.staying == 0 ? blocks_launched() : loop.staying;
}

/// Whether each block of this launch takes one block of the work, and no more for this job.
__device__ inline bool takes_one(const BlockLoop& loop) {
  return (loop.anywhere || loop.staying != 0) && blocks_of(loop) >= loop.blocks;
}

/// Whether a resident launch has a block for each block of the work: then nothing needs to be asked for.
__device__ inline bool has_own_block(const BlockLoop& loop) { return loop.is_resident() && takes_one(loop); }

/// Checks for a stop first, because a block that was taken cannot be given back. Resident work stops between
/// jobs.
__device__ inline unsigned long long take_unless_stopped(const BlockLoop& loop, LoopPlace& place) {
  if (loop.is_resident()) return take(loop, place);
  return read_now(loop.state->stop) == loop.launch ? no_block : take(loop, place);
}

/// The number of this block among those of the launch that do a job together.
__device__ inline unsigned rank_of(const BlockLoop& loop, const LoopPlace& place) {
  if (loop.staying != 0) return place.rank;
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

__device__ inline unsigned long long own_block(const BlockLoop& loop, const LoopPlace& place) {
  const unsigned rank = rank_of(loop, place);
  return rank < loop.blocks ? rank : no_block;
}

__device__ inline void forget_arrivals(const BlockLoop& loop) {
  for (unsigned word = 0; word < SmSet::words; ++word) {
    for (unsigned bits = loop.sms.bits[word]; bits != 0; bits &= bits - 1) {
      loop.state->arrived[32 * word + static_cast<unsigned>(__ffs(static_cast<int>(bits)) - 1)] = 0;
    }
  }
}

/// Called by the first thread of every block that does the job, as its last action for it. The last caller
/// reports to the host and resets the state for the next job or launch.
__device__ inline void leave(const BlockLoop& loop, const LoopPlace& place, unsigned job) {
  LoopState& state = *loop.state;
  if (loop.is_rung()) {
    tell_done(loop.pace, job, rank_of(loop, place));
  } else {
    fence_on_device();  // makes the results of this block visible before its exit
  }
  if (atomicAdd(&state.left, 1U) + 1 != blocks_of(loop)) return;
  if (loop.is_resident()) {
    // Before others are let go: none of them begins a further job then.
    if (!loop.is_rung() && !note_end(loop.pace, job)) begin_none(loop.pace, job);
    state.left = 0;
    for (unsigned piece = 0; piece < loop.pieces; ++piece) state.next[piece] = 0;
    go_to_next(loop.pace, job);
    return;
  }
  fence_on_device();
  state.left = 0;
  if (loop.most.between != 0) forget_arrivals(loop);
  unsigned long long done = 0;
  for (unsigned piece = 0; piece < loop.pieces; ++piece) {
    const unsigned long long asked = read_now(state.next[piece]);
    const unsigned long long size = size_of_piece(loop, piece);
    done += asked < size ? asked : size;
  }
  if (done == loop.blocks) {  // the job is finished: the next launch starts the next job
    for (unsigned piece = 0; piece < loop.pieces; ++piece) state.next[piece] = 0;
  }
  if (loop.report == nullptr) return;
  __threadfence_system();
  *static_cast<volatile unsigned long long*>(&loop.report->done) = done;
  __threadfence_system();
  *static_cast<volatile unsigned int*>(&loop.report->launch) = loop.launch;
}

constexpr unsigned not_here = ~0U;

/// The most blocks of the launch on an SM.
__device__ inline unsigned most_on(const BlockLoop& loop, unsigned sm) {
  if (sm == loop.first_sm) return loop.most.first;
  return sm == loop.last_sm ? loop.most.last : loop.most.between;
}

/// Finds the piece in which a block of the launch starts, or `not_here` if it must not run on this SM. First
/// thread only.
__device__ inline void arrive(const BlockLoop& loop, LoopPlace& place) {
  place.home = 0;
  place.begun = begun_word(0);
  if (loop.staying == 0 && has_own_block(loop)) return;
  const unsigned sm = sm_id();
  place.home = not_here;
  if (!loop.sms.contains(sm)) return;
  place.home = 0;
  if (loop.most.between == 0) return;
  const unsigned before = atomicAdd(&loop.state->arrived[sm], 1U);
  place.home = before < most_on(loop, sm) ? before % loop.pieces : not_here;
  if (loop.staying != 0 && place.home != not_here) place.rank = atomicAdd(&loop.state->stayed, 1U);
}

/// Whether the block of a resident launch does not stay.
__device__ inline bool strays(const BlockLoop& loop, const LoopPlace& place) {
  return loop.staying != 0 && place.home == not_here;
}

/// Waits until there is a job to do, or none any more.
__device__ inline BegunWord await_begin(const BlockLoop& loop, unsigned job, const LoopPlace& place) {
  if (strays(loop, place)) return {BegunWord::none};
  if (!loop.is_resident()) return begun_word(job + 1);
  return await_job(loop.pace, place.begun, rank_of(loop, place), blocks_of(loop));
}

/// Begins a job and takes the first block of it. First thread only. What can be known before the job begins
/// is done before: its own block.
__device__ inline void begin_job(const BlockLoop& loop, unsigned job, LoopPlace& place) {
  place.piece = place.home;
  place.used_up = 0;
  const bool has_own = has_own_block(loop);
  place.upcoming[0] = has_own ? own_block(loop, place) : no_block;
  place.begun = await_begin(loop, job, place);
  const bool works = place.begun.jobs() == job + 1 && place.home != not_here;
  if (!has_own && works) place.upcoming[0] = take_unless_stopped(loop, place);
}

}  // namespace detail

template <class Body>
__device__ void for_each_block(const PlainGrid&, Body&& body) {
  BlockIndex block;
  block.x = blockIdx.x;
  block.y = blockIdx.y;
  block.z = blockIdx.z;
  block.grid = gridDim;
  block.linear =
      blockIdx.x + gridDim.x * (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  body(block);
}

/// Calls the body for blocks of the work until none is left or a stop is requested. Over all launches with
/// the same state, every block of the work is handed out exactly once. A resident launch does so for one job
/// after the other. Rules: kernel.cuh.
template <class Body>
__device__ void for_each_block(const BlockLoop& loop, Body&& body) {
  __shared__ detail::LoopPlace place;
  const bool leader = detail::is_leader();
  if (leader) detail::arrive(loop, place);
  for (unsigned job = 0;; ++job) {
    if (leader) detail::begin_job(loop, job, place);
    __syncthreads();
    if (place.begun.jobs() != job + 1) return;
    for (unsigned turn = 0;; turn ^= 1U) {
      const unsigned long long number = place.upcoming[turn];
      if (number == detail::no_block) break;
      BlockIndex block = detail::index_of(number, loop.grid);
      block.segment = place.begun.segment();
      body(block);
      const bool has_more = !detail::takes_one(loop);
      if (leader && has_more) place.upcoming[turn ^ 1U] = detail::take_unless_stopped(loop, place);
      __syncthreads();
      if (!has_more) break;
    }
    if (leader) detail::leave(loop, place, job);
    if (!loop.is_resident()) return;
    __syncthreads();  // until then slow threads may read what the first thread writes for the next job
  }
}

}  // namespace tactus::cuda
