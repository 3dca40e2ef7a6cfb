#include "tactus/import/span.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace tactus::import {

namespace {

enum class Rounding : std::uint8_t { down, up };

/// Denominators for values whose own do not fit, the finest first: clocks of 133333333 Hz and 266666667 Hz
/// have no common one of 64 bits.
constexpr std::array<std::int64_t, 4> coarse{1'000'000'000, 1'000'000, 1'000, 1};

/// a b / c for values from 0 on and c > 0, rounded; nothing where it leaves 64 bits.
std::optional<std::int64_t> divided(Int128 a, std::int64_t b, Int128 c, Rounding rounding) {
  constexpr Int128 room = Int128{1} << 96U;
  const Int128 whole = a / c;
  Int128 rest = a % c;
  while (c >= room) {
    rest = (rest >> 1U) + (rounding == Rounding::up ? rest & 1 : 0);
    c = (c >> 1U) + (rounding == Rounding::up ? 0 : c & 1);
  }
  if (whole > std::numeric_limits<std::int64_t>::max() / b) return std::nullopt;
  const Int128 part = rest * b;
  const Int128 value = whole * b + part / c + (rounding == Rounding::up && part % c != 0 ? 1 : 0);
  if (value > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

Rational sum(const Rational& a, const Rational& b, Rounding rounding) {
  try {
    return a + b;
  } catch (const OverflowError&) {
    for (const std::int64_t denominator : coarse) {
      const auto x = divided(a.numerator(), denominator, a.denominator(), rounding);
      const auto y = divided(b.numerator(), denominator, b.denominator(), rounding);
      std::int64_t both = 0;
      if (x && y && !__builtin_add_overflow(*x, *y, &both)) return {both, denominator};
    }
    throw;
  }
}

Rational product(const Rational& a, const Rational& b, Rounding rounding) {
  try {
    return a * b;
  } catch (const OverflowError&) {
    const Int128 above = static_cast<Int128>(a.numerator()) * b.numerator();
    const Int128 below = static_cast<Int128>(a.denominator()) * b.denominator();
    for (const std::int64_t denominator : coarse) {
      if (const auto value = divided(above, denominator, below, rounding)) return {*value, denominator};
    }
    throw;
  }
}

}  // namespace

Span operator+(const Span& a, const Span& b) {
  return {sum(a.best, b.best, Rounding::down), sum(a.average, b.average, Rounding::up),
          sum(a.worst, b.worst, Rounding::up)};
}

Span envelope(const Span& a, const Span& b) {
  return {std::min(a.best, b.best), std::max(a.average, b.average), std::max(a.worst, b.worst)};
}

Span scaled(const Span& span, const Rational& factor) {
  return {product(span.best, factor, Rounding::down), product(span.average, factor, Rounding::up),
          product(span.worst, factor, Rounding::up)};
}

}  // namespace tactus::import
