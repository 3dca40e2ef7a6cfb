// Built-in copies: bytes that go back and forth between locked memory of the host and the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "tactus/base/time.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/segment_work.hpp"

namespace tactus::cuda {

/// How long copies take here: `fixed` each, and so many bytes a second.
struct CopySpeed {
  Duration fixed{};
  std::int64_t bytes_per_second = 0;

  /// As many bytes as take at most that long; at least 4.
  [[nodiscard]] std::int64_t bytes_in(Duration time) const;
};

class Copies {
 public:
  /// Best-effort copies are made in chunks of at most `chunk` bytes, so that a long one does not keep the
  /// engine from others.
  Copies(const SegmentWorks& works, std::int64_t chunk);

  /// The bytes of a built-in copy for which `time` was drawn.
  [[nodiscard]] std::int64_t bytes_of(const SegmentWork& work, Duration time) const;
  /// Enqueues the next chunk of so many bytes that are left; answers how many it has.
  std::int64_t enqueue_chunk(const SegmentWork& work, std::int64_t left, cudaStream_t stream) const;

  [[nodiscard]] const CopySpeed& speed(bool from_device) const { return from_device ? back_ : there_; }

 private:
  void call(bool from_device, std::int64_t bytes, cudaStream_t stream) const;
  [[nodiscard]] CopySpeed measure(bool from_device) const;
  [[nodiscard]] Duration time_of(bool from_device, std::int64_t bytes, int copies, cudaStream_t stream) const;

  PinnedBuffer<unsigned char> host_;
  DeviceBuffer<unsigned char> device_;
  std::int64_t chunk_;
  CopySpeed there_;
  CopySpeed back_;
};

}  // namespace tactus::cuda
