#include "tactus/import/span.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "support/dice.hpp"

namespace tactus::import {
namespace {

Span of(const Rational& time) { return {time, time, time}; }

long double value(const Rational& one) {
  return static_cast<long double>(one.numerator()) / static_cast<long double>(one.denominator());
}

/// From the best to the worst case there is the true value, and little else.
void expect_around(const Span& span, long double exact) {
  const long double slack = 1e-17L * exact;  // of the true value itself
  EXPECT_LE(value(span.best), exact + slack);
  EXPECT_GE(value(span.worst), exact - slack);
  EXPECT_LE(value(span.worst) - value(span.best), 3e-9L);
}

TEST(Span, IsExactWhereFractionsFit) {
  EXPECT_EQ(of({1, 3}) + of({1, 6}), of({1, 2}));
  EXPECT_EQ(scaled(of({2, 3}), {9, 4}), of({3, 2}));
}

TEST(Span, SumsOfClocksWithoutACommonOneAreRoundedToTheSafeSide) {
  test::Dice dice{7};
  int rounded = 0;
  for (int i = 0; i < 2'000; ++i) {
    const Rational a{dice.between(1, 1'000'000'000'000), 133'333'333};
    const Rational b{dice.between(1, 1'000'000'000'000), 266'666'667};
    const Span sum = of(a) + of(b);
    expect_around(sum, value(a) + value(b));
    rounded += sum.best == sum.worst ? 0 : 1;
  }
  EXPECT_GT(rounded, 1'000);
}

TEST(Span, ProductsThatDoNotFitAreRoundedToTheSafeSide) {
  test::Dice dice{8};
  int rounded = 0;
  for (int i = 0; i < 2'000; ++i) {
    const Rational a{dice.between(1, 1'000'000'000'000), dice.between(1'000'000'000, 1'000'000'000'000)};
    const Rational b{dice.between(1, 1'000'000'000'000), dice.between(1'000'000'000, 1'000'000'000'000)};
    const Span product = scaled(of(a), b);
    expect_around(product, value(a) * value(b));
    rounded += product.best == product.worst ? 0 : 1;
  }
  EXPECT_GT(rounded, 1'000);
}

TEST(Span, WhatIsTooLongIsNotRounded) {
  constexpr std::int64_t most = 9'000'000'000'000'000'000;
  EXPECT_THROW(static_cast<void>(of(most) + of(most)), OverflowError);
  EXPECT_THROW(static_cast<void>(scaled(of(most), Rational{3, 2})), OverflowError);
}

}  // namespace
}  // namespace tactus::import
