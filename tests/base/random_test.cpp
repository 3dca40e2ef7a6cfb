#include "tactus/base/random.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <set>

namespace tactus {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t all_bits = std::numeric_limits<std::uint64_t>::max();

TEST(Random, IsTheSameOnEveryMachine) {
  // SplitMix64 started at 0: the published first outputs.
  EXPECT_EQ(mix_bits(0), 0xe220a8397b1dcdafU);
  EXPECT_EQ(mix_bits(0x9e3779b97f4a7c15U), 0x6e789e6aa1b965f4U);
}

TEST(Random, DrawsDependOnWhatTheyAreForAlone) {
  const std::uint64_t bits = draw_bits(1, Purpose::execution, 2, 3, 4);
  EXPECT_EQ(draw_bits(1, Purpose::execution, 2, 3, 4), bits);
  std::set<std::uint64_t> draws{bits};
  draws.insert(draw_bits(2, Purpose::execution, 2, 3, 4));
  draws.insert(draw_bits(1, Purpose::separation, 2, 3, 4));
  draws.insert(draw_bits(1, Purpose::execution, 3, 3, 4));
  draws.insert(draw_bits(1, Purpose::execution, 2, 4, 4));
  draws.insert(draw_bits(1, Purpose::execution, 2, 3, 5));
  draws.insert(draw_bits(1, Purpose::execution, 3, 2, 4));  // swapped
  EXPECT_EQ(draws.size(), 7U);
}

TEST(Random, DrawBetweenReachesBothEnds) {
  EXPECT_EQ(draw_between(0, 3ns, 9ns), 3ns);
  EXPECT_EQ(draw_between(all_bits, 3ns, 9ns), 9ns);
  EXPECT_EQ(draw_between(all_bits, 5ns, 5ns), 5ns);
  EXPECT_EQ(draw_between(all_bits, 0ns, Duration::max()), Duration::max());
  EXPECT_EQ(draw_between(0, Duration::min(), Duration::min()), Duration::min());
}

TEST(Random, DrawBetweenIsUniform) {
  // 6000 draws of 6 values: 1000 each, give or take more than five standard deviations.
  std::array<int, 6> count{};
  for (std::uint64_t job = 0; job < 6000; ++job) {
    const Duration drawn = draw_between(draw_bits(7, Purpose::execution, 0, job), 10ns, 15ns);
    ASSERT_GE(drawn, 10ns);
    ASSERT_LE(drawn, 15ns);
    ++count[static_cast<std::size_t>(drawn.count() - 10)];
  }
  for (const int times : count) {
    EXPECT_GT(times, 840);
    EXPECT_LT(times, 1160);
  }
}

}  // namespace
}  // namespace tactus
