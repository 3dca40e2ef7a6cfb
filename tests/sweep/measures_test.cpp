#include "tactus/sweep/measures.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tactus/sweep/counts.hpp"
#include "tactus/sweep/json.hpp"

namespace tactus::sweep {
namespace {

constexpr UInt128 one = UInt128{1} << 32U;

TEST(RatioMean, IsTheMeanToTheNearestMillionth) {
  RatioMean mean;
  EXPECT_FALSE(mean.mean());
  mean.add(nanoseconds(1), nanoseconds(3));
  EXPECT_EQ(mean.mean(), 333'333);
  mean.add(nanoseconds(2), nanoseconds(3));
  EXPECT_EQ(mean.mean(), 500'000);
  EXPECT_EQ(mean.sum, one - 1);  // both were rounded down, once
  mean.add(nanoseconds(5), nanoseconds(2));
  EXPECT_EQ(mean.mean(), 1'166'667);
  EXPECT_EQ(mean.tasks, 3);
}

TEST(RatioMean, HoldsTheLargestRatios) {
  RatioMean mean;
  mean.add(Duration::max(), nanoseconds(1));
  EXPECT_EQ(mean.sum, one << 31U);
  EXPECT_EQ(mean.mean(), (std::int64_t{1} << 31U) * 1'000'000);
  // A billion systems of ten thousand tasks: no sum leaves 128 bits.
  mean.sum *= 10'000'000'000'000U;
  mean.tasks *= 10'000'000'000'000;
  EXPECT_EQ(mean.mean(), (std::int64_t{1} << 31U) * 1'000'000);
}

TEST(Sums, WeightedSchedulabilityIsAShareOfUtilisation) {
  Sums sums;
  EXPECT_FALSE(sums.weighted());
  sums.add({.weight = one, .accepted_weight = one});
  sums.add({.weight = 2 * one, .accepted_weight = 0});
  EXPECT_EQ(sums.weighted(), 333'333);
  sums.add({.weight = 3 * one, .accepted_weight = 3 * one});
  EXPECT_EQ(sums.weighted(), 666'667);
}

Task task(Duration period, std::vector<Segment> segments) {
  Task task;
  task.name = "task";
  task.period = period;
  task.deadline = period;
  task.work.form = segments.size() == 1 ? WorkForm::single : WorkForm::chain;
  for (const Segment& segment : segments) task.work.nodes.push_back({.name = "", .segment = segment});
  return task;
}

TEST(Utilisation, CountsAllSegmentsOfTasksThatRepeat) {
  System system;
  const auto exactly = [](std::int64_t time) { return Interval::exactly(nanoseconds(time)); };
  system.tasks.push_back(task(nanoseconds(8), {ExclusiveSegment{{nanoseconds(1), nanoseconds(2)}}}));
  EXPECT_EQ(utilisation_of(system), one / 4);
  system.tasks.push_back(task(
      nanoseconds(100), {CpuSegment{exactly(20)}, GpuSegment{.work = exactly(25), .overhead = exactly(5)},
                         CopySegment{.time = exactly(5), .bytes = {}}}));
  EXPECT_EQ(utilisation_of(system), one * 3 / 4);
  Task best_effort = task(nanoseconds(1), {ExclusiveSegment{exactly(1)}});
  best_effort.arrival = Arrival::best_effort;
  best_effort.period.reset();
  best_effort.deadline.reset();
  system.tasks.push_back(best_effort);
  EXPECT_EQ(utilisation_of(system), one * 3 / 4);
}

TEST(Utilisation, DoesNotDependOnThePolicy) {
  System system;
  system.platform.gpu.sms = 4;
  KernelSegment kernel{.grid = {8, 1, 1}, .block = 1024, .block_time = Interval::exactly(nanoseconds(10))};
  system.tasks.push_back(task(nanoseconds(1000), {kernel}));
  const UInt128 plain = utilisation_of(system);
  EXPECT_GT(plain, 0U);
  system.policy.strategy = strategy_named("federated");
  system.virtual_sms = {system.platform.gpu.virtual_sms_per_sm};
  EXPECT_EQ(utilisation_of(system), plain);
  system.policy.strategy = strategy_named("sm-cores");
  system.tasks[0].sm = {SmAffinity::Kind::one, 0};
  EXPECT_EQ(utilisation_of(system), plain);
}

TEST(PartCounts, AreReadAsTheyWereWritten) {
  PartCounts part{2};
  part.counts[0].schedulable = 3;
  part.counts[0].sums = {.weight = (one << 60U) + 7,
                         .accepted_weight = (one << 50U) + 5,
                         .bound_deadline = {(one << 40U) + 3, 11},
                         .bound_observed = {(one << 45U) + 1, 9},
                         .broken = 2};
  const nlohmann::json json = to_json(part);
  EXPECT_EQ(read_part_counts(json, 2), part);
  // What is not measured is not written: older programs' files have the same form.
  EXPECT_FALSE(json[1].contains("sums"));
}

TEST(PartCounts, DamagedSumsAreRefused) {
  PartCounts part{1};
  part.counts[0].sums = {.weight = one, .accepted_weight = one};
  const nlohmann::json whole = to_json(part);
  ASSERT_TRUE(read_part_counts(whole, 1));
  for (const nlohmann::json& bad :
       {nlohmann::json("x"), nlohmann::json::array({1, 2}),
        nlohmann::json::array({0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0}),
        nlohmann::json::array({0, 1, 0, 1, 0, 0, 0, 0, -1, 0, 0}),
        nlohmann::json::array({0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 18446744073709551615ULL})}) {
    nlohmann::json json = whole;
    json[0]["sums"] = bad;
    EXPECT_FALSE(read_part_counts(json, 1)) << bad;
  }
}

}  // namespace
}  // namespace tactus::sweep
