// Chunks against their slow twin, and the two numbers derived without a list against the list.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/window_twins.hpp"
#include "support/first_seed.hpp"

namespace tactus::analysis {
namespace {

struct Case {
  GpuTask task;
  Supply supply;
};

Case any_case(test::Dice& dice, std::int64_t longest) {
  Case result;
  const std::int64_t cycle = dice.between(1, longest);
  const std::int64_t budget = dice.between(1, cycle);
  result.supply = test::supply_of(dice.between(0, cycle - budget), budget, cycle);
  result.task.period = dice.duration(1, longest);
  result.task.deadline = dice.duration(1, in_ns(result.task.period));
  return result;
}

TEST(ChunksProperty, TheListIsWhatStepsGive) {
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + 3000; ++seed) {
    test::Dice dice{seed};
    const Case now = any_case(dice, 20);
    ASSERT_EQ(test::chunk_list(now.task, now.supply), test::chunks_step_by_step(now.task, now.supply))
        << "seed " << seed;
  }
}

TEST(ChunksProperty, TheLeastNeedsNoList) {
  int lost = 0;
  int kept = 0;
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + 60000; ++seed) {
    test::Dice dice{seed};
    const Case now = any_case(dice, dice.pick({12, 30, 100}));
    const std::vector<test::WindowChunk> longest =
        test::longest_chunks(test::chunk_list(now.task, now.supply));
    const std::int64_t cycle = *checked_lcm(in_ns(now.task.period), in_ns(now.supply.period));
    const bool loses = static_cast<std::int64_t>(longest.size()) < cycle / in_ns(now.task.period);
    const LeastChunk least = min_chunk(now.task, now.supply);
    ASSERT_EQ(least.lost.has_value(), loses) << "seed " << seed;
    if (loses) {
      ++lost;
      // The witness: a job is released there, and no window is open before its deadline.
      ASSERT_EQ(in_ns(*least.lost) % std::gcd(in_ns(now.task.period), in_ns(now.supply.period)), 0);
      for (std::int64_t i = 0; i < in_ns(now.task.deadline); ++i)
        ASSERT_FALSE(test::open_at(now.supply, in_ns(*least.lost) + i)) << "seed " << seed;
      continue;
    }
    ++kept;
    Duration length = longest.front().length;
    Duration distance = longest.front().arrival + nanoseconds(cycle) - longest.back().arrival;
    for (std::size_t i = 1; i < longest.size(); ++i) {
      length = std::min(length, longest[i].length);
      distance = std::min(distance, longest[i].arrival - longest[i - 1].arrival);
    }
    ASSERT_EQ(least.length, length) << "seed " << seed;
    ASSERT_EQ(least.distance, distance) << "seed " << seed;
  }
  EXPECT_GT(lost, 5000);
  EXPECT_GT(kept, 5000);
}

TEST(ChunksProperty, SurvivorsNeedNoList) {
  int lost = 0;
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + 30000; ++seed) {
    test::Dice dice{seed};
    const Case now = any_case(dice, dice.pick({12, 30, 100}));
    const std::vector<test::WindowChunk> longest =
        test::longest_chunks(test::chunk_list(now.task, now.supply));
    const std::int64_t cycle = *checked_lcm(in_ns(now.task.period), in_ns(now.supply.period));
    const std::optional<SurvivingChunk> least = min_surviving_chunk(now.task, now.supply);
    ASSERT_TRUE(least.has_value());
    if (longest.empty()) {
      ASSERT_EQ(least->length, Duration{}) << "seed " << seed;
      continue;
    }
    lost += static_cast<std::int64_t>(longest.size()) < cycle / in_ns(now.task.period) ? 1 : 0;
    Duration length = longest.front().length;
    Duration distance = longest.front().arrival + nanoseconds(cycle) - longest.back().arrival;
    for (std::size_t i = 1; i < longest.size(); ++i) {
      length = std::min(length, longest[i].length);
      distance = std::min(distance, longest[i].arrival - longest[i - 1].arrival);
    }
    ASSERT_EQ(least->length, length) << "seed " << seed;
    ASSERT_EQ(least->distance, distance) << "seed " << seed;
  }
  EXPECT_GT(lost, 1000);
}

}  // namespace
}  // namespace tactus::analysis
