// Confidence intervals of observed ratios.
#pragma once

#include <cstdint>

namespace tactus::sweep {

/// Parts of a million: 934000 is 0.934.
struct RatioInterval {
  std::int64_t low = 0;
  std::int64_t high = 0;
  friend bool operator==(const RatioInterval&, const RatioInterval&) = default;
};

/// The Wilson score interval (1927) at 95 % for `successes` of `trials`: low rounded down, high rounded up.
/// Computed in integers, so that tables are the same on every machine. Needs 0 <= successes <= trials,
/// 1 <= trials <= 10^9.
RatioInterval wilson_interval(std::int64_t successes, std::int64_t trials);

/// successes / trials in parts of a million, rounded to nearest.
std::int64_t ratio_of(std::int64_t successes, std::int64_t trials);

}  // namespace tactus::sweep
