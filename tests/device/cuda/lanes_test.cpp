#include "tactus/device/cuda/lane_streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tactus/base/error.hpp"

namespace tactus::cuda {
namespace {

using sched::Lane;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr PriorityRange six_levels{.least_urgent = 0, .most_urgent = -5};

TEST(CudaLanes, TheLeastUrgentRankHasTheLeastUrgentPriority) {
  EXPECT_EQ(stream_priority(0, 0, six_levels), 0);
  EXPECT_EQ(stream_priority(3, 3, six_levels), 0);
  EXPECT_EQ(stream_priority(2, 3, six_levels), -1);
  EXPECT_EQ(stream_priority(0, 3, six_levels), -3);
  EXPECT_EQ(stream_priority(0, 5, six_levels), -5);
}

TEST(CudaLanes, RanksBeyondTheDevicesLevelsShareTheMostUrgent) {
  EXPECT_EQ(stream_priority(0, 9, six_levels), -5);
  EXPECT_EQ(stream_priority(4, 9, six_levels), -5);
  EXPECT_EQ(stream_priority(5, 9, six_levels), -4);
  EXPECT_EQ(stream_priority(12, 9, six_levels), 0);
  EXPECT_EQ(stream_priority(0, ~0U, six_levels), -5);
}

TEST(CudaLanes, EachLaneOnceInOrder) {
  const std::vector<Lane> lanes{{.stream = 1, .level = 0, .sms = 2},
                                {.stream = 0, .level = 4, .sms = 0},
                                {.stream = 1, .level = 0, .sms = 2},
                                {.stream = sched::own_stream, .level = 1, .sms = 1}};
  const LanePlan plan = plan_lanes(lanes);
  EXPECT_EQ(plan.lanes.size(), 3U);
  EXPECT_EQ(plan.max_level, 4U);
  EXPECT_THAT(plan.sm_sets, ElementsAre(1U, 2U));
  for (const Lane& lane : lanes) EXPECT_EQ(plan.lanes[plan.find(lane)], lane);
  EXPECT_EQ(plan.find({.stream = 0, .level = 3, .sms = 0}), LanePlan::none);
  EXPECT_EQ(plan.find({.stream = 7, .level = 9, .sms = 9}), LanePlan::none);
}

std::vector<std::vector<std::int32_t>> sets_of(const std::vector<std::size_t>& sizes) {
  std::vector<std::vector<std::int32_t>> sets;
  for (const std::size_t size : sizes) sets.emplace_back(size);
  return sets;
}

TEST(CudaLanes, PartsForTheSetsInUseAlone) {
  const LanePlan lanes = plan_lanes(std::vector<Lane>{{.sms = 0}, {.sms = 1}, {.sms = 3}});
  const PartitionPlan whole = plan_partitions(lanes, sets_of({132, 8, 16, 24}), 132);
  EXPECT_THAT(whole.sizes, ElementsAre(8, 24));
  EXPECT_EQ(whole.around, 0);
  const PartitionPlan some = plan_partitions(lanes, sets_of({64, 8, 16, 24}), 132);
  EXPECT_THAT(some.sizes, ElementsAre(8, 24));
  EXPECT_EQ(some.around, 64);
}

TEST(CudaLanes, AGpuThatIsTooLargeIsRefusedWithBothNumbers) {
  const LanePlan lanes = plan_lanes(std::vector<Lane>{Lane{}});
  try {
    static_cast<void>(plan_partitions(lanes, sets_of({144}), 132));
    FAIL() << "it was not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("144"));
    EXPECT_THAT(error.what(), HasSubstr("132"));
  }
}

}  // namespace
}  // namespace tactus::cuda
