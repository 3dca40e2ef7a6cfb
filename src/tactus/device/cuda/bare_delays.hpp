// What launches and copies take without a scheduler: one call, one completion word, one thread that looks at
// it. What a run adds to this is the cost of Tactus itself.
#pragma once

#include <cstddef>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/watch.hpp"

namespace tactus::cuda {

struct BareDelays {
  std::vector<Duration> launch;      // from the call until the first block begins
  std::vector<Duration> completion;  // from the end of the last block until the host knows
  Duration uncertainty{};            // of both, in opposite directions
};

/// Launches in plain streams, urgent streams and partitions in turn, with pauses of changing length.
BareDelays measure_bare_delays(int device, int samples, const Watch& watch = {});

struct CopyDelays {
  std::size_t bytes = 0;
  std::vector<Duration> to_device;  // from the call until the host knows of its end
  std::vector<Duration> from_device;
};

/// Copies between locked memory of the host and the device.
CopyDelays measure_copies(std::size_t bytes, int samples, const Watch& watch = {});

}  // namespace tactus::cuda
