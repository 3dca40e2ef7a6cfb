// The loop over blocks: include kernel.cuh, which has its rules. This file uses nothing of CUDA but what a
// test can stand in for, so that the loop runs on a machine without a GPU, too: sm_id() and global_time()
// come from who includes it.
#pragma once

#include "tactus/device/cuda/block_loop.hpp"

namespace tactus::cuda {

/// A block of the work: what blockIdx and gridDim are in a plain kernel.
struct BlockIndex {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
  dim3 grid;
  unsigned long long linear = 0;  // x first, then y, then z
};

/// When the next block is taken: `when_needed` asks for a stop and takes the next block after the last one
/// has ended. `ahead` takes it while the last one runs and asks for a stop after it; a block taken in vain is
/// given back.
enum class Taking { when_needed, ahead };

namespace detail {

constexpr unsigned long long no_block = ~0ULL;

/// Reads what others write meanwhile: past the SM's own cache, from where all SMs and the copy engines meet.
template <class Value>
__device__ Value read_now(const Value& value) {
  return *static_cast<const volatile Value*>(&value);
}

__device__ inline bool is_leader() { return threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0; }

__device__ inline BlockIndex index_of(unsigned long long linear, const dim3& grid) {
  BlockIndex block;
  block.grid = grid;
  block.linear = linear;
  if (grid.y == 1 && grid.z == 1) {
    block.x = static_cast<unsigned>(linear);
  } else if (linear >> 32 == 0) {  // a 64-bit division takes several times as long
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

/// Keeps a block for a later launch. There is always room: a block of a launch gives back at most one, and
/// takes one of those before it takes a new one.
__device__ inline void give_back(ReturnedBlocks& returned, unsigned long long block) {
  const unsigned long long place = atomicAdd(&returned.pushed, 1ULL);
  atomicExch(&returned.entries[place % ReturnedBlocks::capacity], block + 1);
}

__device__ inline unsigned long long take_returned(ReturnedBlocks& returned) {
  for (;;) {
    const unsigned long long place = read_now(returned.popped);
    if (place >= read_now(returned.pushed)) return no_block;
    if (atomicCAS(&returned.popped, place, place + 1) != place) continue;
    unsigned long long entry = 0;
    do {  // who gave it back may be about to write it
      entry = atomicExch(&returned.entries[place % ReturnedBlocks::capacity], 0ULL);
    } while (entry == 0);
    return entry - 1;
  }
}

/// What the threads of a block share about the loop. In shared memory rather than in registers: those are the
/// body's.
struct LoopPlace {
  // Two: while slow threads still read the one, the first thread writes the other, so one barrier a block is
  // enough.
  unsigned long long upcoming[2];
  unsigned piece;    // from which the block of the launch takes now
  unsigned used_up;  // pieces that it found empty
};

__device__ inline bool stop_requested(const BlockLoop& loop) {
  return read_now(loop.state->stop) == loop.launch;
}

/// Asks for the next block of the current piece. Nothing waits for the answer before it is used.
__device__ inline unsigned long long ask(const BlockLoop& loop, const LoopPlace& place) {
  return atomicAdd(&loop.state->next[place.piece], 1ULL);
}

/// The block that the answer means, or none: then the piece is used up.
__device__ inline unsigned long long block_of(const BlockLoop& loop, const LoopPlace& place,
                                              unsigned long long answer) {
  const unsigned long long block = place.piece * loop.piece_blocks + answer;
  return answer < loop.piece_blocks && block < loop.blocks ? block : no_block;
}

/// The block that the answer means, or else one of another piece, or else one that was given back.
__device__ inline unsigned long long resolve(const BlockLoop& loop, LoopPlace& place,
                                             unsigned long long answer) {
  for (;;) {
    const unsigned long long block = block_of(loop, place, answer);
    if (block != no_block) return block;
    if (++place.used_up >= loop.pieces) return take_returned(loop.state->returned);
    place.piece = place.piece + 1 == loop.pieces ? 0 : place.piece + 1;
    answer = ask(loop, place);
  }
}

/// Blocks that were given back come first, so that they do not pile up.
__device__ inline unsigned long long take_first(const BlockLoop& loop, LoopPlace& place) {
  const unsigned long long block = take_returned(loop.state->returned);
  return block != no_block ? block : resolve(loop, place, ask(loop, place));
}

/// The block after the one that just ended. With taking ahead the answer is there already.
template <Taking taking>
__device__ unsigned long long take_next(const BlockLoop& loop, LoopPlace& place, unsigned long long answer) {
  if (!stop_requested(loop)) return resolve(loop, place, taking == Taking::ahead ? answer : ask(loop, place));
  if (taking == Taking::ahead) {
    const unsigned long long block = block_of(loop, place, answer);
    if (block != no_block) give_back(loop.state->returned, block);
  }
  return no_block;
}

/// Called by the first thread of every block of the launch as its last act. The last one to call it tells the
/// host, and makes the state ready for the next launch.
__device__ inline void leave(const BlockLoop& loop) {
  LoopState& state = *loop.state;
  __threadfence();  // what this block did comes before its leaving, for whoever sees that it left
  if (atomicAdd(&state.left, 1U) + 1 != gridDim.x * gridDim.y * gridDim.z) return;
  __threadfence();
  const unsigned long long done = read_now(state.done);
  state.left = 0;
  state.placed = 0;
  if (loop.virtual_sms != 0) {
    for (unsigned word = 0; word < SmSet::words; ++word) {
      for (unsigned bits = loop.sms.bits[word]; bits != 0; bits &= bits - 1) {
        state.arrived[32 * word + static_cast<unsigned>(__ffs(static_cast<int>(bits)) - 1)] = 0;
      }
    }
  }
  if (done == loop.blocks) {  // the job is finished: the next launch begins the next job
    for (unsigned long long& next : state.next) next = 0;
    state.done = 0;
  }
  if (loop.report == nullptr) return;
  __threadfence_system();
  *static_cast<volatile unsigned long long*>(&loop.report->done) = done;
  __threadfence_system();
  *static_cast<volatile unsigned int*>(&loop.report->launch) = loop.launch;
}

/// Waits on an SM that was not chosen until the chosen ones have what they should.
__device__ inline void hold_place(const BlockLoop& loop) {
  if (loop.hold_ns == 0) return;
  const unsigned long long begin = global_time();
  while (read_now(loop.state->placed) < loop.wanted && global_time() - begin < loop.hold_ns) __nanosleep(100);
}

constexpr unsigned not_here = ~0U;

/// The piece in which a block of the launch begins, or `not_here` if it must not work on this SM. First
/// thread only.
__device__ inline unsigned find_piece(const BlockLoop& loop) {
  const unsigned sm = sm_id();
  unsigned piece = not_here;
  if (loop.sms.contains(sm)) {
    piece = loop.virtual_sms == 0 ? 0 : atomicAdd(&loop.state->arrived[sm], 1U);
    if (piece >= loop.pieces) piece = not_here;
  }
  if (piece == not_here) {
    hold_place(loop);
  } else if (loop.hold_ns != 0) {
    atomicAdd(&loop.state->placed, 1U);
  }
  return piece;
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

/// Calls the body for blocks of the work until none is left or a stop was requested. Over all launches on the
/// state, every block of the work is handed out exactly once. See the rules at the top.
template <Taking taking = Taking::ahead, class Body>
__device__ void for_each_block(const BlockLoop& loop, Body&& body) {
  __shared__ detail::LoopPlace place;
  const bool leader = detail::is_leader();
  if (leader) {
    place.piece = detail::find_piece(loop);
    place.used_up = 0;
    const bool works = place.piece != detail::not_here && !detail::stop_requested(loop);
    place.upcoming[0] = works ? detail::take_first(loop, place) : detail::no_block;
  }
  __syncthreads();
  for (unsigned turn = 0;; turn ^= 1U) {
    const unsigned long long number = place.upcoming[turn];
    if (number == detail::no_block) break;
    unsigned long long answer = 0;
    if (taking == Taking::ahead && leader) answer = detail::ask(loop, place);
    body(detail::index_of(number, loop.grid));
    if (leader) place.upcoming[turn ^ 1U] = detail::take_next<taking>(loop, place, answer);
    __syncthreads();
    // Only now have all threads ended the block. Nothing waits for this addition.
    if (leader) atomicAdd(&loop.state->done, 1ULL);
  }
  if (leader) detail::leave(loop);
}

}  // namespace tactus::cuda
