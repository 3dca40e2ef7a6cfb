#include "tactus/measure/margin_rule.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tactus/base/error.hpp"

namespace tactus::measure {
namespace {

SampleSummary summary(std::int64_t p999, std::int64_t max) {
  return {.samples = 10, .p999 = nanoseconds(p999), .max = nanoseconds(max)};
}

TEST(SampleSummary, QuantilesAreNearestRank) {
  std::vector<Duration> values;
  for (std::int64_t i = 2000; i > 0; --i) values.push_back(nanoseconds(i));
  const SampleSummary all = summary_of(values);
  EXPECT_EQ(all.samples, 2000U);
  EXPECT_EQ(all.min, nanoseconds(1));
  EXPECT_EQ(all.median, nanoseconds(1000));
  EXPECT_EQ(all.p99, nanoseconds(1980));
  EXPECT_EQ(all.p999, nanoseconds(1998));
  EXPECT_EQ(all.max, nanoseconds(2000));
  EXPECT_EQ(summary_of({}), SampleSummary{});
  EXPECT_EQ(summary_of({nanoseconds(7)}).p999, nanoseconds(7));
}

TEST(MarginRule, AddsAFifthAndRoundsUp) {
  const MarginRule rule;
  EXPECT_EQ(rule.apply(summary(0, 10'000)), nanoseconds(12'000));
  EXPECT_EQ(rule.apply(summary(0, 10'001)), nanoseconds(13'000));
  EXPECT_EQ(rule.apply(summary(0, 1)), nanoseconds(1000));
  EXPECT_EQ(rule.apply(summary(0, 0)), Duration{});
  EXPECT_EQ(rule.text(), "max * 1.2, rounded up to 1us");
}

TEST(MarginRule, IsReadFromText) {
  EXPECT_EQ(parse_margin_rule("max*1.2"), MarginRule{});
  const MarginRule plain = parse_margin_rule("max");
  EXPECT_EQ(plain.apply(summary(5'000, 9'000)), nanoseconds(9'000));
  EXPECT_EQ(plain.text(), "max, rounded up to 1us");
  const MarginRule quantile = parse_margin_rule("p99.9*3");
  EXPECT_EQ(quantile.apply(summary(5'000, 90'000)), nanoseconds(15'000));
  EXPECT_EQ(quantile.text(), "p99.9 * 3, rounded up to 1us");
}

TEST(MarginRule, RefusesOtherText) {
  for (const char* text : {"", "min", "max*", "max*0.5", "max*-2", "max*2x", "p99", "max*1001", "*2",
                           "max*99999999999999999999"}) {
    EXPECT_THROW(static_cast<void>(parse_margin_rule(text)), InputError) << text;
  }
}

TEST(MarginRule, SaysWhenItLeaves64Bits) {
  const SampleSummary huge = summary(0, std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW(static_cast<void>(MarginRule{}.apply(huge)), OverflowError);
}

}  // namespace
}  // namespace tactus::measure
