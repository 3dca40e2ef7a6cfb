#include "tactus/import/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "tactus/import/properties.hpp"

namespace tactus::import {

namespace {

constexpr int most_digits = 18;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Digits as an integer and the power of ten that they are multiplied with.
struct Scientific {
  std::int64_t digits = 0;
  int power = 0;
};

std::optional<int> read_exponent(std::string_view text) {
  if (text.empty()) return 0;
  text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  int power = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), power);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return power;
}

std::optional<Scientific> read_scientific(std::string_view text) {
  const std::size_t mark = std::min(text.find_first_of("eE"), text.size());
  const std::optional<int> power = read_exponent(text.substr(mark));
  if (!power || *power > 100 || *power < -100) return std::nullopt;
  Scientific number{.power = *power};
  bool behind_point = false;
  bool any = false;
  int count = 0;
  for (const char c : text.substr(0, mark)) {
    if (c == '.' && !behind_point) {
      behind_point = true;
      continue;
    }
    if (!is_digit(c)) return std::nullopt;
    any = true;
    if (behind_point && count == most_digits) continue;  // nothing that a double holds
    if (number.digits != 0 || c != '0') ++count;
    if (count > most_digits) return std::nullopt;
    number.digits = number.digits * 10 + (c - '0');
    if (behind_point) --number.power;
  }
  if (!any) return std::nullopt;
  while (number.digits != 0 && number.power < 0 && number.digits % 10 == 0) {
    number.digits /= 10;
    ++number.power;
  }
  return number;
}

using Units = std::pair<std::string_view, Rational>;

std::optional<Rational> quantity_of(const Element& element, const Units* begin, const Units* end) {
  const std::optional<Rational> value = parse_number(element.attribute("value"));
  const std::string_view unit = element.attribute("unit");
  const Units* found = std::find_if(begin, end, [unit](const Units& one) { return one.first == unit; });
  if (!value || found == end) return std::nullopt;
  return *value * found->second;
}

constexpr std::int64_t kilo = 1'000;
constexpr std::int64_t mega = 1'000'000;
constexpr std::int64_t giga = 1'000'000'000;
constexpr std::int64_t tera = 1'000'000'000'000;
constexpr std::int64_t kibi = 1'024;
constexpr std::int64_t mebi = kibi * kibi;
constexpr std::int64_t gibi = kibi * mebi;
constexpr std::int64_t tebi = kibi * gibi;

/// Units of sizes, "per second" left away.
const std::array<Units, 18>& sizes() {
  static const std::array<Units, 18> units{{{"bit", {1, 8}},
                                            {"kbit", {kilo, 8}},
                                            {"Mbit", {mega, 8}},
                                            {"Gbit", {giga, 8}},
                                            {"Tbit", {tera, 8}},
                                            {"Kibit", {kibi, 8}},
                                            {"Mibit", {mebi, 8}},
                                            {"Gibit", {gibi, 8}},
                                            {"Tibit", {tebi, 8}},
                                            {"B", 1},
                                            {"kB", kilo},
                                            {"MB", mega},
                                            {"GB", giga},
                                            {"TB", tera},
                                            {"KiB", kibi},
                                            {"MiB", mebi},
                                            {"GiB", gibi},
                                            {"TiB", tebi}}};
  return units;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Nanoseconds of a unit as people write it, in small letters: "ms", "msec", "milliseconds".
std::optional<Rational> unit_of_word(std::string_view word) {
  static const std::array<Units, 7> prefixes{
      {{"milli", mega}, {"micro", kilo}, {"nano", 1}, {"m", mega}, {"u", kilo}, {"n", 1}, {"", giga}}};
  constexpr std::array<std::string_view, 5> seconds{"s", "sec", "secs", "second", "seconds"};
  const auto prefix = std::find_if(prefixes.begin(), prefixes.end(),
                                   [word](const Units& one) { return word.starts_with(one.first); });
  word.remove_prefix(prefix->first.size());
  return std::find(seconds.begin(), seconds.end(), word) == seconds.end() ? std::nullopt
                                                                          : std::optional{prefix->second};
}

}  // namespace

std::optional<Rational> parse_number(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::optional<Scientific> number = read_scientific(text);
  if (!number) return std::nullopt;
  if (number->digits == 0) return Rational{};
  if (number->power > most_digits || number->power < -most_digits) return std::nullopt;
  std::int64_t scale = 1;
  for (int i = 0; i < std::abs(number->power); ++i) scale *= 10;
  const std::int64_t digits = is_negative ? -number->digits : number->digits;
  std::int64_t product = 0;
  if (number->power < 0) return Rational{digits, scale};
  if (__builtin_mul_overflow(digits, scale, &product)) return std::nullopt;
  return Rational{product};
}

std::optional<Rational> nanoseconds_of(const Element& time) {
  static const std::array<Units, 5> units{
      {{"s", giga}, {"ms", mega}, {"us", kilo}, {"ns", 1}, {"ps", {1, kilo}}}};
  return quantity_of(time, units.begin(), units.end());
}

std::optional<Rational> hertz_of(const Element& frequency) {
  static const std::array<Units, 4> units{{{"Hz", 1}, {"kHz", kilo}, {"MHz", mega}, {"GHz", giga}}};
  return quantity_of(frequency, units.begin(), units.end());
}

std::optional<Rational> bytes_of(const Element& size) {
  return quantity_of(size, sizes().begin(), sizes().end());
}

std::optional<Rational> bytes_per_second_of(const Element& rate) {
  constexpr std::string_view per_second = "PerSecond";
  const std::optional<Rational> value = parse_number(rate.attribute("value"));
  std::string_view unit = rate.attribute("unit");
  if (!value || !unit.ends_with(per_second)) return std::nullopt;
  unit.remove_suffix(per_second.size());
  const auto found =
      std::find_if(sizes().begin(), sizes().end(), [unit](const Units& one) { return one.first == unit; });
  return found == sizes().end() ? std::nullopt : std::optional{*value * found->second};
}

std::optional<Duration> parse_time_text(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("\xc2\xb5") ||
        rest.starts_with("\xce\xbc")) {  // the two letters that people take for micro
      plain += 'u';
      ++i;
    } else if (text[i] != ' ' && text[i] != '\t') {
      plain += text[i];
    }
  }
  std::size_t end = plain.size();
  while (end > 0 && is_letter(plain[end - 1])) --end;
  const std::optional<Rational> number = parse_number(std::string_view{plain}.substr(0, end));
  const std::optional<Rational> unit = unit_of_word(folded(std::string_view{plain}.substr(end)));
  if (!number || !unit) return std::nullopt;
  return rounded_up(*number * *unit);
}

Duration rounded_down(const Rational& value) {
  return nanoseconds(floor_div(value.numerator(), value.denominator()));
}
Duration rounded_up(const Rational& value) { return nanoseconds(ceiling(value)); }

std::int64_t ceiling(const Rational& value) { return ceil_div(value.numerator(), value.denominator()); }

}  // namespace tactus::import
