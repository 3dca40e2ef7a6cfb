// Kernels of the experiments, besides the built-in ones of Tactus.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "tactus/base/time.hpp"
#include "tactus/device/cuda/memory.hpp"

namespace tactus::bench {

/// One block of 32 threads that does nothing.
void launch_empty(cudaStream_t stream);

/// A best-effort kernel that stream priorities cannot preempt: its blocks are persistent and take work items
/// from a counter until none is left.
class PersistentKernel {
 public:
  PersistentKernel(std::uint64_t items, Duration item) : items_{items}, item_{item} {}

  /// Blocks of 1024 threads. Launches with the same turn (0 or 1) must not overlap.
  void launch(unsigned blocks, unsigned turn, cudaStream_t stream) const;

 private:
  cuda::DeviceBuffer<unsigned long long> counters_{2};
  std::uint64_t items_;
  Duration item_;
};

}  // namespace tactus::bench
