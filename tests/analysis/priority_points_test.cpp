#include "tactus/analysis/priority_points.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tactus::analysis {
namespace {

using Responses = std::optional<std::vector<Duration>>;

constexpr Duration ns(std::int64_t count) { return nanoseconds(count); }

std::vector<PointSource> in_turn(std::vector<PointSource> sources) {
  for (PointSource& source : sources) source.in_turn = true;
  return sources;
}

TEST(PriorityPoints, OneSourceAloneTakesItsWork) {
  const std::vector<PointSource> one{{ns(70), ns(100), ns(100)}};
  EXPECT_EQ(responses_on_cores(one, 1, true), (Responses{{ns(70)}}));
  EXPECT_EQ(responses_on_cores(in_turn(one), 1, true), (Responses{{ns(70)}}));
}

/// Two cores, EDF: Y = T.
TEST(PriorityPoints, GoldenValuesOfParallelJobs) {
  const std::vector<PointSource> sources{
      {ns(6), ns(10), ns(10)}, {ns(6), ns(10), ns(10)}, {ns(4), ns(20), ns(20)}};
  // U = 1.4, n = 1; S = 6, 6, 4 (1 - 10/20) = 2. K = 0.6 (s - 3) for the first two, for the third
  // 4 + 0.2 (7 + s - 2 - 10) - 2 = 1 + 0.2 s. 2 s >= 14 + 0.6 s - 1.8: s = 8.71, in whole nanoseconds 9, and
  // E = 3.6, rounded up 4. R = 6 + (0 + 14 + 4 - 6)/2 = 12 for the first two, 4 + (14 + 14 + 4 - 4)/2 = 18.
  EXPECT_EQ(responses_on_cores(sources, 2, true), (Responses{{ns(12), ns(12), ns(18)}}));
  // E = 12: R = 6 + (14 + 12 - 6)/2, 4 + (14 + 14 + 12 - 4)/2.
  EXPECT_EQ(responses_on_cores(sources, 2, false), (Responses{{ns(16), ns(16), ns(22)}}));
}

/// A long job is pending as a whole only where it can be late.
TEST(PriorityPoints, NoMoreIsPendingThanOnCoresThatAreBusy) {
  const std::vector<PointSource> sources{{ns(100), ns(1000), ns(1000)},
                                         {ns(10), ns(20), ns(20)},
                                         {ns(10), ns(20), ns(20)},
                                         {ns(10), ns(20), ns(20)}};
  // U = 1.6, n = 1, sum S = 30 + 100 (1 - 980/1000) = 32: at most E = 100, as published.
  const Responses refined = responses_on_cores(sources, 2, true);
  EXPECT_LT(refined.value()[1], ns(10 + (32 + 100 - 10) / 2));
  EXPECT_GE(refined.value()[1], ns(10 + (32 - 10) / 2));
}

TEST(PriorityPoints, GoldenValuesOfJobsInTurn) {
  const std::vector<PointSource> sources{
      {ns(6), ns(10), ns(10)}, {ns(6), ns(10), ns(10)}, {ns(4), ns(20), ns(20)}};
  // n = 1: 2 s >= 14 + max of 0.6 (s - 3) + 6 - 6 and 0.2 (s - 2) + 4 - 2, the first from s = 8.5 on.
  // 1.4 s >= 12.2: s = 8.71, in whole nanoseconds 9. R = s - 3 + 6 = 12, 10 + s - 2 + 4 = 21.
  EXPECT_EQ(responses_on_cores(in_turn(sources), 2, true), (Responses{{ns(12), ns(12), ns(21)}}));
  // Not preempted, two terms: 2 s >= 14 + 2 max(6, 0.6 (s - 3)), so s = 13: R = 16, 10 + 13 - 2 + 4 = 25.
  EXPECT_EQ(responses_on_cores(in_turn(sources), 2, false), (Responses{{ns(16), ns(16), ns(25)}}));
}

TEST(PriorityPoints, MoreLoadThanCoresHasNoBound) {
  const std::vector<PointSource> sources{{ns(11), ns(10), ns(10)}, {ns(10), ns(10), ns(10)}};
  EXPECT_EQ(responses_on_cores(sources, 2, true), std::nullopt);
  EXPECT_NE(responses_on_cores(sources, 3, true), std::nullopt);
  // A job that takes longer than the period never lets its successor begin in time.
  EXPECT_EQ(responses_on_cores(in_turn(sources), 3, true), std::nullopt);
}

/// Whatever begins while both cores have all that they can do stays in the way for ever.
TEST(PriorityPoints, FullCoresWithoutPreemptionHaveNoBoundInTurn) {
  const std::vector<PointSource> sources{{ns(10), ns(10), ns(10), true}, {ns(10), ns(10), ns(10), true}};
  EXPECT_NE(responses_on_cores(sources, 2, true), std::nullopt);
  EXPECT_EQ(responses_on_cores(sources, 2, false), std::nullopt);
}

TEST(PriorityPoints, OnlyDifferencesOfPointsCount) {
  std::mt19937 random{7};
  const auto between = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>{least, most}(random);
  };
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<PointSource> sources;
    for (std::int64_t i = between(1, 6); i > 0; --i) {
      const std::int64_t period = between(10, 50);
      sources.push_back({ns(between(1, period / 2)), ns(period), ns(between(0, 60))});
    }
    std::vector<PointSource> later = sources;
    for (PointSource& source : later) source.point += ns(1000);
    for (const bool is_preemptive : {true, false}) {
      EXPECT_EQ(responses_on_cores(sources, 3, is_preemptive), responses_on_cores(later, 3, is_preemptive));
      EXPECT_EQ(responses_on_cores(in_turn(sources), 3, is_preemptive),
                responses_on_cores(in_turn(later), 3, is_preemptive));
    }
  }
}

TEST(PriorityPoints, GoldenValuesOfEngines) {
  const std::vector<RequestSource> sources{{ns(4), ns(20), {}}, {ns(6), ns(20), {}}, {ns(2), ns(20), {}}};
  EXPECT_EQ(responses_at_engines(sources, 1), (Responses{{ns(12), ns(12), ns(12)}}));
  // (12 - C + 6)/2 + C
  EXPECT_EQ(responses_at_engines(sources, 2), (Responses{{ns(11), ns(12), ns(10)}}));
  const std::vector<RequestSource> late{{ns(4), ns(20), ns(10)}, {ns(6), ns(20), {}}};
  EXPECT_EQ(responses_at_engines(late, 1), (Responses{{ns(12), ns(12)}}));
}

}  // namespace
}  // namespace tactus::analysis
