// Summary statistics of measured times.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus {

/// Quantiles are nearest ranks.
struct SampleSummary {
  std::uint64_t samples = 0;
  Duration min{};
  Duration median{};
  Duration p99{};
  Duration p999{};
  Duration max{};

  friend bool operator==(const SampleSummary&, const SampleSummary&) = default;
};

/// All fields are zero when there are no values.
SampleSummary summary_of(std::vector<Duration> values);

}  // namespace tactus
