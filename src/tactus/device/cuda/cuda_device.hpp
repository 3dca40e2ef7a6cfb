// The CUDA device: streams with priorities, partitions of the SMs, and kernels that can be stopped.
//
// Used by one thread. `submit` calls CUDA directly, and completions are read from words in host memory that
// the device writes, so that no other thread is involved. `cpu` segments run on a host device that belongs to
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tactus/base/time.hpp"
#include "tactus/device/cuda/builtin_kernels.hpp"
#include "tactus/device/cuda/partition.hpp"
#include "tactus/device/device.hpp"

namespace tactus::device {

struct CudaOptions {
  /// Device index, as in CUDA.
  int device = 0;
  /// The kernel for GPU work without a binding.
  cuda::BuiltinKernel kernel = cuda::BuiltinKernel::spin;
  /// The granularity at which built-in work that is preemptible anywhere can be stopped.
  Duration yield_interval = std::chrono::microseconds{20};
  cuda::Coscheduling coscheduling = cuda::Coscheduling::ignored;
  /// Pinning is also used where the device cannot be partitioned, or not into sets of the sizes asked for.
  cuda::SmSetsBy sm_sets_by = cuda::SmSetsBy::partitions;
  /// `wait` sleeps until this long before its instant, then spins.
  Duration spin = std::chrono::microseconds{200};
  /// While the GPU has work, `wait` spins until its end; otherwise it polls periodically.
  bool spins_while_busy = true;
  /// The chunk size, in bytes, of copies that more urgent ones may have to overtake.
  std::int64_t copy_chunk = std::int64_t{1} << 20U;
  /// Streams per lane for jobs that have a stream of their own.
  std::size_t own_streams = 32;
  /// The largest number of submissions in the streams.
  std::size_t max_entries = std::size_t{1} << 14U;
  /// How long `close` waits for work in flight.
  Duration patience = std::chrono::seconds{10};
  /// CPU segments run under SCHED_FIFO where permitted.
  bool real_time = true;
};

/// FailureError when the machine has no such device. Unless the environment sets them, or CUDA has started
/// already, this sets CUDA_DEVICE_MAX_CONNECTIONS to the largest number of hardware queues and
/// CUDA_MODULE_LOADING to load all kernels at the start.
std::unique_ptr<Device> make_cuda_device(const CudaOptions& options = {});

}  // namespace tactus::device
