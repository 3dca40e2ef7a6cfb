// A kernel that records when it ran, for measuring launch and completion overheads.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tactus/device/cuda/memory.hpp"

namespace tactus::cuda {

class StampedKernel {
 public:
  /// The device's clock when the first block started and when the last one ended.
  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  /// `launches`: the largest number of launches.
  explicit StampedKernel(std::size_t launches);

  /// Enqueues launch number `launch`, each once. Even ones have one block, odd ones fill this many SMs.
  void enqueue(std::size_t launch, int sms, cudaStream_t stream) const;
  /// For all launches, which must have ended; zeros for those that did not run.
  [[nodiscard]] std::vector<Span> spans() const;

 private:
  DeviceBuffer<unsigned long long> begins_;
  DeviceBuffer<unsigned long long> ends_;
};

}  // namespace tactus::cuda
