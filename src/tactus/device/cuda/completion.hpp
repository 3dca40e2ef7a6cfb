// How the host learns that work on the device has ended, without a call to the driver while it waits. Of the
// ways that tactus_cuda_probe compares this is the fastest.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>

#include "tactus/device/cuda/memory.hpp"

namespace tactus::cuda {

/// Words in the host's memory that the device writes when everything before it in a stream has ended.
class CompletionWords {
 public:
  explicit CompletionWords(std::size_t count);

  /// `word` becomes `value` when everything that is in the stream now has ended, with all that it wrote
  /// visible.
  void signal(cudaStream_t stream, std::size_t word, unsigned value) const;

  /// What the word holds: a look at the host's own memory. 0 before the first signal. A word whose stream
  /// failed never changes.
  [[nodiscard]] unsigned value(std::size_t word) const {
    return std::atomic_ref<unsigned>{lines_.data()[word].value}.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }

 private:
  // A line each, so that a word that is written does not slow down who waits for another one.
  struct alignas(64) Line {
    unsigned value;
  };
  PinnedBuffer<Line> lines_;
};

}  // namespace tactus::cuda
