#include "tactus/analysis/priority_points.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tactus::analysis {
namespace {

using Responses = std::optional<std::vector<Duration>>;

constexpr Duration ns(std::int64_t count) { return nanoseconds(count); }

TEST(PriorityPoints, OneSourceAloneTakesItsWork) {
  for (const JobsOfSource jobs : {JobsOfSource::parallel, JobsOfSource::sequential}) {
    const std::vector<PointSource> one{{ns(70), ns(100), ns(100)}};
    EXPECT_EQ(responses_on_cores(one, 1, jobs), (Responses{{ns(70)}})) << static_cast<int>(jobs);
  }
}

/// Two cores, EDF: Y = T.
TEST(PriorityPoints, GoldenValuesOfParallelJobs) {
  const std::vector<PointSource> sources{
      {ns(6), ns(10), ns(10)}, {ns(6), ns(10), ns(10)}, {ns(4), ns(20), ns(20)}};
  // U = 1.4, n = 1, E = 6; S = 6, 6, 4 (1 - 10/20) = 2.
  // R = 6 + (0 + 14 + 6 - 6)/2 = 13 for the first two, 4 + (14 + 14 + 6 - 4)/2 = 19 for the third.
  EXPECT_EQ(responses_on_cores(sources, 2, JobsOfSource::parallel), (Responses{{ns(13), ns(13), ns(19)}}));
  // E = 12.
  EXPECT_EQ(responses_on_cores(sources, 2, JobsOfSource::parallel_without_preemption),
            (Responses{{ns(16), ns(16), ns(22)}}));
}

TEST(PriorityPoints, GoldenValuesOfSequentialJobs) {
  const std::vector<PointSource> sources{
      {ns(6), ns(10), ns(10)}, {ns(6), ns(10), ns(10)}, {ns(4), ns(20), ns(20)}};
  // n = 1: 2 s >= 14 + max of 0.6 (s - 3) + 6 - 6 and 0.2 (s - 2) + 4 - 2, the first from s = 8.5 on.
  // 1.4 s >= 12.2: s = 8.71, in whole nanoseconds 9. R = s - 3 + 6 = 12, 10 + s - 2 + 4 = 21.
  EXPECT_EQ(responses_on_cores(sources, 2, JobsOfSource::sequential), (Responses{{ns(12), ns(12), ns(21)}}));
}

TEST(PriorityPoints, MoreLoadThanCoresHasNoBound) {
  const std::vector<PointSource> sources{{ns(11), ns(10), ns(10)}, {ns(10), ns(10), ns(10)}};
  EXPECT_EQ(responses_on_cores(sources, 2, JobsOfSource::parallel), std::nullopt);
  EXPECT_NE(responses_on_cores(sources, 3, JobsOfSource::parallel), std::nullopt);
  // A job that takes longer than the period never lets its successor begin in time.
  EXPECT_EQ(responses_on_cores(sources, 3, JobsOfSource::sequential), std::nullopt);
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
    for (const JobsOfSource jobs :
         {JobsOfSource::parallel, JobsOfSource::parallel_without_preemption, JobsOfSource::sequential}) {
      EXPECT_EQ(responses_on_cores(sources, 3, jobs), responses_on_cores(later, 3, jobs));
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
