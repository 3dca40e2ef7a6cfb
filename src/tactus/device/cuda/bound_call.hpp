// Calls the function bound to a segment, which enqueues the work of a submission.
#pragma once

#include <cuda_runtime_api.h>

#include "tactus/device/cuda/job.hpp"
#include "tactus/device/cuda/lane_streams.hpp"
#include "tactus/device/cuda/loop_pool.hpp"
#include "tactus/device/cuda/stream_queues.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cuda {

/// All that a call needs. It refers to nothing that changes while the call is made, so another thread than
/// the engine's may make it.
struct BoundCall {
  tactus::Job::Facts facts;
  const SegmentWork* work = nullptr;
  const SmPlace* place = nullptr;
  cudaStream_t stream = nullptr;
  JobFacts* device_facts = nullptr;  // memory of this stream
  std::uint32_t loop_index = nothing;
  LoopPool::Loop* loop = nullptr;  // for the function, if it requests one; null: none is free
  bool continues = false;          // the loop has begun in an earlier submission
  bool is_cut = false;             // the scheduler cuts the kernel into parts
  bool has_taken_loop = false;     // set by the call, also if the function throws later

  /// Passes on exceptions of the function; FailureError when one of its CUDA calls failed.
  void operator()();
};

/// The job of a submission, as its function sees it.
tactus::Job::Facts facts_of(const device::Setup& setup, const StreamEntry& entry);
/// The same as kernels see it.
JobFacts device_facts_of(const tactus::Job::Facts& facts);

/// Calls the function of a segment for a job in a stream; see `BoundCall`.
void call_function(const SegmentWork& work, const tactus::Job::Facts& facts, const SmPlace& place,
                   cudaStream_t stream, JobServices& services);

/// The buffers of a bound copy. The user's function is called for the first submission; later ones continue
/// the same copy. Passes on exceptions of `ask_for_copy`.
MemoryCopy copy_of(const device::Setup& setup, const StreamEntry& entry, SegmentRow& row);

}  // namespace tactus::cuda
