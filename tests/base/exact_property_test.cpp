// Exact arithmetic against wide integers, and the laws of fractions.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tactus/base/exact.hpp"

namespace tactus {
namespace {

bool fits(Int128 value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

/// Any magnitude, both signs.
std::int64_t any_number() {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  return static_cast<std::int64_t>(bits) >> *rc::gen::inRange(0, 63);
}

template <typename Operation>
std::optional<std::int64_t> attempt(Operation operation) {
  try {
    return operation();
  } catch (const OverflowError&) {
    return std::nullopt;
  }
}

std::optional<std::int64_t> expected(Int128 value) {
  return fits(value) ? std::optional{static_cast<std::int64_t>(value)} : std::nullopt;
}

RC_GTEST_PROP(CheckedProperty, EqualsWideArithmetic, ()) {
  const std::int64_t a = any_number();
  const std::int64_t b = any_number();
  const Int128 wide = a;
  RC_ASSERT(attempt([&] { return checked_add(a, b); }) == expected(wide + b));
  RC_ASSERT(attempt([&] { return checked_mul(a, b); }) == expected(wide * b));
}

RC_GTEST_PROP(DivisionProperty, QuotientsBracketTheTruth, ()) {
  const std::int64_t a = any_number();
  const std::int64_t b = (any_number() & std::numeric_limits<std::int64_t>::max()) / 2 + 1;
  const Int128 below = static_cast<Int128>(floor_div(a, b)) * b;
  const Int128 above = static_cast<Int128>(ceil_div(a, b)) * b;
  RC_ASSERT(below <= a);
  RC_ASSERT(a < below + b);
  RC_ASSERT(above >= a);
  RC_ASSERT(a > above - b);
}

Rational any_fraction() {
  return {*rc::gen::inRange<std::int64_t>(-1000, 1001), *rc::gen::inRange<std::int64_t>(1, 1001)};
}

RC_GTEST_PROP(RationalProperty, LawsOfAField, ()) {
  const Rational a = any_fraction();
  const Rational b = any_fraction();
  const Rational c = any_fraction();
  RC_ASSERT(a + b == b + a);
  RC_ASSERT((a + b) + c == a + (b + c));
  RC_ASSERT(a * (b + c) == a * b + a * c);
  RC_ASSERT(a - a == Rational{});
  if (b != Rational{}) RC_ASSERT(a / b * b == a);
  RC_ASSERT((a < b) == (a - b < Rational{}));
}

RC_GTEST_PROP(RationalProperty, DecimalsAreReadExactly, ()) {
  const std::int64_t whole = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000);
  const std::int64_t digits = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000);
  const std::string fraction = std::to_string(1'000'000'000 + digits).substr(1);
  RC_ASSERT(parse_decimal(std::to_string(whole) + "." + fraction) ==
            Rational{whole} + Rational(digits, 1'000'000'000));
}

}  // namespace
}  // namespace tactus
