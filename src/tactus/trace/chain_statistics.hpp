// What was seen of data that flows through effect chains.
#pragma once

#include <cstdint>
#include <optional>

#include "tactus/base/time.hpp"

namespace tactus::trace {

/// Reaction times, or ages, that were seen on one chain.
struct FlowTimes {
  std::uint64_t seen = 0;
  std::uint64_t misses = 0;       // beyond the limit, also of those that were not over at the end
  std::uint64_t open_misses = 0;  // the part of `misses` that was not over at the end, and so not in `seen`
  std::optional<Duration> max;    // of those seen
  std::optional<Duration> longest_known;  // also of an input that no output had reflected at the end

  friend bool operator==(const FlowTimes&, const FlowTimes&) = default;
};

struct ChainStatistics {
  FlowTimes reaction{};
  FlowTimes age{};
  /// Otherwise too many jobs were pending, and nothing later is known; or events were lost, and nothing is.
  bool complete = true;

  friend bool operator==(const ChainStatistics&, const ChainStatistics&) = default;
};

}  // namespace tactus::trace
