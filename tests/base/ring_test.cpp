// A bounded queue from one thread to one other.
#include "tactus/base/ring.hpp"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(Ring, KeepsOrderAndSaysWhenItIsFull) {
  Ring<int> ring{3};
  EXPECT_EQ(ring.capacity(), 4U);
  EXPECT_EQ(ring.front(), nullptr);
  int pushed = 0;
  int popped = 0;
  for (int round = 0; round < 10; ++round) {
    while (ring.push(pushed)) ++pushed;
    EXPECT_EQ(ring.room(), 0U);
    EXPECT_EQ(ring.size(), 4U);
    for (int i = 0; i < 3; ++i) {
      ASSERT_NE(ring.front(), nullptr);
      EXPECT_EQ(*ring.front(), popped++);
      ring.pop();
    }
    EXPECT_EQ(ring.room(), 3U);
  }
}

TEST(Ring, KeepsTheRoomThatItIsToldToLeave) {
  Ring<int> ring{4};
  EXPECT_TRUE(ring.push(1, 2));
  EXPECT_TRUE(ring.push(2, 2));
  EXPECT_FALSE(ring.push(3, 2));
  EXPECT_TRUE(ring.push(3, 1));
  EXPECT_TRUE(ring.push(4));
  EXPECT_FALSE(ring.push(5));
}

}  // namespace
}  // namespace tactus
