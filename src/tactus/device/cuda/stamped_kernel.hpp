// A kernel that notes when it ran, to find out what it takes to launch it and to learn of its end.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tactus/device/cuda/memory.hpp"

namespace tactus::cuda {

class StampedKernel {
 public:
  /// The device's clock when the first block began and when the last one ended.
  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  /// Room for so many launches.
  explicit StampedKernel(std::size_t launches);

  /// Launches number `launch`, each once. Even ones have one block, odd ones fill so many SMs.
  void enqueue(std::size_t launch, int sms, cudaStream_t stream) const;
  /// Of all launches; zeros for those that did not run. They must have ended.
  [[nodiscard]] std::vector<Span> spans() const;

 private:
  DeviceBuffer<unsigned long long> begins_;
  DeviceBuffer<unsigned long long> ends_;
};

}  // namespace tactus::cuda
