// How the host learns that work on the device has ended, without calls to the driver while it waits. The
// fastest of the methods that tactus_cuda_probe compares.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>

#include "tactus/device/cuda/memory.hpp"

namespace tactus::cuda {

/// Words in host memory that the device writes when everything before them in a stream has ended.
class CompletionWords {
 public:
  explicit CompletionWords(std::size_t count);

  /// `word` becomes `value` when everything now in the stream has ended and its writes are visible.
  void signal(cudaStream_t stream, std::size_t word, unsigned value) const;

  /// The current value; a read of host memory only. 0 before the first signal. The word of a failed stream
  /// never changes.
  [[nodiscard]] unsigned value(std::size_t word) const {
    return std::atomic_ref<unsigned>{lines_.data()[word].value}.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }

 private:
  // One cache line each, so that a write to one word does not slow down a thread that polls another.
  struct alignas(64) Line {
    unsigned value;
  };
  PinnedBuffer<Line> lines_;
};

}  // namespace tactus::cuda
