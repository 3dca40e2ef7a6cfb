// Kernels of the experiments that are not among Tactus's built-in ones.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "tactus/base/time.hpp"
#include "tactus/device/cuda/memory.hpp"

namespace tactus::bench {

/// One block of 32 threads that does nothing.
void launch_empty(cudaStream_t stream);

/// A best-effort kernel of the kind that stream priorities cannot touch: its blocks stay, and take work items
/// from a counter until none is left.
class PersistentKernel {
 public:
  PersistentKernel(std::uint64_t items, Duration item) : items_{items}, item_{item} {}

  /// Blocks of 1024 threads. Launches with the same turn, 0 or 1, must not overlap.
  void launch(unsigned blocks, unsigned turn, cudaStream_t stream) const;

 private:
  cuda::DeviceBuffer<unsigned long long> counters_{2};
  std::uint64_t items_;
  Duration item_;
};

}  // namespace tactus::bench
