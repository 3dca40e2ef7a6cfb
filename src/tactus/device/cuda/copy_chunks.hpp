// Which copies are made in chunks. A copy engine does not preempt: who comes behind a copy waits for all of
// it. So a copy that something more urgent may want to overtake is handed over in chunks, few at a time.
#pragma once

#include <cstdint>

#include "tactus/base/time.hpp"
#include "tactus/device/device.hpp"

namespace tactus::cuda {

struct ChunkRule {
  static constexpr std::int64_t whole = 0x7fffffffffffffff;

  std::int64_t bytes = whole;           // of a chunk
  std::uint32_t most_urgent_level = 0;  // of all that may be submitted
  bool cuts = true;                     // as-submitted calls CUDA as a program without Tactus does

  /// The largest chunk of a copy; `whole` when nothing more urgent can come. Best-effort copies are always
  /// cut, so that they can be stopped.
  [[nodiscard]] std::int64_t chunk_of(std::uint32_t level, bool best_effort) const;
};

/// Where an urgent job must wait for the end of a best-effort copy, that goes to the engine a few chunks at a
/// time.
std::int64_t copy_slice_of(std::int64_t chunk_bytes);

ChunkRule make_chunk_rule(const device::Setup& setup, std::int64_t chunk_bytes);

/// How long copies take here: `fixed` each, and so many bytes a second.
struct CopySpeed {
  Duration fixed{};
  std::int64_t bytes_per_second = 0;

  /// As many bytes as take at most that long; at least 4.
  [[nodiscard]] std::int64_t bytes_in(Duration time) const;
  /// The same for a copy in chunks, each of which takes `fixed` anew.
  [[nodiscard]] std::int64_t bytes_in(Duration time, std::int64_t chunk) const;
};

}  // namespace tactus::cuda
