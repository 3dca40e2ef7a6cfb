#include "tactus/base/exact.hpp"

#include <limits>
#include <numeric>

namespace tactus {

void throw_overflow(const char* operation, std::int64_t a, std::int64_t b) {
  throw OverflowError{std::to_string(a) + " " + operation + " " + std::to_string(b) +
                      " does not fit 64 bits"};
}

std::optional<std::int64_t> checked_lcm(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a / std::gcd(a, b), b, &result)) return std::nullopt;
  return result;
}

namespace {

Int128 gcd_wide(Int128 a, Int128 b) {
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Lowest terms of a fraction whose parts may need 128 bits; OverflowError when they still do afterwards.
Rational narrow(Int128 numerator, Int128 denominator) {
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const Int128 divisor = gcd_wide(numerator < 0 ? -numerator : numerator, denominator);
  if (divisor > 1) {
    numerator /= divisor;
    denominator /= divisor;
  }
  constexpr Int128 largest = std::numeric_limits<std::int64_t>::max();
  if (numerator > largest || numerator < -largest || denominator > largest) {
    throw OverflowError{"a fraction does not fit 64 bits"};
  }
  return {static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

}  // namespace

Rational::Rational(std::int64_t numerator, std::int64_t denominator)
    : numerator_{numerator}, denominator_{denominator} {
  if (denominator == 0) throw std::invalid_argument{"a fraction with denominator 0"};
  if (denominator < 0 || std::gcd(numerator, denominator) > 1) {
    *this = narrow(numerator, denominator);
  }
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  const Int128 left = static_cast<Int128>(a.numerator_) * b.denominator_;
  const Int128 right = static_cast<Int128>(b.numerator_) * a.denominator_;
  return left <=> right;
}

Rational operator+(const Rational& a, const Rational& b) {
  return narrow(
      static_cast<Int128>(a.numerator_) * b.denominator_ + static_cast<Int128>(b.numerator_) * a.denominator_,
      static_cast<Int128>(a.denominator_) * b.denominator_);
}

Rational operator-(const Rational& a, const Rational& b) {
  return narrow(
      static_cast<Int128>(a.numerator_) * b.denominator_ - static_cast<Int128>(b.numerator_) * a.denominator_,
      static_cast<Int128>(a.denominator_) * b.denominator_);
}

Rational operator*(const Rational& a, const Rational& b) {
  return narrow(static_cast<Int128>(a.numerator_) * b.numerator_,
                static_cast<Int128>(a.denominator_) * b.denominator_);
}

Rational operator/(const Rational& a, const Rational& b) {
  if (b.numerator_ == 0) throw std::invalid_argument{"a fraction divided by 0"};
  return narrow(static_cast<Int128>(a.numerator_) * b.denominator_,
                static_cast<Int128>(a.denominator_) * b.numerator_);
}

std::optional<Rational> parse_decimal(const std::string& text) {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  bool point = false;
  bool digit_seen = false;
  std::size_t zeros = 0;  // trailing zeros of the fraction: they change nothing, so they cannot overflow
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      digit_seen = true;
      if (point && c == '0') {
        ++zeros;
        continue;
      }
      for (; zeros > 0; --zeros) {
        numerator = checked_mul(numerator, 10);
        denominator = checked_mul(denominator, 10);
      }
      numerator = checked_add(checked_mul(numerator, 10), c - '0');
      if (point) denominator = checked_mul(denominator, 10);
    } else {
      return std::nullopt;
    }
  }
  if (!digit_seen) return std::nullopt;
  return Rational{numerator, denominator};
}

std::optional<std::string> to_decimal(const Rational& value) {
  const bool negative = value.numerator() < 0;
  const Int128 magnitude = negative ? -static_cast<Int128>(value.numerator()) : value.numerator();
  const Int128 denominator = value.denominator();
  std::string text =
      (negative ? "-" : "") + std::to_string(static_cast<std::uint64_t>(magnitude / denominator));
  Int128 rest = magnitude % denominator;
  if (rest == 0) return text;
  text += '.';
  // A fraction with a finite decimal expansion needs at most as many digits as its denominator has factors 2
  // or 5.
  constexpr int max_digits = 63;
  for (int i = 0; i < max_digits && rest != 0; ++i) {
    rest *= 10;
    text += static_cast<char>('0' + static_cast<int>(rest / denominator));
    rest %= denominator;
  }
  if (rest != 0) return std::nullopt;
  return text;
}

std::string to_string(const Rational& value) {
  std::string text = std::to_string(value.numerator());
  if (value.denominator() != 1) text += "/" + std::to_string(value.denominator());
  return text;
}

}  // namespace tactus
