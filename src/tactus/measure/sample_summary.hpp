// Many measured times in a few numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::measure {

/// Quantiles are nearest rank: the smallest value that covers so many of all.
struct SampleSummary {
  std::uint64_t samples = 0;
  Duration min{};
  Duration median{};
  Duration p99{};
  Duration p999{};
  Duration max{};

  friend bool operator==(const SampleSummary&, const SampleSummary&) = default;
};

/// All is zero when there are none.
SampleSummary summary_of(std::vector<Duration> values);

}  // namespace tactus::measure
