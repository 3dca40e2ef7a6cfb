// The CUDA device: streams with priorities, partitions of the SMs, and kernels that can be stopped.
//
// One thread uses it. `submit` makes the calls to CUDA right there, and completion is seen in words of the
// host's memory that the device writes, so that nothing waits for another thread. `cpu` segments go to a host
// device of its own.
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
  /// As CUDA counts.
  int device = 0;
  /// What GPU work that is not bound does.
  cuda::BuiltinKernel kernel = cuda::BuiltinKernel::spin;
  /// How often built-in work that is preemptible anywhere can be stopped.
  Duration yield_interval = std::chrono::microseconds{20};
  cuda::Coscheduling coscheduling = cuda::Coscheduling::ignored;
  /// Where the device cannot be split, pinning takes the place of partitions.
  cuda::SmSetsBy sm_sets_by = cuda::SmSetsBy::partitions;
  /// `wait` sleeps until so long before its instant, then watches the clock.
  Duration spin = std::chrono::microseconds{200};
  /// While the GPU has work `wait` watches for its end all the time; else it looks now and then.
  bool spins_while_busy = true;
  /// Copies that something more urgent may overtake are made in chunks of so many bytes.
  std::int64_t copy_chunk = std::int64_t{1} << 20U;
  /// Streams for jobs that have one of their own, for each lane.
  std::size_t own_streams = 32;
  /// Submissions that may be in the streams at once.
  std::size_t max_entries = std::size_t{1} << 14U;
  /// How long `close` waits for what is under way.
  Duration patience = std::chrono::seconds{10};
  /// CPU segments run under SCHED_FIFO where that is permitted.
  bool real_time = true;
};

/// FailureError when the machine has no such device. Unless the environment says otherwise, and CUDA has not
/// started yet, the hardware is given as many queues as it can have (CUDA_DEVICE_MAX_CONNECTIONS), and all
/// kernels of the program are loaded at the start (CUDA_MODULE_LOADING).
std::unique_ptr<Device> make_cuda_device(const CudaOptions& options = {});

}  // namespace tactus::device
