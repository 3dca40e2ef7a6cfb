// Copies between host and device: bound ones, and built-in ones between buffers of their own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>

#include "tactus/base/time.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/segment_work.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cuda {

/// Which copies are fed to the engine in chunks. A copy engine does not preempt, so later copies wait for all
/// of an earlier one. A copy that a more urgent one may have to overtake is therefore enqueued in chunks, few
/// at a time. What a submission covers stays as it is: it is over when all of its chunks are.
struct ChunkRule {
  static constexpr std::int64_t whole = 0x7fffffffffffffff;

  std::int64_t bytes = whole;           // of a chunk
  std::uint32_t most_urgent_level = 0;  // the most urgent level in use
  bool cuts = true;                     // false for as-submitted, which copies like a plain CUDA program

  /// The largest chunk of a copy; `whole` when nothing more urgent can come. Best-effort copies are always
  /// cut, so that they can be stopped.
  [[nodiscard]] std::int64_t chunk_of(std::uint32_t level, bool best_effort) const;
};

/// The size of a best-effort submission where an urgent job must wait for its end: a few chunks.
std::int64_t copy_slice_of(std::int64_t chunk_bytes);

ChunkRule make_chunk_rule(const device::Setup& setup, std::int64_t chunk_bytes);

/// Copy times on this machine: `fixed` per copy, plus a time per byte.
struct CopySpeed {
  Duration fixed{};
  std::int64_t bytes_per_second = 0;

  /// The largest number of bytes that takes at most this long; at least 4.
  [[nodiscard]] std::int64_t bytes_in(Duration time) const;
  /// The same for a copy in chunks, each of which takes `fixed`.
  [[nodiscard]] std::int64_t bytes_in(Duration time, std::int64_t chunk) const;
};

/// Enqueues the next `most` bytes of a copy of which `done` are in the stream already; returns their number.
std::int64_t enqueue_bytes(const MemoryCopy& copy, std::int64_t done, std::int64_t most, cudaStream_t stream);

/// How long work in the stream takes, from the calls to its end: the minimum of a few tries, since
/// disturbances only make it longer.
Duration shortest_time(int tries, cudaStream_t stream, const char* on_failure,
                       const std::function<void()>& enqueue);

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
