#include "tactus/io/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::io {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

struct Unit {
  std::string_view name;
  std::int64_t factor = 1;
};

/// Common spellings of the known units.
struct OtherSpelling {
  std::string_view spelling;
  std::string_view unit;
};

struct QuantityKind {
  std::string_view name;           // "duration"
  std::string_view example;        // "10ms"
  std::string_view missing_unit;   // what a bare number most likely meant
  std::string_view smallest_step;  // "a nanosecond"
  std::span<const Unit> units;
  std::span<const OtherSpelling> other_spellings;
};

constexpr std::array<Unit, 6> duration_units{{{"ns", 1},
                                              {"us", 1'000},
                                              {"ms", 1'000'000},
                                              {"s", 1'000'000'000},
                                              {"min", 60'000'000'000},
                                              {"h", 3'600'000'000'000}}};
constexpr std::array<OtherSpelling, 24> other_durations{
    {{"\u00b5s", "us"},      {"\u03bcs", "us"},     {"nsec", "ns"},         {"usec", "us"},
     {"msec", "ms"},         {"sec", "s"},          {"secs", "s"},          {"second", "s"},
     {"seconds", "s"},       {"millisecond", "ms"}, {"milliseconds", "ms"}, {"microsecond", "us"},
     {"microseconds", "us"}, {"nanosecond", "ns"},  {"nanoseconds", "ns"},  {"S", "s"},
     {"mins", "min"},        {"minute", "min"},     {"minutes", "min"},     {"hr", "h"},
     {"hrs", "h"},           {"hour", "h"},         {"hours", "h"},         {"H", "h"}}};
constexpr QuantityKind duration_kind{"duration",     "10ms",         "ms",
                                     "a nanosecond", duration_units, other_durations};

constexpr std::int64_t kibi = 1024;
constexpr std::array<Unit, 7> size_units{{{"B", 1},
                                          {"KiB", kibi},
                                          {"MiB", kibi* kibi},
                                          {"GiB", kibi* kibi* kibi},
                                          {"kB", 1'000},
                                          {"MB", 1'000'000},
                                          {"GB", 1'000'000'000}}};
constexpr std::array<OtherSpelling, 5> other_sizes{
    {{"KB", "KiB"}, {"K", "KiB"}, {"M", "MiB"}, {"G", "GiB"}, {"bytes", "B"}}};
constexpr QuantityKind size_kind{"size", "64KiB", "B", "a byte", size_units, other_sizes};

constexpr std::array<Unit, 7> bandwidth_units{{{"B/s", 1},
                                               {"KiB/s", kibi},
                                               {"MiB/s", kibi* kibi},
                                               {"GiB/s", kibi* kibi* kibi},
                                               {"kB/s", 1'000},
                                               {"MB/s", 1'000'000},
                                               {"GB/s", 1'000'000'000}}};
constexpr std::array<OtherSpelling, 7> other_bandwidths{{{"B", "B/s"},
                                                         {"KiB", "KiB/s"},
                                                         {"MiB", "MiB/s"},
                                                         {"GiB", "GiB/s"},
                                                         {"kB", "kB/s"},
                                                         {"MB", "MB/s"},
                                                         {"GB", "GB/s"}}};
constexpr QuantityKind bandwidth_kind{"bandwidth",       "12GB/s",        "B/s",
                                      "a byte a second", bandwidth_units, other_bandwidths};

constexpr std::array<Unit, 3> rate_units{{{"Hz", 1}, {"kHz", 1'000}, {"MHz", 1'000'000}}};
constexpr std::array<OtherSpelling, 2> other_rates{{{"fps", "Hz"}, {"/s", "Hz"}}};
constexpr QuantityKind rate_kind{"rate", "30Hz", "Hz", "", rate_units, other_rates};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// A number in pieces, and what stands behind it.
struct Number {
  bool negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view exponent;  // "e3", "E-2", or empty
  std::string_view rest;

  [[nodiscard]] std::string decimal() const {
    std::string text{whole.empty() ? "0" : whole};
    if (!fraction.empty()) text += "." + std::string{fraction};
    return text;
  }
  [[nodiscard]] bool is_zero() const {
    return whole.find_first_not_of('0') == std::string_view::npos &&
           fraction.find_first_not_of('0') == std::string_view::npos;
  }
};

std::optional<Number> split(std::string_view text) {
  Number number;
  if (text.starts_with('-')) {
    number.negative = true;
    text.remove_prefix(1);
  }
  number.whole = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    number.fraction = take_digits(text);
  }
  if (number.whole.empty() && number.fraction.empty()) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    std::string_view behind = text.substr(1);
    if (behind.starts_with('+') || behind.starts_with('-')) behind.remove_prefix(1);
    if (!take_digits(behind).empty()) {
      number.exponent = text.substr(0, text.size() - behind.size());
      text = behind;
    }
  }
  number.rest = text;
  return number;
}

/// The number without its exponent: "1.5e3" is "1500". Empty when that would be absurdly long.
std::string without_exponent(const Number& number) {
  constexpr std::size_t max_digits = 3;
  std::string_view digits = number.exponent.substr(1);
  const bool shrinks = digits.starts_with('-');
  if (shrinks || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.size() > max_digits) return {};
  constexpr int max_places = 18;
  const int places = std::stoi(std::string{digits});
  if (places > max_places) return {};
  std::string whole{number.whole};
  std::string fraction{number.fraction};
  for (int i = 0; i < places; ++i) {
    std::string& from = shrinks ? whole : fraction;
    if (from.empty()) from = "0";
    if (shrinks) {
      fraction.insert(fraction.begin(), whole.back());
      whole.pop_back();
    } else {
      whole.push_back(fraction.front());
      fraction.erase(fraction.begin());
    }
  }
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return (whole.empty() ? "0" : whole) + (fraction.empty() ? "" : "." + fraction);
}

template <typename T>
Parsed<T> wrong(std::string message, std::string hint, ProblemId id = ProblemId::bad_number) {
  return {.value = std::nullopt, .message = std::move(message), .hint = std::move(hint), .id = id};
}

std::string units_of(const QuantityKind& kind) {
  std::string list;
  for (const Unit& unit : kind.units) list += (list.empty() ? "" : ", ") + std::string{unit.name};
  return "units: " + list;
}

const Unit* find_unit(const QuantityKind& kind, std::string_view name) {
  const auto found =
      std::find_if(kind.units.begin(), kind.units.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == kind.units.end() ? nullptr : &*found;
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

/// The unit that was most likely meant; empty when nothing is near.
std::string_view guess_unit(const QuantityKind& kind, std::string_view name) {
  for (const OtherSpelling& other : kind.other_spellings) {
    if (other.spelling == name) return other.unit;
  }
  for (const Unit& unit : kind.units) {
    if (equal_but_for_case(unit.name, name)) return unit.name;
  }
  return {};
}

/// A number and its unit, or what is wrong with them.
struct Quantity {
  Number number;
  const Unit* unit = nullptr;  // null for a bare 0
};

Parsed<Quantity> parse_quantity(std::string_view text, const QuantityKind& kind) {
  const std::optional<Number> number = split(text);
  if (!number) {
    return wrong<Quantity>(
        fmt::format("is not a {}", kind.name),
        fmt::format("write a number with a unit, for instance {} ({})", kind.example, units_of(kind)));
  }
  const std::string_view name = trimmed(number->rest);
  const Unit* unit = find_unit(kind, name);
  // The corrected text; with the unit only where it is certain.
  const std::string_view likely_unit = unit != nullptr ? unit->name : guess_unit(kind, name);
  const auto with_unit = [&](const std::string& decimal) {
    return decimal + std::string{likely_unit.empty() ? kind.missing_unit : likely_unit};
  };
  if (number->negative) {
    return wrong<Quantity>("is negative", fmt::format("a {} is 0 or more", kind.name),
                           ProblemId::out_of_range);
  }
  if (!number->exponent.empty()) {
    const std::string plain = without_exponent(*number);
    return wrong<Quantity>("has an exponent", plain.empty() ? "write the number out"
                                                            : "write the number out: " + with_unit(plain));
  }
  if (name.empty()) {
    if (number->is_zero()) return {.value = Quantity{*number, nullptr}, .message = {}, .hint = {}};
    return wrong<Quantity>("has no unit",
                           fmt::format("write {} ({})", with_unit(number->decimal()), units_of(kind)),
                           ProblemId::missing_unit);
  }
  if (std::any_of(name.begin(), name.end(), is_digit)) {
    return wrong<Quantity>(
        fmt::format("is not a {}", kind.name),
        fmt::format("write one number without separators and a unit, for instance {}", kind.example));
  }
  if (unit == nullptr) {
    return wrong<Quantity>(fmt::format("has the unknown unit {}", in_backticks(name)),
                           likely_unit.empty()
                               ? units_of(kind)
                               : fmt::format("write {} ({})", with_unit(number->decimal()), units_of(kind)),
                           ProblemId::unknown_unit);
  }
  if (name != number->rest) {
    return wrong<Quantity>("has a space before its unit", "write " + with_unit(number->decimal()));
  }
  return {.value = Quantity{*number, unit}, .message = {}, .hint = {}};
}

/// number * factor, exactly. `remainder` says whether a fraction is left over.
struct Product {
  std::int64_t value = 0;
  bool overflow = false;
  bool remainder = false;
};

Product multiply(const Number& number, std::int64_t factor) {
  Product product;
  // Schoolbook multiplication of the fraction, from its last digit; the final carry belongs to the integer
  // part.
  std::int64_t carry = 0;
  for (std::size_t i = number.fraction.size(); i > 0; --i) {
    const std::int64_t sum = (number.fraction[i - 1] - '0') * factor + carry;
    product.remainder = product.remainder || sum % 10 != 0;
    carry = sum / 10;
  }
  for (const char digit : number.whole) {
    product.overflow = product.overflow || __builtin_mul_overflow(product.value, 10, &product.value) ||
                       __builtin_add_overflow(product.value, digit - '0', &product.value);
  }
  product.overflow = product.overflow || __builtin_mul_overflow(product.value, factor, &product.value) ||
                     __builtin_add_overflow(product.value, carry, &product.value);
  return product;
}

/// An exact multiple of the kind's smallest step.
Parsed<std::int64_t> parse_multiple(std::string_view text, const QuantityKind& kind,
                                    const std::string& most) {
  const Parsed<Quantity> quantity = parse_quantity(text, kind);
  if (!quantity.value) return wrong<std::int64_t>(quantity.message, quantity.hint, quantity.id);
  if (quantity.value->unit == nullptr) return {.value = 0, .message = {}, .hint = {}};
  const Product product = multiply(quantity.value->number, quantity.value->unit->factor);
  const std::string_view base = kind.units.front().name;
  if (product.overflow || (product.remainder && product.value == largest)) {
    return wrong<std::int64_t>("does not fit 64 bits", fmt::format("the largest {} is {}", kind.name, most),
                               ProblemId::out_of_range);
  }
  if (product.remainder) {
    return wrong<std::int64_t>(
        fmt::format("holds a fraction of {}", kind.smallest_step),
        fmt::format("write {}{} or {}{}", product.value, base, product.value + 1, base));
  }
  return {.value = product.value, .message = {}, .hint = {}};
}

/// A decimal without unit; `hint` is for a negative one.
Parsed<Rational> parse_number(std::string_view text, std::string hint) {
  const std::optional<Number> number = split(text);
  if (number && number->negative)
    return wrong<Rational>("is negative", std::move(hint), ProblemId::out_of_range);
  if (number && !number->exponent.empty()) {
    const std::string plain = without_exponent(*number);
    return wrong<Rational>("has an exponent",
                           plain.empty() ? "write the number out" : "write the number out: " + plain);
  }
  if (!number || !number->rest.empty()) {
    return wrong<Rational>("is not a number", "write a decimal number without a unit, for instance 1.5");
  }
  try {
    return {.value = parse_decimal(number->decimal()), .message = {}, .hint = {}};
  } catch (const OverflowError&) {
    return wrong<Rational>("does not fit 64 bits", "use fewer digits", ProblemId::out_of_range);
  }
}

std::vector<std::string_view> names_of(const QuantityKind& kind) {
  std::vector<std::string_view> names;
  for (const Unit& unit : kind.units) names.push_back(unit.name);
  return names;
}

}  // namespace

std::vector<std::string_view> duration_units_known() { return names_of(duration_kind); }
std::vector<std::string_view> size_units_known() { return names_of(size_kind); }
std::vector<std::string_view> bandwidth_units_known() { return names_of(bandwidth_kind); }
std::vector<std::string_view> rate_units_known() { return names_of(rate_kind); }

Parsed<Duration> parse_duration(std::string_view text) {
  Parsed<std::int64_t> parsed = parse_multiple(text, duration_kind, to_text(Duration::max()));
  if (!parsed.value) return wrong<Duration>(std::move(parsed.message), std::move(parsed.hint), parsed.id);
  return {.value = Duration{*parsed.value}, .message = {}, .hint = {}};
}

Parsed<std::int64_t> parse_size(std::string_view text) {
  return parse_multiple(text, size_kind, std::to_string(largest) + "B");
}

Parsed<std::int64_t> parse_bandwidth(std::string_view text) {
  Parsed<std::int64_t> parsed = parse_multiple(text, bandwidth_kind, std::to_string(largest) + "B/s");
  if (parsed.value == 0)
    return wrong<std::int64_t>("is zero", "a bandwidth is at least 1B/s", ProblemId::out_of_range);
  return parsed;
}

Parsed<Duration> parse_rate(std::string_view text) {
  const Parsed<Quantity> quantity = parse_quantity(text, rate_kind);
  if (!quantity.value) return wrong<Duration>(quantity.message, quantity.hint, quantity.id);
  const Number& number = quantity.value->number;
  if (number.is_zero()) {
    return wrong<Duration>("is zero", "a rate is more than 0Hz; for a single job write `arrival: once`",
                           ProblemId::out_of_range);
  }
  std::optional<Rational> rate;
  try {
    rate = parse_decimal(number.decimal());
  } catch (const OverflowError&) {
    return wrong<Duration>("does not fit 64 bits", "use fewer digits, or write the period instead",
                           ProblemId::out_of_range);
  }
  constexpr Int128 second = 1'000'000'000;
  const Int128 period =
      second * rate->denominator() / (static_cast<Int128>(rate->numerator()) * quantity.value->unit->factor);
  if (period < 1) {
    return wrong<Duration>("is faster than one job a nanosecond", "at most 1000MHz is allowed",
                           ProblemId::out_of_range);
  }
  if (period > largest) {
    return wrong<Duration>("has a period that does not fit 64 bits",
                           "the longest period is " + to_text(Duration::max()), ProblemId::out_of_range);
  }
  return {.value = Duration{static_cast<std::int64_t>(period)}, .message = {}, .hint = {}};
}

Parsed<std::int64_t> parse_integer(std::string_view text) {
  const std::optional<Number> number = split(text);
  if (!number || number->whole.empty()) {
    return wrong<std::int64_t>("is not a whole number", "write digits only, for instance 4");
  }
  if (!number->exponent.empty() && number->rest.empty()) {
    const std::string plain = without_exponent(*number);
    return wrong<std::int64_t>("has an exponent",
                               plain.empty() ? "write the number out" : "write the number out: " + plain);
  }
  if (!number->rest.empty()) {
    const bool separators = number->rest.front() == '_' || number->rest.front() == ',';
    return wrong<std::int64_t>("is not a whole number", separators
                                                            ? "write the digits without separators"
                                                            : "this is a count: write digits only, no unit");
  }
  if (number->whole.size() + (number->negative ? 1 : 0) != text.size()) {
    return wrong<std::int64_t>("is not a whole number", "write digits only, for instance 4");
  }
  std::int64_t value = 0;
  bool overflow = false;
  for (const char digit : number->whole) {
    const std::int64_t step = number->negative ? -(digit - '0') : digit - '0';
    overflow =
        overflow || __builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, step, &value);
  }
  if (overflow) {
    return wrong<std::int64_t>(
        "does not fit 64 bits",
        number->negative ? fmt::format("the smallest number is {}", std::numeric_limits<std::int64_t>::min())
                         : fmt::format("the largest number is {}", largest),
        ProblemId::out_of_range);
  }
  return {.value = value, .message = {}, .hint = {}};
}

Parsed<Rational> parse_decimal_number(std::string_view text) {
  return parse_number(text, "it must be 0 or more");
}

Parsed<Rational> parse_factor(std::string_view text) { return parse_number(text, "it must be at least 1"); }

}  // namespace tactus::io
