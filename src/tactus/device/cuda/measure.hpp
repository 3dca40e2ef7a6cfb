// Measures how long GPU work takes on a part of the device: user kernels or built-in ones.
//
//   const auto enqueue = [&](const tactus::cuda::WorkPlace& place) {
//     blur<<<blocks, 256, 0, place.stream>>>(image);      // or a library that takes a stream
//   };
//   const std::vector<int> sms{8, 16, 32};
//   for (const auto& [count, times] : tactus::cuda::measure_against_sms(0, sms, enqueue)) ...
//
// The device's clock is read right before and right after the work in the same stream, so host time is not
// included. The result includes two switches between kernels, so it is slightly too long rather than too
// short.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/watch.hpp"
#include "tactus/device/cuda/builtin_kernels.hpp"
#include "tactus/device/cuda/preemptible_work.hpp"

namespace tactus::cuda {

/// Where measured work runs.
struct WorkPlace {
  cudaStream_t stream = nullptr;
  int sms = 1;         // for the work
  int stream_sms = 1;  // of the stream: more if a partition cannot be as small as requested
  /// For kernels with a block loop (see kernel.cuh): the SMs, and the number of blocks on each. The launch
  /// must fill all SMs of the stream; surplus blocks exit. Kernels without a loop can only be measured on all
  /// SMs of the stream.
  Placement placement;
};

/// Enqueues the work in the stream of the place, without waiting for it.
using EnqueueWork = std::function<void(const WorkPlace&)>;

struct MeasureOptions {
  int samples = 200;
  int warm_up = 5;
  /// Virtual SMs per SM; 0: plain grids, as many blocks as fit.
  unsigned virtual_sms = 0;
  /// Keeps all other SMs busy with this kernel.
  std::optional<BuiltinKernel> co_runner;
  /// Called before every sample.
  Watch watch;
};

/// The times of work in one place. Blocks until done. FailureError when it fails.
std::vector<Duration> measure_work(const WorkPlace& place, const EnqueueWork& enqueue,
                                   const MeasureOptions& options = {});

struct SmTimes {
  int sms = 0;
  std::vector<Duration> times;
};

/// The times for each number of SMs, in a partition of that size. Left out are cases the device does not
/// support: sizes without a matching partition if there is no loop to pin the work, and all SMs with a
/// co-runner. InputError for more SMs than there are.
std::vector<SmTimes> measure_against_sms(int device, std::span<const int> sms, const EnqueueWork& enqueue,
                                         const MeasureOptions& options = {});

/// 1, 2, 4, ... up to 64, then in steps of 32, and all SMs.
std::vector<int> usual_sm_counts(int sms);

/// A built-in kernel to be measured: a pinned loop in a place with virtual SMs, otherwise a plain grid.
class MeasuredKernel {
 public:
  /// `amount` is the work of a block, as in BuiltinLaunch; `threads` is per block.
  MeasuredKernel(BuiltinKernel kernel, unsigned blocks, unsigned threads, std::uint64_t amount,
                 const BuiltinData& data);

  void operator()(const WorkPlace& place);
  /// The largest number of virtual SMs per SM with blocks of this size.
  [[nodiscard]] int max_virtual_sms() const;

 private:
  BuiltinLaunch launch_;
  const BuiltinData& data_;
  PreemptibleWork loop_;
  bool launched_ = false;
};

/// The work of a block that takes about this long when every SM has one.
std::uint64_t amount_for(BuiltinKernel kernel, unsigned threads, Duration block_time,
                         const BuiltinData& data);

}  // namespace tactus::cuda
