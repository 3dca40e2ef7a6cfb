// What is printed can be read, and reads as the same value.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>
#include <string>

#include "tactus/base/text.hpp"
#include "tactus/io/units.hpp"

namespace tactus::io {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// Not negative, of any magnitude.
std::int64_t any_size() {
  const int shift = *rc::gen::inRange(0, 63);
  return *rc::gen::inRange<std::int64_t>(0, largest) >> shift;
}

RC_GTEST_PROP(UnitsProperty, DurationsSurvivePrinting, ()) {
  const Duration duration{any_size()};
  RC_ASSERT(parse_duration(to_text(duration)).value == duration);
}

RC_GTEST_PROP(UnitsProperty, SizesSurvivePrinting, ()) {
  const std::int64_t unit = *rc::gen::element<std::int64_t>(1, 1000, 1024, 1'000'000, 1 << 20, 1 << 30);
  const std::int64_t size = any_size() / unit * unit;
  RC_ASSERT(parse_size(size_text(size)).value == size);
}

RC_GTEST_PROP(UnitsProperty, IntegersSurvivePrinting, (std::int64_t number)) {
  RC_ASSERT(parse_integer(std::to_string(number)).value == number);
}

RC_GTEST_PROP(UnitsProperty, EveryUnitOfADurationMeansTheSame, ()) {
  // The same instant in nanoseconds and as a decimal of a larger unit.
  struct Unit {
    const char* name;
    std::int64_t nanoseconds;
  };
  const std::array<Unit, 3> units{{{"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
  const Unit unit = units[*rc::gen::inRange<std::size_t>(0, units.size())];
  const std::int64_t value = any_size();
  std::string fraction = std::to_string(unit.nanoseconds + value % unit.nanoseconds);
  fraction.front() = '.';
  const std::string zeros(*rc::gen::inRange<std::size_t>(0, 30), '0');
  const std::string text = zeros + std::to_string(value / unit.nanoseconds) + fraction + zeros + unit.name;
  RC_ASSERT(parse_duration(text).value == Duration{value});
}

RC_GTEST_PROP(UnitsProperty, FractionsOfANanosecondAreRefused, ()) {
  const std::string zeros(*rc::gen::inRange<std::size_t>(0, 30), '0');
  const std::string digits = std::to_string(*rc::gen::inRange(1, 1'000'000));
  const std::string text = std::to_string(any_size() / 10) + "." + zeros + digits + "ns";
  const Parsed<Duration> parsed = parse_duration(text);
  RC_ASSERT(!parsed.value);
  RC_ASSERT(parsed.message.find("fraction of a nanosecond") != std::string::npos);
}

RC_GTEST_PROP(UnitsProperty, FactorsAreExact, ()) {
  const std::int64_t whole = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const std::int64_t digits = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
  const std::string fraction = std::to_string(1'000'000 + digits).substr(1);
  const Rational expected = Rational{whole} + Rational{digits, 1'000'000};
  RC_ASSERT(parse_factor(std::to_string(whole) + "." + fraction).value == expected);
}

RC_GTEST_PROP(UnitsProperty, PeriodOfARateFitsTheRate, ()) {
  // period <= 1/rate < period + 1ns
  const std::int64_t rate = *rc::gen::inRange<std::int64_t>(1, 1'000'000'001);
  const std::int64_t period = parse_rate(std::to_string(rate) + "Hz").value.value().count();
  constexpr Int128 second = 1'000'000'000;
  RC_ASSERT(static_cast<Int128>(period) * rate <= second);
  RC_ASSERT(second < (static_cast<Int128>(period) + 1) * rate);
}

/// Pieces that numbers are made of, in any order: nothing of it may crash, and what is refused has a reason.
RC_GTEST_PROP(UnitsProperty, NothingIsRefusedWithoutAReason, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("0", "9", "12", ".", "-", "+", "e", "E", "ms", "s", "KiB", "/s", "Hz",
                                    " ", "\xc2\xb5", "\xff", "_", "9223372036854775808"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  const auto check = [&](const auto& parsed) {
    RC_ASSERT(parsed.value.has_value() == parsed.message.empty());
    RC_ASSERT(parsed.value.has_value() == parsed.hint.empty());
  };
  check(parse_duration(text));
  check(parse_size(text));
  check(parse_bandwidth(text));
  check(parse_rate(text));
  check(parse_integer(text));
  check(parse_factor(text));
}

}  // namespace
}  // namespace tactus::io
