#include "tactus/measure/margin_rule.hpp"

#include <limits>
#include <optional>

#include "tactus/base/error.hpp"

namespace tactus::measure {

namespace {

constexpr const char* hint = "one of `max`, `p99.9`, `max*1.2`, with any factor from 1 to 1000";
constexpr std::int64_t largest_factor = 1000;

std::optional<Rational> factor_of(std::string_view text) {
  try {
    const std::optional<Rational> factor = parse_decimal(std::string{text});
    if (!factor || *factor < Rational{1} || *factor > Rational{largest_factor}) return std::nullopt;
    return factor;
  } catch (const OverflowError&) {
    return std::nullopt;
  }
}

}  // namespace

Duration MarginRule::apply(const SampleSummary& summary) const {
  constexpr Int128 unit = 1000;
  const Int128 base = (value == Value::max ? summary.max : summary.p999).count();
  const Int128 divisor = static_cast<Int128>(factor.denominator()) * unit;
  const Int128 units = (base * factor.numerator() + divisor - 1) / divisor;
  if (units * unit > std::numeric_limits<std::int64_t>::max()) {
    throw OverflowError{"a measured time with its margin leaves 64 bits of nanoseconds"};
  }
  return nanoseconds(static_cast<std::int64_t>(units * unit));
}

std::string MarginRule::text() const {
  std::string text = value == Value::max ? "max" : "p99.9";
  if (factor != Rational{1}) text += " * " + to_decimal(factor).value_or(to_string(factor));
  return text + ", rounded up to 1us";
}

MarginRule parse_margin_rule(std::string_view text) {
  MarginRule rule;
  const std::size_t star = text.find('*');
  const std::string_view value = text.substr(0, star);
  const std::string_view factor = star == std::string_view::npos ? "1" : text.substr(star + 1);
  const std::optional<Rational> parsed = factor_of(factor);
  if ((value != "max" && value != "p99.9") || !parsed) {
    throw InputError{"'" + std::string{text} + "' is no margin rule", hint};
  }
  rule.value = value == "max" ? MarginRule::Value::max : MarginRule::Value::p999;
  rule.factor = *parsed;
  return rule;
}

}  // namespace tactus::measure
