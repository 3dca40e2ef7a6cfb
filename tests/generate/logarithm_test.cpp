#include "tactus/generate/logarithm.hpp"

#include <cmath>

namespace tactus::generate {
namespace {

constexpr double step = 1.0 / static_cast<double>(std::uint64_t{1} << log_bits);

TEST(Logarithm, IsThatOfTheMathematicians) {
  for (const std::uint64_t value :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{7}, std::uint64_t{1000},
        std::uint64_t{999'999'937}, std::uint64_t{1} << 40U, (std::uint64_t{1} << 62U) + 12345}) {
    const double expected = std::log2(static_cast<double>(value));
    EXPECT_NEAR(static_cast<double>(log2_fixed(value)) * step, expected, 1e-13) << value;
  }
  EXPECT_EQ(log2_fixed(1), 0U);
  EXPECT_EQ(log2_fixed(8), std::uint64_t{3} << log_bits);
}

TEST(Logarithm, PowersAreExactWhereTheyAreWhole) {
  for (std::uint64_t whole = 0; whole < 63; ++whole) {
    EXPECT_EQ(times_exp2_fixed(1, whole << log_bits), std::uint64_t{1} << whole);
  }
}

TEST(Logarithm, PowersBetweenAreThoseOfTheMathematicians) {
  for (int i = 0; i < 10'000; ++i) {
    const double exponent = 62.0 * i / 10'000;
    const auto fixed = static_cast<std::uint64_t>(exponent / step);
    const double expected = std::exp2(static_cast<double>(fixed) * step);
    const auto found = static_cast<double>(times_exp2_fixed(1, fixed));
    EXPECT_NEAR(found, expected, 1 + expected * 1e-13) << exponent;
  }
}

// The same digits on every machine: a change here changes every generated system.
TEST(Logarithm, GivesTheseDigits) {
  EXPECT_EQ(log2_fixed(3), 446'127'282'977'750U);
  EXPECT_EQ(log2_fixed(1'000'000'007), 8'415'356'701'128'625U);
  EXPECT_EQ(times_exp2_fixed(1'000'000, (std::uint64_t{1} << log_bits) / 2), 1'414'213U);
  EXPECT_EQ(times_exp2_fixed(1, (std::uint64_t{40} << log_bits) + 123'456'789'012'345), 1'490'162'315'530U);
}

}  // namespace
}  // namespace tactus::generate
