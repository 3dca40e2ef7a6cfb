#include "tactus/generate/periods.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <set>

#include "support/chi_square.hpp"
#include "tactus/base/random.hpp"

namespace tactus::generate {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::UniformityTest;

constexpr std::uint64_t samples = 20'000;

std::uint64_t bits(std::uint64_t seed) { return draw_bits(seed, Purpose::period, 0, 0); }

TEST(Periods, FromAListAreEquallyLikely) {
  const std::array<Duration, 5> list{Duration{3}, Duration{5}, Duration{5}, Duration{8}, Duration{13}};
  UniformityTest test;
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    const Duration period = pick_from(list, bits(seed));
    // Places of the list in the order of its values, spread over each place's share of [0, 1].
    const double spread = std::ldexp(static_cast<double>(mix_bits(seed)), -64);
    if (period == Duration{3}) test.add(spread / 5);
    if (period == Duration{5}) test.add((1 + 2 * spread) / 5);
    if (period == Duration{8}) test.add((3 + spread) / 5);
    if (period == Duration{13}) test.add((4 + spread) / 5);
  }
  EXPECT_LT(test.statistic(), UniformityTest::threshold);
}

TEST(Periods, LogUniformGivesEveryFactorTheSameShare) {
  const Duration least = milliseconds{1};
  const Duration most = seconds{3};
  UniformityTest test;
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    const Duration period = log_uniform(least, most, Duration{1}, bits(seed));
    ASSERT_GE(period, least);
    ASSERT_LE(period, most);
    test.add(std::log(static_cast<double>(period.count()) / 1e6) / std::log(3000.0));
  }
  EXPECT_LT(test.statistic(), UniformityTest::threshold);
}

TEST(Periods, LogUniformReachesBothEndsAndNothingBeyond) {
  constexpr std::uint64_t largest = ~std::uint64_t{0};
  EXPECT_EQ(log_uniform(Duration{1000}, Duration{64'000}, Duration{1}, 0), Duration{1000});
  EXPECT_EQ(log_uniform(Duration{1000}, Duration{1000}, Duration{1}, largest), Duration{1000});
  const Duration last = log_uniform(Duration{1000}, Duration{64'000}, Duration{1}, largest);
  EXPECT_GE(last, Duration{63'999});
  EXPECT_LE(last, Duration{64'000});
  EXPECT_LE(log_uniform(Duration{1}, Duration::max(), Duration{1}, largest), Duration::max());
}

TEST(Periods, LogUniformIsAMultipleOfItsGranularity) {
  std::set<Duration> seen;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const Duration period = log_uniform(milliseconds{10}, milliseconds{100}, milliseconds{10}, bits(seed));
    EXPECT_EQ(period % milliseconds{10}, Duration{});
    EXPECT_GE(period, milliseconds{10});
    EXPECT_LE(period, milliseconds{100});
    seen.insert(period);
  }
  EXPECT_GE(seen.size(), 9U);
  EXPECT_EQ(log_uniform(Duration{15}, Duration{19}, Duration{10}, 0), Duration{15});
}

TEST(Deadlines, AreUniformBetweenAShareOfThePeriodAndAllOfIt) {
  const Duration period = milliseconds{100};
  UniformityTest test;
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    const Duration deadline = uniform_deadline(period, Rational{3, 4}, bits(seed));
    ASSERT_GE(deadline, milliseconds{75});
    ASSERT_LE(deadline, period);
    test.add(static_cast<double>((deadline - milliseconds{75}).count()) / 25e6);
  }
  EXPECT_LT(test.statistic(), UniformityTest::threshold);
}

TEST(Deadlines, BothEndsAreDrawn) {
  std::set<Duration> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    seen.insert(uniform_deadline(Duration{5}, Rational{3, 5}, bits(seed)));
  }
  EXPECT_THAT(seen, testing::ElementsAre(Duration{3}, Duration{4}, Duration{5}));
  EXPECT_EQ(uniform_deadline(Duration{7}, Rational{1}, 12345), Duration{7});
  EXPECT_EQ(uniform_deadline(Duration{1}, Rational{0}, 0), Duration{1});
}

}  // namespace
}  // namespace tactus::generate
