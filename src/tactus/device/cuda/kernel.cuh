// The device side of Tactus. A kernel that takes its block index from for_each_block instead of blockIdx can
// run as a plain grid, pinned to SMs, as V virtual SMs per SM, and in a way that it can be stopped between
// blocks and continued later.
//
//   template <class Loop>
//   __global__ void scale(Loop loop, float* values, int count, float factor) {
//     tactus::cuda::for_each_block(loop, [&](tactus::cuda::BlockIndex block) {
//       const int i = block.x * blockDim.x + threadIdx.x;
//       if (i < count) values[i] *= factor;
//     });
//   }
//
// Rules for such a kernel:
// - All threads of a block call for_each_block, once.
// - A thread may return from the body early, but then the rest of its block must not meet at __syncthreads()
//   in that body: nor is that allowed in a plain kernel.
// - Blocks of the work are independent of each other: any order, any block on any SM, as CUDA demands anyway.
// - Shared memory holds what an earlier block of the work left there.
// - Nothing needs to be said about blocks that a stop finds at work: they run to their end.
#pragma once

#include "tactus/device/cuda/sm_clock.cuh"
// The order matters: the loop uses sm_id().
#include "tactus/device/cuda/block_loop.cuh"
