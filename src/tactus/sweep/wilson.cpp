#include "tactus/sweep/wilson.hpp"

#include <algorithm>

#include "tactus/base/exact.hpp"

namespace tactus::sweep {

namespace {

constexpr std::int64_t million = 1'000'000;

/// The largest integer whose square is at most `value`.
Int128 square_root(Int128 value) {
  Int128 root = 0;
  for (Int128 bit = Int128{1} << 62U; bit != 0; bit >>= 1U) {
    const Int128 candidate = root | bit;
    if (candidate * candidate <= value) root = candidate;
  }
  return root;
}

}  // namespace

RatioInterval wilson_interval(std::int64_t successes, std::int64_t trials) {
  // (2k + z^2 +- z sqrt(z^2 + 4k(n-k)/n)) / (2(n + z^2)) with z = 1.96, all of it times 10^6.
  constexpr Int128 z = 1'960'000;          // times 10^6
  constexpr Int128 z_squared = 3'841'600;  // times 10^6
  const Int128 k = successes;
  const Int128 n = trials;
  const Int128 radicand = (z_squared * n + 4 * million * k * (n - k)) * million / n;  // times 10^12
  const Int128 root = square_root(radicand);
  const Int128 centre = 2 * k * million + z_squared;
  const Int128 denominator = 2 * (n * million + z_squared);
  // The root was rounded down by less than one part of a million; both ends are widened by that much.
  const Int128 reach = z * (root + 1) / million + 1;
  const Int128 low = (centre - reach) * million / denominator;
  const Int128 high = ((centre + reach) * million + denominator - 1) / denominator;
  RatioInterval interval{.low = static_cast<std::int64_t>(std::max<Int128>(low, 0)),
                         .high = static_cast<std::int64_t>(std::min<Int128>(high, million))};
  // For no or only successes the interval reaches the end.
  if (successes == 0) interval.low = 0;
  if (successes == trials) interval.high = million;
  return interval;
}

std::int64_t ratio_of(std::int64_t successes, std::int64_t trials) {
  return static_cast<std::int64_t>((static_cast<Int128>(2) * successes * million + trials) /
                                   (static_cast<Int128>(2) * trials));
}

}  // namespace tactus::sweep
