// Times of launches and copies without a scheduler: one call, one completion word, one thread that polls it.
// The difference to a run is the cost of Tactus itself.
#pragma once

#include <cstddef>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/watch.hpp"

namespace tactus::cuda {

struct BareDelays {
  std::vector<Duration> launch;      // from the call until the first block starts
  std::vector<Duration> completion;  // from the end of the last block until the host knows
  Duration uncertainty{};            // error of both, with opposite signs
};

/// Launches in plain streams, urgent streams and partitions in turn, with pauses of varying length.
BareDelays measure_bare_delays(int device, int samples, const Watch& watch = {});

struct CopyDelays {
  std::size_t bytes = 0;
  std::vector<Duration> to_device;  // from the call until the host knows of its end
  std::vector<Duration> from_device;
};

/// Copies between pinned host memory and the device.
CopyDelays measure_copies(std::size_t bytes, int samples, const Watch& watch = {});

}  // namespace tactus::cuda
