// Which copies are cut into chunks. A copy engine does not preempt, so later copies wait for all of an
// earlier one. A copy that a more urgent one may have to overtake is therefore submitted in chunks, few at a
// time.
#pragma once

#include <cstdint>

#include "tactus/base/time.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cuda {

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

}  // namespace tactus::cuda
