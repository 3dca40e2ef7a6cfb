// Sums of fractions are compared exactly, however many terms and however large the denominators.
#include "tactus/base/ratio_sum.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/dice.hpp"
#include "tactus/base/big_natural.hpp"
#include "tactus/base/exact.hpp"

namespace tactus {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(BigNatural, AddsMultipliesAndComparesPastOneDigit) {
  BigNatural a{~std::uint64_t{0}};
  a += BigNatural{1};  // 2^64
  BigNatural b{std::uint64_t{1} << 32U};
  b *= std::uint64_t{1} << 32U;
  EXPECT_EQ(a, b);
  b += BigNatural{1};
  EXPECT_LT(a, b);
  a *= 3;
  EXPECT_GT(a, b);
  a *= 0;
  EXPECT_EQ(a, BigNatural{});
  EXPECT_LT(a, BigNatural{1});
}

TEST(BigNatural, FactorialsGrowAsTheyShould) {
  // 40! = 20! * 21 * ... * 40, added up instead of multiplied at the last step.
  BigNatural product{1};
  for (std::uint64_t i = 1; i <= 39; ++i) product *= i;
  BigNatural sum;
  for (int i = 0; i < 40; ++i) sum += product;
  product *= 40;
  EXPECT_EQ(product, sum);
  EXPECT_NE(product, BigNatural{});
}

/// 1/(1*2) + 1/(2*3) + ... = 1 - 1/(n + 1), and 1/(n + 1) makes it 1.
std::vector<Ratio> telescope(std::int64_t n) {
  std::vector<Ratio> terms;
  for (std::int64_t i = 1; i <= n; ++i) terms.push_back({1, i * (i + 1)});
  terms.push_back({1, n + 1});
  return terms;
}

TEST(CompareSum, DecidesWhatFixedPointCannot) {
  std::vector<Ratio> terms = telescope(200);
  RatioSum sum;
  for (const Ratio& term : terms) sum.add(term);
  EXPECT_EQ(compare(sum, {1, 1}), std::nullopt);
  EXPECT_EQ(compare_sum(terms, {1, 1}), std::strong_ordering::equal);
  terms.push_back({1, largest});
  terms.push_back({1, largest - 1});  // together about 2^-62
  EXPECT_EQ(compare_sum(terms, {1, 1}), std::strong_ordering::greater);
}

TEST(CompareSum, SeesDifferencesFarBelowTheFixedPoint) {
  // 1/m - 1/(m + 1) = 1/(m (m + 1)) is about 2^-124.
  const std::int64_t m = largest - 2;
  const std::vector<Ratio> above{{m, m + 1}, {1, m}};
  const std::vector<Ratio> below{{m - 1, m}, {1, m + 1}};
  EXPECT_EQ(compare_sum(above, {1, 1}), std::strong_ordering::greater);
  EXPECT_EQ(compare_sum(below, {1, 1}), std::strong_ordering::less);
  const std::vector<Ratio> equal{{m - 1, m}, {1, m}};
  EXPECT_EQ(compare_sum(equal, {1, 1}), std::strong_ordering::equal);
}

TEST(CompareSum, LargeSumsDoNotWrap) {
  const std::vector<Ratio> terms(5, Ratio{largest, 1});
  EXPECT_EQ(compare_sum(terms, {largest, 1}), std::strong_ordering::greater);
  EXPECT_EQ(compare_sum(std::vector<Ratio>{{largest, 1}}, {largest, 1}), std::strong_ordering::equal);
  EXPECT_EQ(compare_sum(std::vector<Ratio>{}, {0, 7}), std::strong_ordering::equal);
  EXPECT_EQ(compare_sum(std::vector<Ratio>{{1, 3}}, {0, 7}), std::strong_ordering::greater);
}

TEST(CompareSum, EqualsRationalArithmetic) {
  test::Dice dice{7};
  int equal = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<Ratio> terms;
    Rational exact;
    for (std::int64_t n = dice.between(1, 4); n > 0; --n) {
      const Ratio term{dice.between(0, 6), dice.between(1, 12)};
      terms.push_back(term);
      exact = exact + Rational{term.numerator, term.denominator};
    }
    const Ratio limit{dice.between(0, 12), dice.between(1, 4)};
    const std::strong_ordering expected = exact <=> Rational{limit.numerator, limit.denominator};
    EXPECT_EQ(compare_sum(terms, limit), expected);
    EXPECT_EQ(compare_exactly(terms, limit), expected);
    if (expected == 0) ++equal;
  }
  EXPECT_GT(equal, 100);
}

TEST(RatioSum, AsDecimal) {
  RatioSum sum;
  EXPECT_EQ(to_decimal(sum, Rounding::up), "0.0");
  sum.add({1, 3});
  EXPECT_EQ(to_decimal(sum, Rounding::down), "0.333333");
  EXPECT_EQ(to_decimal(sum, Rounding::up), "0.333334");
  sum.add({2, 3});
  EXPECT_EQ(to_decimal(sum, Rounding::down), "1.0");
  EXPECT_EQ(to_decimal(sum, Rounding::up), "1.0");
  RatioSum half;
  half.add({5, 2});
  EXPECT_EQ(to_decimal(half, Rounding::down), "2.5");
  EXPECT_EQ(to_decimal(half, Rounding::up), "2.5");
}

}  // namespace
}  // namespace tactus
