// Copies between host and device: bound ones, and built-in ones between buffers of their own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>

#include "tactus/base/time.hpp"
#include "tactus/device/cuda/copy_chunks.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/segment_work.hpp"

namespace tactus::cuda {

/// Enqueues the next `most` bytes of a copy of which `done` are in the stream already; returns their number.
std::int64_t enqueue_bytes(const MemoryCopy& copy, std::int64_t done, std::int64_t most, cudaStream_t stream);

/// How long work in the stream takes, from the calls to its end: the minimum of a few tries, since
/// disturbances only make it longer.
Duration shortest_time(int tries, cudaStream_t stream, const std::function<void()>& enqueue);

class Copies {
 public:
  explicit Copies(const SegmentWorks& works);

  /// The size of a built-in copy in chunks that takes the drawn `time`.
  [[nodiscard]] std::int64_t bytes_of(const SegmentWork& work, Duration time, std::int64_t chunk) const;
  /// Enqueues at most `most` further bytes of a built-in copy; returns their number.
  std::int64_t enqueue_some(const SegmentWork& work, std::int64_t most, cudaStream_t stream) const;

  [[nodiscard]] const CopySpeed& speed(bool from_device) const { return from_device ? back_ : there_; }

 private:
  void call(bool from_device, std::int64_t bytes, cudaStream_t stream) const;
  [[nodiscard]] CopySpeed measure(bool from_device) const;
  [[nodiscard]] Duration time_of(bool from_device, std::int64_t bytes, int copies, cudaStream_t stream) const;

  PinnedBuffer<unsigned char> host_;
  DeviceBuffer<unsigned char> device_;
  CopySpeed there_;
  CopySpeed back_;
};

}  // namespace tactus::cuda
