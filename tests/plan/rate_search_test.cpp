// The search for a factor, against judges that are known.
#include "tactus/plan/rate_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "support/chains.hpp"

namespace tactus::test {
namespace {

using plan::RateAnswer;
using plan::RateQuestion;
using plan::RateVerdict;

RateQuestion question(std::function<bool(std::int64_t)> holds, std::int64_t most, std::int64_t scanned = 10) {
  RateQuestion result;
  result.judge = [holds](std::int64_t factor) {
    return holds(factor) ? RateVerdict::holds : RateVerdict::fails;
  };
  result.most = most;
  result.scanned = scanned;
  return result;
}

TEST(RateSearch, FindsEveryBoundary) {
  for (const std::int64_t boundary : {1, 2, 17, 500, 999, 1000, 1001, 1234, 4999, 5000}) {
    const RateAnswer answer =
        search_rate(question([&](std::int64_t factor) { return factor <= boundary; }, 5000), {});
    ASSERT_EQ(answer.factor, boundary);
    EXPECT_EQ(answer.fails_to, boundary == 5000 ? 0 : std::min<std::int64_t>(boundary + 11, 5000));
    EXPECT_EQ(answer.largest, boundary + 11 >= 5000);
    EXPECT_FALSE(answer.stopped);
  }
}

TEST(RateSearch, FindsNothingWhereNothingHolds) {
  const RateAnswer answer = search_rate(question([](std::int64_t) { return false; }, 5000), {});
  EXPECT_FALSE(answer.factor);
  EXPECT_FALSE(answer.largest);
  EXPECT_FALSE(search_rate(question([](std::int64_t) { return true; }, 0), {}).factor);
}

TEST(RateSearch, LooksBeyondAGap) {
  // Above the first boundary some larger factors hold again.
  const auto holds = [](std::int64_t factor) { return factor <= 1100 || (factor >= 1107 && factor <= 1109); };
  const RateAnswer answer = search_rate(question(holds, 5000, 30), {});
  EXPECT_EQ(answer.factor, 1109);
  EXPECT_EQ(answer.fails_to, 1131);
  EXPECT_FALSE(answer.largest);
}

/// What is ruled out at one factor is so at all larger ones: they are not tried.
TEST(RateSearch, StopsWhereTheRestIsRuledOut) {
  std::int64_t largest_tried = 0;
  RateQuestion asked;
  asked.scanned = 1000;
  asked.judge = [&](std::int64_t factor) {
    largest_tried = std::max(largest_tried, factor);
    return factor <= 1100 ? RateVerdict::holds : factor < 1300 ? RateVerdict::fails : RateVerdict::ruled_out;
  };
  RateAnswer answer = search_rate(asked, {});
  EXPECT_EQ(answer.factor, 1100);
  EXPECT_GE(answer.fails_to, 1299);
  EXPECT_TRUE(answer.largest);
  EXPECT_EQ(largest_tried, 1300);
  asked.scanned = 100;
  answer = search_rate(asked, {});
  EXPECT_EQ(answer.fails_to, 1201);
  EXPECT_FALSE(answer.largest);
  asked.judge = [](std::int64_t factor) {
    return factor <= 1100 ? RateVerdict::holds : RateVerdict::ruled_out;
  };
  answer = search_rate(asked, {});
  EXPECT_EQ(answer.factor, 1100);
  EXPECT_TRUE(answer.largest);
}

TEST(RateSearch, TellsOnlyWhatWasTried) {
  std::set<std::int64_t> tried;
  const RateAnswer answer = search_rate(question(
                                            [&](std::int64_t factor) {
                                              tried.insert(factor);
                                              return factor % 7 == 0 || factor < 900;
                                            },
                                            100'000, 50),
                                        {});
  ASSERT_TRUE(answer.factor);
  EXPECT_TRUE(tried.contains(*answer.factor));
  for (std::int64_t factor = *answer.factor; factor <= answer.fails_to; ++factor) {
    EXPECT_TRUE(tried.contains(factor)) << factor;
  }
  EXPECT_FALSE(answer.largest);
}

TEST(RateSearch, GivingUpIsToldAndNeverCountsAsNo) {
  RateQuestion asked = question([](std::int64_t) { return true; }, 1200, 1000);
  asked.judge = [](std::int64_t factor) {
    return factor <= 1100 ? RateVerdict::holds : factor == 1150 ? RateVerdict::gave_up : RateVerdict::fails;
  };
  const RateAnswer answer = search_rate(asked, {});
  EXPECT_EQ(answer.factor, 1100);
  EXPECT_EQ(answer.fails_to, 1200);
  EXPECT_TRUE(answer.gave_up);
  EXPECT_FALSE(answer.largest);
}

TEST(RateSearch, AStopKeepsTheBestSoFar) {
  std::atomic<bool> stop{false};
  const RateAnswer answer = search_rate(question(
                                            [&](std::int64_t factor) {
                                              stop = stop || factor > 1000;
                                              return true;
                                            },
                                            5000),
                                        {.stop = &stop});
  EXPECT_TRUE(answer.stopped);
  EXPECT_EQ(answer.factor, 1001);
  EXPECT_FALSE(answer.largest);
}

TEST(AtRate, RoundsDownAndLeavesTheRestAlone) {
  System system = federated({{100, 151, {cpu(5)}, {}, 0, 3}});
  const std::optional<System> faster = plan::at_rate(system, 1500);
  ASSERT_TRUE(faster);
  EXPECT_EQ(faster->tasks[0].period, nanoseconds(100));
  EXPECT_EQ(faster->tasks[0].deadline, nanoseconds(66));
  EXPECT_EQ(faster->tasks[0].jitter, nanoseconds(3));
  EXPECT_EQ(*plan::at_rate(system, 1000), system);
  const std::optional<System> kept = plan::at_rate(system, 1500, {.keeps_deadlines = true});
  EXPECT_EQ(kept->tasks[0].period, faster->tasks[0].period);
  EXPECT_EQ(kept->tasks[0].deadline, system.tasks[0].deadline);
  EXPECT_EQ(plan::at_rate(system, 1500, {.tasks = {1}})->tasks[0], system.tasks[0]);
  EXPECT_EQ(plan::at_rate(system, 500)->tasks[0].period, nanoseconds(302));
  EXPECT_TRUE(plan::at_rate(system, 100'000));
  EXPECT_FALSE(plan::at_rate(system, 100'001));  // no deadline is left
  system.tasks[0].period = Duration::max();
  EXPECT_FALSE(plan::at_rate(system, 999));
}

}  // namespace
}  // namespace tactus::test
