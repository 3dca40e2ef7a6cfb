#include "tactus/base/exact.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tactus {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

TEST(Checked, ResultsThatFit) {
  EXPECT_EQ(checked_add(largest - 1, 1), largest);
  EXPECT_EQ(checked_mul(-(largest / 2), 2), -largest + 1);
}

TEST(Checked, OverflowNamesTheOperation) {
  EXPECT_THROW(checked_add(smallest, -1), OverflowError);
  EXPECT_THROW(checked_mul(largest, 2), OverflowError);
  try {
    checked_add(largest, 1);
    FAIL() << "no overflow";
  } catch (const OverflowError& error) {
    EXPECT_STREQ(error.what(), "9223372036854775807 + 1 does not fit 64 bits");
  }
}

TEST(Division, RoundsAsItsNameSays) {
  EXPECT_EQ(floor_div(7, 2), 3);
  EXPECT_EQ(floor_div(-7, 2), -4);
  EXPECT_EQ(floor_div(-8, 2), -4);
  EXPECT_EQ(ceil_div(7, 2), 4);
  EXPECT_EQ(ceil_div(-7, 2), -3);
  EXPECT_EQ(ceil_div(8, 2), 4);
  EXPECT_EQ(ceil_div(largest, 1), largest);
}

TEST(CheckedLcm, NothingWhenItLeaves64Bits) {
  EXPECT_EQ(checked_lcm(4, 6), 12);
  EXPECT_EQ(checked_lcm(1, largest), largest);
  EXPECT_EQ(checked_lcm(largest, largest), largest);
  EXPECT_EQ(checked_lcm(largest, largest - 1), std::nullopt);
}

TEST(Rational, IsKeptInLowestTerms) {
  EXPECT_EQ((Rational{6, 4}), (Rational{3, 2}));
  EXPECT_EQ((Rational{-6, -4}), (Rational{3, 2}));
  EXPECT_EQ((Rational{6, -4}).numerator(), -3);
  EXPECT_EQ((Rational{6, -4}).denominator(), 2);
  EXPECT_EQ((Rational{0, 7}), Rational{});
  EXPECT_THROW((Rational{1, 0}), std::invalid_argument);
}

TEST(Rational, ComparesWithoutRounding) {
  EXPECT_LT((Rational{largest - 1, largest}), Rational{1});
  EXPECT_LT((Rational{largest - 2, largest - 1}), (Rational{largest - 1, largest}));
  EXPECT_GT((Rational{1, 3}), (Rational{333'333'333, 1'000'000'000}));
}

TEST(Rational, OverflowIsAnErrorOnlyWhenTheResultDoesNotFit) {
  EXPECT_EQ((Rational{largest, 2} * Rational{2, largest}), Rational{1});
  EXPECT_EQ((Rational{1, largest} + Rational{1, largest}), (Rational{2, largest}));
  EXPECT_THROW(Rational{largest} + Rational{1}, OverflowError);
  EXPECT_THROW((Rational{1, largest} * Rational{1, 2}), OverflowError);
  EXPECT_THROW(Rational{1} / Rational{}, std::invalid_argument);
}

TEST(Rational, Prints) {
  EXPECT_EQ(to_string(Rational{27, 20}), "27/20");
  EXPECT_EQ(to_string(Rational{3}), "3");
  EXPECT_EQ(to_string(Rational{-1, 2}), "-1/2");
}

TEST(ToDecimal, WritesWhatParseDecimalReads) {
  EXPECT_EQ(to_decimal(Rational{3}), "3");
  EXPECT_EQ(to_decimal(Rational{0}), "0");
  EXPECT_EQ(to_decimal(Rational{169, 100}), "1.69");
  EXPECT_EQ(to_decimal(Rational{1, 1'000'000'000'000'000'000}), "0.000000000000000001");
  EXPECT_EQ(to_decimal(Rational{-5, 4}), "-1.25");
  EXPECT_EQ(to_decimal(Rational{1, 3}), std::nullopt);
  EXPECT_EQ(to_decimal(Rational{5, 14}), std::nullopt);
  EXPECT_EQ(to_decimal(Rational{1, std::int64_t{1} << 62U})->size(), 2U + 62U);
  EXPECT_EQ(to_decimal(Rational{std::numeric_limits<std::int64_t>::min()}), "-9223372036854775808");
}

TEST(ParseDecimal, ReadsDigitsWithAtMostOnePoint) {
  EXPECT_EQ(parse_decimal("3"), Rational{3});
  EXPECT_EQ(parse_decimal("1.69"), (Rational{169, 100}));
  EXPECT_EQ(parse_decimal("0.5000000000000000000000000000"), (Rational{1, 2}));
  EXPECT_EQ(parse_decimal("00.1"), (Rational{1, 10}));
  for (const char* text : {"", ".", "-1", "+1", "1e3", "1.2.3", " 1", "1 ", "0x1", "1,5"}) {
    EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
  }
  EXPECT_THROW(parse_decimal("9223372036854775808"), OverflowError);
  EXPECT_THROW(parse_decimal("0.0000000000000000001"), OverflowError);
}

}  // namespace
}  // namespace tactus
