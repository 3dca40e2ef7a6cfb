// Exact integer and rational arithmetic. Verdicts rest on it, so nothing here rounds or wraps silently.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace tactus {

__extension__ using Int128 = __int128;

/// A result does not fit 64 bits. The message names the operation and its operands.
class OverflowError : public std::overflow_error {
 public:
  using std::overflow_error::overflow_error;
};

[[noreturn]] void throw_overflow(const char* operation, std::int64_t a, std::int64_t b);

inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw_overflow("+", a, b);
  return result;
}

inline std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw_overflow("*", a, b);
  return result;
}

/// Quotients for b > 0, rounded towards minus and plus infinity.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

/// Least common multiple of two positive numbers; nothing when it leaves 64 bits.
std::optional<std::int64_t> checked_lcm(std::int64_t a, std::int64_t b);

/// A fraction in lowest terms with a positive denominator.
class Rational {
 public:
  constexpr Rational() = default;
  constexpr Rational(std::int64_t integer) : numerator_{integer} {}  // NOLINT(google-explicit-constructor)
  Rational(std::int64_t numerator, std::int64_t denominator);

  [[nodiscard]] constexpr std::int64_t numerator() const { return numerator_; }
  [[nodiscard]] constexpr std::int64_t denominator() const { return denominator_; }

  friend bool operator==(const Rational&, const Rational&) = default;
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

/// Reads "3", "1.69", "0.5": digits with at most one point, no sign, no exponent. Nothing for other text,
/// OverflowError when the value does not fit.
std::optional<Rational> parse_decimal(const std::string& text);

/// "1.35" for 27/20, "3" for an integer: what parse_decimal reads back. Nothing for a fraction such as 1/3
/// that no decimal equals.
std::optional<std::string> to_decimal(const Rational& value);

/// "27/20", or "3" for an integer.
std::string to_string(const Rational& value);

}  // namespace tactus
