#include "tactus/device/cuda/lane_streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
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

constexpr PartitionGranularity pairs{.sms = 132, .group = 2, .groups = 66};

TEST(CudaLanes, PartsForTheSetsInUseAlone) {
  const LanePlan lanes = plan_lanes(std::vector<Lane>{{.sms = 0}, {.sms = 1}, {.sms = 3}});
  const PartitionPlan whole = plan_partitions(lanes, sets_of({132, 8, 15, 24}), pairs);
  EXPECT_THAT(whole.sizes, ElementsAre(8, 24));
  EXPECT_EQ(whole.around, 0);
  EXPECT_FALSE(whole.pins);
  const PartitionPlan some = plan_partitions(lanes, sets_of({64, 8, 16, 24}), pairs);
  EXPECT_THAT(some.sizes, ElementsAre(8, 24));
  EXPECT_EQ(some.around, 64);
}

TEST(CudaLanes, SetsThatAreNoPartitionsArePinnedInsideOne) {
  const LanePlan lanes = plan_lanes(std::vector<Lane>{{.sms = 1}, {.sms = 2}});
  const auto expect_pinned = [&](const PartitionPlan& plan, int around) {
    EXPECT_TRUE(plan.pins);
    EXPECT_THAT(plan.sizes, ElementsAre());
    EXPECT_EQ(plan.around, around);
  };
  expect_pinned(plan_partitions(lanes, sets_of({5, 3, 2}), pairs), 5);
  expect_pinned(plan_partitions(lanes, sets_of({132, 3, 2}), pairs), 0);
  expect_pinned(plan_partitions(lanes, sets_of({8, 4, 2}), pairs, SmSetsBy::pinning), 8);
  expect_pinned(plan_partitions(lanes, sets_of({8, 4, 2}), {.sms = 132}), 0);
  // Some SMs of this device are in no group.
  expect_pinned(plan_partitions(lanes, sets_of({129, 3, 2}), {.sms = 132, .group = 8, .groups = 16}), 0);
  const PartitionPlan shared = plan_partitions(plan_lanes(std::vector<Lane>{Lane{}}), sets_of({5}), pairs);
  EXPECT_FALSE(shared.pins) << "there is nothing to keep apart";
  EXPECT_EQ(shared.around, 5);
}

TEST(CudaLanes, ThePlaceOfAPinnedSet) {
  const std::vector<unsigned> ids{4, 5, 6, 7, 20, 21};
  const SmPlace place = pinned_place(std::vector<std::int32_t>{1, 2, 3, 4}, ids);
  EXPECT_TRUE(place.is_pinned);
  EXPECT_EQ(place.sms, 4);
  EXPECT_EQ(place.launch_sms, 6);
  EXPECT_EQ(place.ids, sm_set_of({5, 6, 7, 20}));
  EXPECT_FALSE(pinned_place(std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}, ids).is_pinned);
}

TEST(CudaLanes, PartsOfSmsArePinned) {
  const LanePlan lanes = plan_lanes(std::vector<Lane>{{.sms = 1}, {.sms = 2}});
  const auto plan = [&](std::size_t all) {
    return plan_partitions(lanes, sets_of({all, 4, 2}), pairs, SmSetsBy::partitions, 4);
  };
  EXPECT_TRUE(plan(12).pins);
  EXPECT_EQ(plan(12).around, 3);
  EXPECT_EQ(plan(13).around, 4);
  EXPECT_EQ(plan(528).around, 0);
  EXPECT_THROW(static_cast<void>(plan(529)), InputError);
}

TEST(CudaLanes, ThePlaceOfASetOfParts) {
  const std::vector<unsigned> ids{4, 5, 6, 8};
  const auto place = [&](std::int32_t first, std::size_t count) {
    std::vector<std::int32_t> sms(count);
    std::iota(sms.begin(), sms.end(), first);
    return pinned_place(sms, ids, 4);
  };
  const auto blocks = [&](std::int32_t first, std::size_t count) {
    return place(first, count).of_builtin_loops().blocks();
  };
  const SmPlace one = place(5, 1);
  EXPECT_EQ(one.ids, sm_set_of({5}));
  EXPECT_EQ(one.sms, 1);
  EXPECT_EQ(one.launch_sms, 4);
  EXPECT_TRUE(one.is_pinned);
  EXPECT_EQ(one.parts.first, 1U);
  const SmPlace some = place(3, 6);
  EXPECT_EQ(some.ids, sm_set_of({4, 5, 6}));
  EXPECT_EQ(some.parts, (BlocksOnSm{1, 4, 1}));
  EXPECT_EQ(place(4, 8).parts, (BlocksOnSm{4, 4, 4}));
  for (std::int32_t first = 0; first < 16; ++first) {
    for (std::size_t count = 1; first + static_cast<int>(count) <= 16; ++count) {
      EXPECT_EQ(blocks(first, count), count) << "from part " << first;
    }
  }
  EXPECT_TRUE(place(0, 16).is_pinned) << "even all of them: an SM has as many blocks as parts";
}

TEST(CudaLanes, AGpuThatIsTooLargeIsRefusedWithBothNumbers) {
  const LanePlan lanes = plan_lanes(std::vector<Lane>{Lane{}});
  try {
    static_cast<void>(plan_partitions(lanes, sets_of({144}), pairs));
    FAIL() << "it was not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("144"));
    EXPECT_THAT(error.what(), HasSubstr("132"));
  }
}

}  // namespace
}  // namespace tactus::cuda
