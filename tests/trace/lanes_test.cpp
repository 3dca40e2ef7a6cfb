#include "tactus/trace/lanes.hpp"

namespace tactus::trace {
namespace {

using namespace std::chrono_literals;

TEST(Lanes, TakesTheLowestFreeOne) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(at(0ms), at(4ms)), 0U);
  EXPECT_EQ(lanes.place(at(0ms), at(6ms)), 1U);
  EXPECT_EQ(lanes.place(at(3ms), at(5ms)), 2U);
  EXPECT_EQ(lanes.place(at(4ms), at(9ms)), 0U) << "an end frees its lane at that very instant";
  EXPECT_EQ(lanes.place(at(5ms), at(7ms)), 2U);
  EXPECT_EQ(lanes.size(), 3U);
}

TEST(Lanes, NeverOverlapsEvenOutOfOrder) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(at(5ms), at(6ms)), 0U);
  EXPECT_EQ(lanes.place(at(0ms), at(10ms)), 1U);
  EXPECT_EQ(lanes.place(at(6ms), at(8ms)), 0U);
}

TEST(Lanes, RefusesWhenAllAreBusy) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(at(0ms), at(4ms), 1), 0U);
  EXPECT_EQ(lanes.place(at(3ms), at(5ms), 1), std::nullopt);
  EXPECT_EQ(lanes.place(at(4ms), at(5ms), 1), 0U);
  EXPECT_EQ(lanes.size(), 1U);
}

TEST(Lanes, EmptySpansShareALane) {
  Lanes lanes;
  EXPECT_EQ(lanes.place(at(1ms), at(1ms)), 0U);
  EXPECT_EQ(lanes.place(at(1ms), at(1ms)), 0U);
  EXPECT_EQ(lanes.place(at(1ms), at(2ms)), 0U);
}

}  // namespace
}  // namespace tactus::trace
