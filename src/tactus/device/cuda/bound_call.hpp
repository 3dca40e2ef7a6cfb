// Calls the function that is bound to a segment: it enqueues the work of a flight.
#pragma once

#include <cuda_runtime_api.h>

#include "tactus/device/cuda/job_rows.hpp"
#include "tactus/device/cuda/loop_pool.hpp"
#include "tactus/device/cuda/sm_place.hpp"
#include "tactus/device/cuda/stream_queues.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cuda {

struct BoundCallContext {
  const device::Setup& setup;
  LoopPool& loops;
  const SmPlace& place;
};

/// Throws what the function throws, and FailureError when one of its calls to CUDA failed. A loop that it
/// asks for is that of the job's segment, and belongs to the flight.
void call_bound(const BoundCallContext& context, StreamEntry& entry, JobRows::SegmentRow& row,
                cudaStream_t stream);

/// What the bound copy of a flight moves. The user's function is asked for the first part of it; the others
/// are of the same copy. Throws what `ask_for_copy` throws.
MemoryCopy copy_of(const device::Setup& setup, const StreamEntry& entry, JobRows::SegmentRow& row);

}  // namespace tactus::cuda
