#include "tactus/trace/statistics.hpp"

#include <nlohmann/json.hpp>

#include "tactus/trace/json.hpp"

namespace tactus::trace {
namespace {

using namespace std::chrono_literals;

JobEnded completed(TaskIndex task, Duration release, Duration response, bool missed = false) {
  return {.job = {task, 0},
          .release = time_at(release),
          .start = time_at(release),
          .completion = time_at(release + response),
          .deadline = never,
          .missed = missed};
}

JobEnded cut_off(TaskIndex task, bool missed) {
  return {.job = {task, 0}, .release = origin, .missed = missed};
}

TEST(Statistics, CountsByTask) {
  Statistics statistics{2};
  Observer& observer = statistics;
  for (int i = 0; i < 3; ++i) observer.on(JobReleased{.job = {1, 0}});
  observer.on(completed(1, 10ms, 4ms));
  observer.on(completed(1, 20ms, 9ms, true));
  observer.on(cut_off(1, true));

  EXPECT_EQ(statistics.of(0), TaskStatistics{});
  const TaskStatistics task = statistics.of(1);
  EXPECT_EQ(task.released, 3U);
  EXPECT_EQ(task.completed, 2U);
  EXPECT_EQ(task.misses, 2U);
  ASSERT_TRUE(task.response);
  EXPECT_EQ(*task.response,
            (ResponseTimes{.min = 4ms, .mean = 6500us, .p99 = 9ms, .max = 9ms, .p99_exact = true}));
  EXPECT_EQ(statistics.misses(), 2U);
  EXPECT_EQ(statistics.all().size(), 2U);
  EXPECT_EQ(statistics.all()[1], task);
}

TEST(Statistics, WantsReleasesAndEndsAlone) {
  const Interests interests = Statistics{1}.interests();
  EXPECT_TRUE(interests.releases);
  EXPECT_TRUE(interests.ends);
  EXPECT_FALSE(interests.blocks);
  EXPECT_FALSE(interests.copies);
  EXPECT_FALSE(interests.operations);
}

TEST(Statistics, P99IsTheNearestRank) {
  for (const auto& [jobs, rank] : {std::pair{1, 1}, {2, 2}, {99, 99}, {100, 99}, {101, 100}, {200, 198}}) {
    Statistics statistics{1};
    for (int i = jobs; i >= 1; --i) statistics.on(completed(0, 0ms, nanoseconds(i)));
    EXPECT_EQ(statistics.of(0).response->p99, nanoseconds(rank)) << jobs << " jobs";
  }
}

TEST(Statistics, MeanIsRoundedToTheNearestNanosecond) {
  const auto mean = [](std::initializer_list<int> responses) {
    Statistics statistics{1};
    for (const int response : responses) statistics.on(completed(0, 0ms, nanoseconds(response)));
    return statistics.of(0).response->mean;
  };
  EXPECT_EQ(mean({1, 1, 2}), 1ns);
  EXPECT_EQ(mean({1, 2, 2}), 2ns);
  EXPECT_EQ(mean({1, 2}), 2ns);
  EXPECT_EQ(mean({0}), 0ns);
}

TEST(Statistics, SumsBeyond64Bits) {
  Statistics statistics{1};
  const Duration huge = Duration::max() - 10ns;
  for (int i = 0; i < 4; ++i) statistics.on(completed(0, 0ms, huge - nanoseconds(i % 2)));
  EXPECT_EQ(statistics.of(0).response->mean, huge);
  EXPECT_EQ(statistics.of(0).response->min, huge - 1ns);
}

TEST(Statistics, RoundsTheTaskWithTheMostResponsesWhenAllTogetherAreTooMany) {
  Statistics statistics{2, {.distinct_per_task = 1000, .distinct_in_all = 60}};
  for (int i = 0; i < 20; ++i) statistics.on(completed(0, 0ms, 1s + nanoseconds(i)));
  for (int i = 0; i < 50; ++i) statistics.on(completed(1, 0ms, 1s + nanoseconds(i)));
  EXPECT_TRUE(statistics.of(0).response->p99_exact);
  EXPECT_FALSE(statistics.of(1).response->p99_exact);
  EXPECT_EQ(statistics.of(1).response->min, 1s) << "only p99 is rounded";
  EXPECT_EQ(statistics.of(1).response->p99, 1s + 49ns) << "p99 is never above the largest";
}

TEST(ResponseCounts, RoundsUpByLessThanAThousandth) {
  EXPECT_EQ(ResponseCounts::round_up(2047ns), 2047ns);
  EXPECT_EQ(ResponseCounts::round_up(2049ns), 2050ns);
  EXPECT_EQ(ResponseCounts::round_up(4095ns), 4096ns);
  EXPECT_EQ(ResponseCounts::round_up(0ns), 0ns);
  EXPECT_EQ(ResponseCounts::round_up(Duration::max()), Duration::max());
  EXPECT_EQ(ResponseCounts::round_up(Duration::max() - 1ns), Duration::max());
}

TEST(TaskStatistics, IsWrittenAsJson) {
  nlohmann::ordered_json json{{"name", "a"}};
  to_json(json, TaskStatistics{.released = 7,
                               .completed = 5,
                               .misses = 1,
                               .response = ResponseTimes{
                                   .min = 1ns, .mean = 2ns, .p99 = 3ns, .max = 4ns, .p99_exact = false}});
  EXPECT_EQ(json.dump(),
            R"({"name":"a","jobs":7,"misses":1,"response_ns":{"min":1,"mean":2,"p99":3,"max":4},)"
            R"("completed":5,"p99_exact":false,"full":0})");
}

TEST(TaskStatistics, HasNullsWhereNothingCompleted) {
  const nlohmann::ordered_json json = TaskStatistics{.released = 2, .misses = 2, .response = std::nullopt};
  EXPECT_EQ(json.dump(),
            R"({"jobs":2,"misses":2,"response_ns":{"min":null,"mean":null,"p99":null,"max":null},)"
            R"("completed":0,"p99_exact":true,"full":0})");
}

}  // namespace
}  // namespace tactus::trace
