// How long GPU work takes on a part of the device: yours or a built-in kernel.
//
//   const auto enqueue = [&](const tactus::cuda::WorkPlace& place) {
//     blur<<<blocks, 256, 0, place.stream>>>(image);      // or a library that takes a stream
//   };
//   const std::vector<int> sms{8, 16, 32};
//   for (const auto& [count, times] : tactus::cuda::measure_against_sms(0, sms, enqueue)) ...
//
// The device's own clock is read right before the work and right after it in the same stream, so what the
// host does is not in it. The time includes the change from one kernel to the next, twice: measured work is
// rather too long than too short.
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
#include "tactus/device/cuda/sm_set.hpp"

namespace tactus::cuda {

/// Where work that is measured runs.
struct WorkPlace {
  cudaStream_t stream = nullptr;
  int sms = 1;         // for the work
  int stream_sms = 1;  // of the stream: more where a partition cannot be as small as wanted
  /// For kernels with a block loop (see kernel.cuh): the SMs, and how many blocks work on each of them. Fill
  /// all SMs of the stream with blocks of the launch; those that are too many leave. Kernels without a loop
  /// can be measured on all SMs of the stream only.
  Placement placement;
};

/// Enqueues the work in the place's stream, and does not wait for it.
using EnqueueWork = std::function<void(const WorkPlace&)>;

struct MeasureOptions {
  int samples = 200;
  int warm_up = 5;
  /// Virtual SMs of each SM; 0: plain grids, as many blocks as fit.
  unsigned virtual_sms = 0;
  /// Keeps all other SMs busy with this kernel.
  std::optional<BuiltinKernel> co_runner;
  /// Told and asked before every sample.
  Watch watch;
};

/// The times of work in one place. Waits for it. FailureError when it fails.
std::vector<Duration> measure_work(const WorkPlace& place, const EnqueueWork& enqueue,
                                   const MeasureOptions& options = {});

struct SmTimes {
  int sms = 0;
  std::vector<Duration> times;
};

/// The times on so many SMs of a device, each in a partition of that size. Left out is what the device cannot
/// offer: sizes that no partition has when there is no loop to pin the work, and all SMs beside a co-runner.
/// InputError for more SMs than there are.
std::vector<SmTimes> measure_against_sms(int device, std::span<const int> sms, const EnqueueWork& enqueue,
                                         const MeasureOptions& options = {});

/// 1, 2, 4, ... up to 64, then steps of 32, and all of them.
std::vector<int> usual_sm_counts(int sms);

/// A built-in kernel as work to be measured: in a place with virtual SMs as a pinned loop, else as a plain
/// grid.
class MeasuredKernel {
 public:
  /// `amount` is the work of a block, as in BuiltinLaunch. `threads` of a block.
  MeasuredKernel(BuiltinKernel kernel, unsigned blocks, unsigned threads, std::uint64_t amount,
                 const BuiltinData& data);

  void operator()(const WorkPlace& place);
  /// How many virtual SMs an SM can have with blocks of this size.
  [[nodiscard]] int max_virtual_sms() const;

 private:
  BuiltinLaunch launch_;
  const BuiltinData& data_;
  PreemptibleWork loop_;
  bool launched_ = false;
};

/// The work of a block that takes about so long when every SM has one.
std::uint64_t amount_for(BuiltinKernel kernel, unsigned threads, Duration block_time,
                         const BuiltinData& data);

}  // namespace tactus::cuda
