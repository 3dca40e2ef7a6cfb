// Windows: when one is open, until when, and when that changes.
#include "tactus/sched/windows.hpp"

#include <gtest/gtest.h>

namespace tactus::sched {
namespace {

Time instant(std::int64_t count) { return time_at(nanoseconds(count)); }
Window window(std::int64_t offset, std::int64_t budget) {
  return {.offset = nanoseconds(offset), .budget = nanoseconds(budget)};
}

TEST(Windows, AreOpenFromTheirOffsetForTheirBudget) {
  const Windows windows{window(2, 3), nanoseconds(10)};
  EXPECT_EQ(windows.open_until(instant(0)), std::nullopt);
  EXPECT_EQ(windows.open_until(instant(1)), std::nullopt);
  EXPECT_EQ(windows.open_until(instant(2)), instant(5));
  EXPECT_EQ(windows.open_until(instant(4)), instant(5));
  EXPECT_EQ(windows.open_until(instant(5)), std::nullopt);
  EXPECT_EQ(windows.open_until(instant(31)), std::nullopt);
  EXPECT_EQ(windows.open_until(instant(32)), instant(35));
}

TEST(Windows, ChangeAtBothOfTheirEdges) {
  const Windows windows{window(2, 3), nanoseconds(10)};
  EXPECT_EQ(windows.next_edge(instant(0)), instant(2));
  EXPECT_EQ(windows.next_edge(instant(2)), instant(5));
  EXPECT_EQ(windows.next_edge(instant(4)), instant(5));
  EXPECT_EQ(windows.next_edge(instant(5)), instant(12));
  EXPECT_EQ(windows.next_edge(instant(10)), instant(12));
}

TEST(Windows, MayStartOrEndThePeriod) {
  const Windows first{window(0, 4), nanoseconds(10)};
  EXPECT_EQ(first.open_until(instant(0)), instant(4));
  EXPECT_EQ(first.next_edge(instant(4)), instant(10));
  EXPECT_EQ(first.next_edge(instant(9)), instant(10));
  EXPECT_EQ(first.next_edge(instant(10)), instant(14));
  const Windows last{window(4, 6), nanoseconds(10)};
  EXPECT_EQ(last.open_until(instant(9)), instant(10));
  EXPECT_EQ(last.open_until(instant(10)), std::nullopt);
  EXPECT_EQ(last.next_edge(instant(9)), instant(10));
  EXPECT_EQ(last.next_edge(instant(10)), instant(14));
}

TEST(Windows, ThatCoverTheirPeriodAreAlwaysOpenAndHaveNoEdge) {
  const Windows windows{window(0, 10), nanoseconds(10)};
  EXPECT_EQ(windows.open_until(instant(0)), never);
  EXPECT_EQ(windows.open_until(instant(10)), never);
  EXPECT_EQ(windows.next_edge(instant(3)), never);
}

TEST(Windows, ThatDoNotExistNeverOpenAndHaveNoEdge) {
  const Windows windows{std::nullopt, nanoseconds(10)};
  EXPECT_EQ(windows.open_until(instant(0)), std::nullopt);
  EXPECT_EQ(windows.open_until(instant(5)), std::nullopt);
  EXPECT_EQ(windows.next_edge(instant(0)), never);
}

TEST(Windows, EndWithTheTimeAxis) {
  const std::int64_t last = Duration::max().count();
  const Windows windows{window(0, last - 1), Duration::max()};
  EXPECT_EQ(windows.open_until(instant(0)), instant(last - 1));
  EXPECT_EQ(windows.next_edge(instant(last - 1)), never);
}

}  // namespace
}  // namespace tactus::sched
