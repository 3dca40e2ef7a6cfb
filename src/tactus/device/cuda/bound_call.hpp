// Calls the function bound to a segment, which enqueues the work of a submission.
#pragma once

#include <cuda_runtime_api.h>

#include "tactus/device/cuda/lane_streams.hpp"
#include "tactus/device/cuda/loop_pool.hpp"
#include "tactus/device/cuda/stream_queues.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cuda {

struct BoundCallContext {
  const device::Setup& setup;
  LoopPool& loops;
  const SmPlace& place;
};

/// Passes on exceptions of the function; FailureError when one of its CUDA calls failed. A loop that it
/// requests is that of the job's segment, and is used by this submission.
void call_bound(const BoundCallContext& context, StreamEntry& entry, SegmentRow& row, cudaStream_t stream);

/// The buffers of a bound copy. The user's function is called for the first submission; later ones continue
/// the same copy. Passes on exceptions of `ask_for_copy`.
MemoryCopy copy_of(const device::Setup& setup, const StreamEntry& entry, SegmentRow& row);

}  // namespace tactus::cuda
