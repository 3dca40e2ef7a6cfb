// Sums of fractions against a limit, exactly: utilisations are compared with 1 and with the share of a
// window.
//
// A sum is first bounded from below and above in 2^-64ths. Only where these bounds cannot decide, the terms
// are brought to a common denominator with numbers of any size. Nothing is ever rounded into an answer.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tactus/base/rounding.hpp"

namespace tactus {

__extension__ using UInt128 = unsigned __int128;

/// numerator >= 0, denominator > 0; lowest terms are not needed.
struct Ratio {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};

/// Bounds of a sum of ratios. There is room for 2^60 terms.
class RatioSum {
 public:
  void add(Ratio term) {
    auto numerator = static_cast<std::uint64_t>(term.numerator);
    const auto denominator = static_cast<std::uint64_t>(term.denominator);
    if (numerator >= denominator) {
      whole_ += numerator / denominator;
      numerator %= denominator;
    }
    if (numerator == 0) return;
    const UInt128 shifted = static_cast<UInt128>(numerator) << 64U;
    const UInt128 quotient = shifted / denominator;
    fraction_ += quotient;
    if (quotient * denominator != shifted) ++inexact_;
  }

  /// The sum lies in [lower, upper], both in 2^-64ths; saturated at the largest value.
  [[nodiscard]] UInt128 lower() const { return scaled(fraction_); }
  [[nodiscard]] UInt128 upper() const { return scaled(fraction_ + inexact_); }

 private:
  [[nodiscard]] UInt128 scaled(UInt128 fraction) const {
    const UInt128 whole = whole_ + (fraction >> 64U);
    if (whole >> 64U != 0) return ~UInt128{0};
    return (whole << 64U) | static_cast<std::uint64_t>(fraction);
  }

  UInt128 whole_ = 0;
  UInt128 fraction_ = 0;
  std::uint64_t inexact_ = 0;
};

/// How the sum compares with the limit, where the bounds decide it.
std::optional<std::strong_ordering> compare(const RatioSum& sum, Ratio limit);

/// The same by numbers of any size: always an answer.
std::strong_ordering compare_exactly(std::span<const Ratio> terms, Ratio limit);

/// Bounds first, then exactly.
std::strong_ordering compare_sum(std::span<const Ratio> terms, Ratio limit);

/// "0.733333", "0.7", "1.0": at most six decimals.
std::string to_decimal(const RatioSum& sum, Rounding rounding);

}  // namespace tactus
