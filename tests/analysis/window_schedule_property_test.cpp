// EDF in windows, played by events, against one nanosecond at a time.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/window_twins.hpp"
#include "support/first_seed.hpp"

namespace tactus::analysis {
namespace {

TEST(WindowScheduleProperty, EventsEqualSteps) {
  int misses = 0;
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + 5000; ++seed) {
    test::Dice dice{seed};
    const std::int64_t cycle = dice.between(1, 12);
    const std::int64_t budget = dice.between(1, cycle);
    const Supply supply = test::supply_of(dice.between(0, cycle - budget), budget, cycle);
    std::vector<PeriodicTask> tasks;
    for (std::int64_t i = dice.between(1, 4); i > 0; --i) {
      PeriodicTask task;
      task.period = dice.duration(1, 24);
      task.deadline = dice.duration(1, in_ns(task.period));
      task.cost = dice.duration(1, (in_ns(task.deadline) + 2) / 3);
      task.offset = dice.percent(50) ? Duration{} : dice.duration(0, 15);
      tasks.push_back(task);
    }
    const std::int64_t horizon = dice.between(20, 400);
    std::optional<MissedJob> expected = test::play_step_by_step(tasks, supply, horizon);
    const ScheduleOutcome outcome = play_edf(tasks, supply, time_at(nanoseconds(horizon)), 100'000);
    ASSERT_TRUE(outcome.complete);
    std::optional<MissedJob> miss = outcome.miss;
    // Jobs whose deadline lies behind the horizon are played to their end, too.
    if (miss && in_ns(miss->deadline) > horizon) miss.reset();
    ASSERT_EQ(miss, expected) << "seed " << seed;
    misses += miss ? 1 : 0;
  }
  EXPECT_GT(misses, 1000);
  EXPECT_LT(misses, 4500);
}

}  // namespace
}  // namespace tactus::analysis
