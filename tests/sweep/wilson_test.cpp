#include "tactus/sweep/wilson.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tactus::sweep {
namespace {

RatioInterval in_floating_point(double k, double n) {
  const double z = 1.96;
  const double centre = k + z * z / 2;
  const double reach = z * std::sqrt(z * z / 4 + k * (n - k) / n);
  return {static_cast<std::int64_t>(1e6 * (centre - reach) / (n + z * z)),
          static_cast<std::int64_t>(1e6 * (centre + reach) / (n + z * z)) + 1};
}

TEST(Wilson, PublishedValues) {
  // Newcombe (1998), Table I, method 3: 81/263, 15/148, 0/20, 1/29.
  const auto rounded = [](RatioInterval interval) {
    return std::pair{std::lround(static_cast<double>(interval.low) / 100),
                     std::lround(static_cast<double>(interval.high) / 100)};
  };
  EXPECT_EQ(rounded(wilson_interval(81, 263)), std::pair(2553L, 3662L));
  EXPECT_EQ(rounded(wilson_interval(15, 148)), std::pair(624L, 1605L));
  EXPECT_EQ(rounded(wilson_interval(0, 20)), std::pair(0L, 1611L));
  EXPECT_EQ(rounded(wilson_interval(1, 29)), std::pair(61L, 1718L));
}

TEST(Wilson, AgreesWithTheFormulaInFloatingPoint) {
  for (std::int64_t n : {1, 2, 3, 10, 99, 100, 1000, 123'456, 1'000'000'000}) {
    for (std::int64_t i = 0; i <= 20; ++i) {
      const std::int64_t k = n / 20 * i + (n % 20) * i / 20;
      const RatioInterval interval = wilson_interval(k, n);
      const RatioInterval expected = in_floating_point(static_cast<double>(k), static_cast<double>(n));
      EXPECT_NEAR(static_cast<double>(interval.low),
                  static_cast<double>(std::max<std::int64_t>(expected.low, 0)), 2)
          << k << "/" << n;
      EXPECT_NEAR(static_cast<double>(interval.high),
                  static_cast<double>(std::min<std::int64_t>(expected.high, 1'000'000)), 2)
          << k << "/" << n;
      EXPECT_LE(interval.low, ratio_of(k, n));
      EXPECT_GE(interval.high, ratio_of(k, n));
    }
  }
}

TEST(Wilson, IsSymmetricAndReachesTheEnds) {
  for (std::int64_t k = 0; k <= 50; ++k) {
    const RatioInterval one = wilson_interval(k, 50);
    const RatioInterval other = wilson_interval(50 - k, 50);
    EXPECT_NEAR(static_cast<double>(one.low), static_cast<double>(1'000'000 - other.high), 1);
  }
  EXPECT_EQ(wilson_interval(0, 10).low, 0);
  EXPECT_EQ(wilson_interval(10, 10).high, 1'000'000);
}

TEST(Ratio, IsRoundedToNearest) {
  EXPECT_EQ(ratio_of(0, 7), 0);
  EXPECT_EQ(ratio_of(7, 7), 1'000'000);
  EXPECT_EQ(ratio_of(1, 3), 333'333);
  EXPECT_EQ(ratio_of(2, 3), 666'667);
}

}  // namespace
}  // namespace tactus::sweep
