// Numbers of 0 or more with 64 significant bits and any exponent, computed in integers alone: no rounding
// mode, fused operation or C library can change a bit of them.
#pragma once

#include <bit>
#include <cstdint>

namespace tactus::generate {

/// mantissa * 2^exponent; the highest bit of the mantissa is set, or the number is 0. Results are rounded
/// down: the relative error of one operation is below 2^-62.
struct ScaledNumber {
  __extension__ using Wide = unsigned __int128;

  std::uint64_t mantissa = 0;
  std::int64_t exponent = 0;

  static constexpr ScaledNumber of(Wide value, std::int64_t exponent = 0) {
    if (value == 0) return {};
    const auto high = static_cast<std::uint64_t>(value >> 64U);
    const auto low = static_cast<std::uint64_t>(value);
    const int width = 128 - (high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low));
    if (width > 64) {
      return {static_cast<std::uint64_t>(value >> static_cast<unsigned>(width - 64)), exponent + width - 64};
    }
    return {low << static_cast<unsigned>(64 - width), exponent + width - 64};
  }

  friend constexpr bool operator==(const ScaledNumber&, const ScaledNumber&) = default;

  friend constexpr ScaledNumber operator*(const ScaledNumber& a, const ScaledNumber& b) {
    return of(static_cast<Wide>(a.mantissa) * b.mantissa, a.exponent + b.exponent);
  }

  friend constexpr ScaledNumber operator+(const ScaledNumber& a, const ScaledNumber& b) {
    if (a.mantissa == 0) return b;
    if (b.mantissa == 0) return a;
    const ScaledNumber& large = a.exponent >= b.exponent ? a : b;
    const ScaledNumber& small = a.exponent >= b.exponent ? b : a;
    return of(static_cast<Wide>(large.mantissa) + small.shifted_to(large.exponent), large.exponent);
  }

  /// The mantissa it would have with a larger exponent.
  [[nodiscard]] constexpr std::uint64_t shifted_to(std::int64_t larger) const {
    const std::int64_t shift = larger - exponent;
    return shift < 64 ? mantissa >> static_cast<unsigned>(shift) : 0;
  }
};

/// part / (part + rest) in units of 2^-63; exactly 2^63 if and only if the rest is negligible. One of
/// the two is above 0.
constexpr std::uint64_t share_of(const ScaledNumber& part, const ScaledNumber& rest) {
  if (part.mantissa == 0) return 0;
  const ScaledNumber whole = part + rest;
  const auto scaled = static_cast<ScaledNumber::Wide>(part.shifted_to(whole.exponent)) << 63U;
  return static_cast<std::uint64_t>(scaled / whole.mantissa);
}

}  // namespace tactus::generate
