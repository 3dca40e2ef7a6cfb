#include "tactus/base/time.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <type_traits>

namespace tactus {
namespace {

using namespace std::chrono_literals;

// Instants, durations and bare numbers cannot be mixed up.
static_assert(!std::is_convertible_v<std::int64_t, Duration>);
static_assert(!std::is_convertible_v<Duration, Time>);
static_assert(!std::is_convertible_v<Time, Duration>);

TEST(Time, CountsNanosecondsFromItsOrigin) {
  EXPECT_EQ(in_ns(origin), 0);
  EXPECT_EQ(in_ns(time_at(3us)), 3000);
  EXPECT_EQ(nanoseconds(5), 5ns);
  EXPECT_EQ(time_at(3us) - time_at(1us), 2us);
}

TEST(Time, SumsAndProductsSayWhenTheyDoNotFit) {
  EXPECT_EQ(checked_add(time_at(1ns), 2ns), time_at(3ns));
  EXPECT_EQ(checked_add(1ns, 2ns), 3ns);
  EXPECT_EQ(checked_mul(3ns, 4), 12ns);
  EXPECT_THROW(checked_add(never, 1ns), OverflowError);
  EXPECT_THROW(checked_add(Duration::max(), 1ns), OverflowError);
  EXPECT_THROW(checked_mul(Duration::max(), 2), OverflowError);
}

TEST(Time, SaturatesAtNever) {
  EXPECT_EQ(saturating_add(time_at(1ns), 2ns), time_at(3ns));
  EXPECT_EQ(saturating_add(time_at(1ns), Duration::max()), never);
  EXPECT_EQ(saturating_add(never, 0ns), never);
}

}  // namespace
}  // namespace tactus
