#include "tactus/device/cuda/sm_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::cuda {
namespace {

using testing::ElementsAre;

TEST(CudaSmSet, HoldsWhatWasPutIn) {
  SmSet set;
  EXPECT_EQ(set.size(), 0);
  for (const unsigned sm : {511U, 0U, 31U, 32U, 131U}) set.insert(sm);
  set.insert(32);
  EXPECT_EQ(set.size(), 5);
  EXPECT_THAT(set.ids(), ElementsAre(0U, 31U, 32U, 131U, 511U));
  EXPECT_TRUE(set.contains(131));
  EXPECT_FALSE(set.contains(130));
  EXPECT_EQ(set, sm_set_of({0, 31, 32, 131, 511}));
}

TEST(CudaSmSet, KnowsItsEnds) {
  EXPECT_EQ(sm_set_of({33}).lowest(), 33U);
  EXPECT_EQ(sm_set_of({33}).highest(), 33U);
  EXPECT_EQ(sm_set_of({5, 63, 64, 95}).lowest(), 5U);
  EXPECT_EQ(sm_set_of({5, 63, 64, 95}).highest(), 95U);
  EXPECT_EQ(all_sms().lowest(), 0U);
  EXPECT_EQ(all_sms().highest(), SmSet::capacity - 1);
}

TEST(CudaSmSet, AnSmBeyondItsSizeIsInNoSet) {
  EXPECT_TRUE(all_sms().contains(SmSet::capacity - 1));
  EXPECT_FALSE(all_sms().contains(SmSet::capacity));
  EXPECT_EQ(all_sms().size(), static_cast<int>(SmSet::capacity));
}

}  // namespace
}  // namespace tactus::cuda
