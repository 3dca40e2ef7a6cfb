#include "tactus/generate/scaled_number.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tactus/base/random.hpp"

namespace tactus::generate {
namespace {

constexpr std::uint64_t top = std::uint64_t{1} << 63U;

long double value_of(const ScaledNumber& number) {
  return std::ldexp(static_cast<long double>(number.mantissa), static_cast<int>(number.exponent));
}

ScaledNumber random_number(std::uint64_t seed) {
  const std::uint64_t mantissa = draw_bits(seed, Purpose::system, 1, 0);
  return ScaledNumber::of(mantissa,
                          static_cast<std::int64_t>(draw_bits(seed, Purpose::system, 2, 0) % 100) - 50);
}

TEST(ScaledNumber, HasItsHighestBitSet) {
  EXPECT_EQ(ScaledNumber::of(0), (ScaledNumber{0, 0}));
  EXPECT_EQ(ScaledNumber::of(1), (ScaledNumber{top, -63}));
  EXPECT_EQ(ScaledNumber::of(3, 5), (ScaledNumber{top + top / 2, -57}));
  const auto large = static_cast<ScaledNumber::Wide>(5) << 100U;
  EXPECT_EQ(ScaledNumber::of(large), (ScaledNumber{top + top / 4, 39}));
  EXPECT_EQ(ScaledNumber::of(~ScaledNumber::Wide{0}), (ScaledNumber{~std::uint64_t{0}, 64}));
}

TEST(ScaledNumber, SumsAndProductsAreThoseOfTheMathematicians) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const ScaledNumber a = random_number(2 * seed);
    const ScaledNumber b = random_number(2 * seed + 1);
    const long double sum = value_of(a) + value_of(b);
    const long double product = value_of(a) * value_of(b);
    EXPECT_NEAR(static_cast<double>(value_of(a + b) / sum), 1, 1e-15);
    EXPECT_NEAR(static_cast<double>(value_of(a * b) / product), 1, 1e-15);
    EXPECT_EQ(a + b, b + a);
    EXPECT_EQ(a * b, b * a);
    const long double share = std::ldexp(static_cast<long double>(share_of(a, b)), -63);
    EXPECT_NEAR(static_cast<double>(share), static_cast<double>(value_of(a) / sum), 1e-15);
  }
  EXPECT_EQ(ScaledNumber::of(7) + ScaledNumber{}, ScaledNumber::of(7));
  EXPECT_EQ(ScaledNumber{} + ScaledNumber::of(7), ScaledNumber::of(7));
  EXPECT_EQ((ScaledNumber::of(7) * ScaledNumber{}).mantissa, 0U);
}

TEST(ScaledNumber, HasNoSmallestAndNoLargestNumberThatMatters) {
  ScaledNumber tiny = ScaledNumber::of(1, -1000);
  for (int i = 0; i < 20; ++i) tiny = tiny * tiny;
  EXPECT_EQ(tiny, (ScaledNumber{top, -1000 * (std::int64_t{1} << 20U) - 63}));
  EXPECT_EQ(tiny + ScaledNumber::of(3), ScaledNumber::of(3));
}

TEST(ScaledNumber, ASureShareIsAllOfIt) {
  EXPECT_EQ(share_of(ScaledNumber::of(12345), ScaledNumber{}), top);
  EXPECT_EQ(share_of(ScaledNumber{}, ScaledNumber::of(12345)), 0U);
  EXPECT_EQ(share_of(ScaledNumber::of(1), ScaledNumber::of(1)), top / 2);
  EXPECT_LT(share_of(ScaledNumber::of(1), ScaledNumber::of(1, -60)), top);
}

}  // namespace
}  // namespace tactus::generate
