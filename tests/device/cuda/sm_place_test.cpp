#include "tactus/device/cuda/lane_streams.hpp"

#include <gtest/gtest.h>

namespace tactus::cuda {
namespace {

// Only a loop that leaves no SM out takes one block each, so that the device can preempt it.
TEST(CudaSmPlace, APartitionKeepsItsLoopsByItself) {
  SmPlace place{.sms = 3, .launch_sms = 3};
  place.ids = sm_set_of({4, 5, 6});
  EXPECT_EQ(place.of_loops().sms, all_sms());
  EXPECT_EQ(place.of_loops().virtual_sms, 0U);
  EXPECT_EQ(place.of_builtin_loops().sms, all_sms());
}

TEST(CudaSmPlace, LoopsThatArePinnedKnowTheirSms) {
  SmPlace place{.sms = 3, .launch_sms = 132, .is_pinned = true};
  place.ids = sm_set_of({4, 5, 6});
  EXPECT_EQ(place.of_loops().sms, place.ids);
  EXPECT_EQ(place.of_builtin_loops().sms, place.ids);
  EXPECT_EQ(place.of_builtin_loops().blocks(), 0U) << "as many as fit";
  EXPECT_EQ(place.of_builtin_loops(2).blocks(), 6U);
  EXPECT_TRUE(place.of_builtin_loops().is_pinned);
  place.virtual_sms = 4;
  EXPECT_EQ(place.of_loops().blocks(), 12U);
  EXPECT_TRUE(place.of_loops().is_pinned);
}

TEST(CudaSmPlace, VirtualSmsAreThoseOfTheSetAlone) {
  SmPlace place{.sms = 3, .launch_sms = 3, .virtual_sms = 2};
  place.ids = sm_set_of({4, 5, 6});
  EXPECT_EQ(place.of_loops().sms, place.ids);
  EXPECT_EQ(place.of_loops().virtual_sms, 2U);
}

TEST(CudaSmPlace, LoopsHaveTheirPartsOfSms) {
  SmPlace place{.sms = 3, .launch_sms = 4, .is_pinned = true};
  place.ids = sm_set_of({4, 5, 6});
  place.parts_per_sm = 4;
  place.parts = {1, 4, 2};
  place.virtual_sms = 2;
  EXPECT_EQ(place.of_loops().on_sm(), (BlocksOnSm{2, 8, 4}));
  EXPECT_EQ(place.of_loops().virtual_sms, 2U);
  EXPECT_EQ(place.of_builtin_loops().on_sm(), (BlocksOnSm{1, 4, 2}));
  EXPECT_EQ(place.of_builtin_loops(9).on_sm(), (BlocksOnSm{1, 4, 2}));
  EXPECT_EQ(place.builtin_blocks(9), 7);
}

}  // namespace
}  // namespace tactus::cuda
