#include "tactus/import/quantity.hpp"

#include <gtest/gtest.h>

namespace tactus::import {
namespace {

Element quantity(const std::string& value, const std::string& unit) {
  return {
      .name = "q", .type = {}, .id = {}, .attributes = {{"value", value}, {"unit", unit}}, .children = {}};
}

TEST(Number, IsExactInEveryForm) {
  EXPECT_EQ(parse_number("33"), Rational{33});
  EXPECT_EQ(parse_number("-2.5"), (Rational{-5, 2}));
  EXPECT_EQ(parse_number("1.0E8"), Rational{100'000'000});
  EXPECT_EQ(parse_number("2.034807E7"), Rational{20'348'070});
  EXPECT_EQ(parse_number("5E-3"), (Rational{1, 200}));
  EXPECT_EQ(parse_number("0.0"), Rational{});
  EXPECT_EQ(parse_number("774839355"), Rational{774'839'355});
}

TEST(Number, WhatIsNoneOrDoesNotFitIsNone) {
  for (const char* text :
       {"", "x", "1e", "1.2.3", ".", "1E400", "99999999999999999999", "1E19", "NaN", "0x10", "--1"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(Quantity, HasUnits) {
  EXPECT_EQ(nanoseconds_of(quantity("33", "ms")), Rational{33'000'000});
  EXPECT_EQ(nanoseconds_of(quantity("1500", "ps")), (Rational{3, 2}));
  EXPECT_EQ(hertz_of(quantity("1.5", "GHz")), Rational{1'500'000'000});
  EXPECT_EQ(hertz_of(quantity("3.0E8", "Hz")), Rational{300'000'000});
  EXPECT_EQ(bytes_of(quantity("1500", "kB")), Rational{1'500'000});
  EXPECT_EQ(bytes_of(quantity("2", "KiB")), Rational{2048});
  EXPECT_EQ(bytes_of(quantity("12", "bit")), (Rational{3, 2}));
  EXPECT_EQ(bytes_per_second_of(quantity("20", "GBPerSecond")), Rational{20'000'000'000});
  EXPECT_FALSE(nanoseconds_of(quantity("33", "weeks")));
  EXPECT_FALSE(bytes_per_second_of(quantity("20", "GB")));
}

TEST(TimeText, IsReadInEverySpelling) {
  EXPECT_EQ(parse_time_text("50000\xc2\xb5s"), std::chrono::milliseconds{50});
  EXPECT_EQ(parse_time_text("1000 \xce\xbcs"), std::chrono::milliseconds{1});
  EXPECT_EQ(parse_time_text("7200 us"), std::chrono::microseconds{7200});
  EXPECT_EQ(parse_time_text("50 ms"), std::chrono::milliseconds{50});
  for (const char* text : {"50 msec", "50ms", "50 milliseconds", "50 Millisecond", "0.05 s", "5.0E4 usec",
                           "50000 microseconds", "50000000 nsecs"}) {
    EXPECT_EQ(parse_time_text(text), std::chrono::milliseconds{50}) << text;
  }
  for (const char* text : {"soon", "50000", "50 m", "ms", "", "5 weeks", "50 ms or so"})
    EXPECT_FALSE(parse_time_text(text)) << text;
}

TEST(Rounding, KeepsTheSafeSide) {
  EXPECT_EQ(rounded_up(Rational{10, 3}), nanoseconds(4));
  EXPECT_EQ(rounded_down(Rational{10, 3}), nanoseconds(3));
}

}  // namespace
}  // namespace tactus::import
