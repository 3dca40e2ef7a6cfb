#include "tactus/trace/span_layout.hpp"

namespace tactus::trace {
namespace {

using namespace std::chrono_literals;

TEST(SpanLayout, TakesTheLowestFreeOne) {
  SpanLayout lanes;
  EXPECT_EQ(lanes.place(time_at(0ms), time_at(4ms)), 0U);
  EXPECT_EQ(lanes.place(time_at(0ms), time_at(6ms)), 1U);
  EXPECT_EQ(lanes.place(time_at(3ms), time_at(5ms)), 2U);
  EXPECT_EQ(lanes.place(time_at(4ms), time_at(9ms)), 0U) << "an end frees its lane at that very instant";
  EXPECT_EQ(lanes.place(time_at(5ms), time_at(7ms)), 2U);
  EXPECT_EQ(lanes.size(), 3U);
}

TEST(SpanLayout, NeverOverlapsEvenOutOfOrder) {
  SpanLayout lanes;
  EXPECT_EQ(lanes.place(time_at(5ms), time_at(6ms)), 0U);
  EXPECT_EQ(lanes.place(time_at(0ms), time_at(10ms)), 1U);
  EXPECT_EQ(lanes.place(time_at(6ms), time_at(8ms)), 0U);
}

TEST(SpanLayout, RefusesWhenAllAreBusy) {
  SpanLayout lanes;
  EXPECT_EQ(lanes.place(time_at(0ms), time_at(4ms), 1), 0U);
  EXPECT_EQ(lanes.place(time_at(3ms), time_at(5ms), 1), std::nullopt);
  EXPECT_EQ(lanes.place(time_at(4ms), time_at(5ms), 1), 0U);
  EXPECT_EQ(lanes.size(), 1U);
}

TEST(SpanLayout, EmptySpansShareALane) {
  SpanLayout lanes;
  EXPECT_EQ(lanes.place(time_at(1ms), time_at(1ms)), 0U);
  EXPECT_EQ(lanes.place(time_at(1ms), time_at(1ms)), 0U);
  EXPECT_EQ(lanes.place(time_at(1ms), time_at(2ms)), 0U);
}

}  // namespace
}  // namespace tactus::trace
