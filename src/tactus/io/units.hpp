// Numbers with units, read exactly: durations, sizes, bandwidths, rates, counts and factors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/base/problem_id.hpp"
#include "tactus/base/time.hpp"

namespace tactus::io {

/// A value, or what is wrong with the text: a message continues a sentence that begins with the text itself
/// ("has no unit"), the hint says what to write.
template <typename T>
struct Parsed {
  std::optional<T> value;
  std::string message;
  std::string hint;
  ProblemId id = ProblemId::bad_number;
};

/// The units of each kind, as a file writes them.
std::vector<std::string_view> duration_units_known();
std::vector<std::string_view> size_units_known();
std::vector<std::string_view> bandwidth_units_known();
std::vector<std::string_view> rate_units_known();

/// "1.5us", "10ms", "0": whole nanoseconds.
Parsed<Duration> parse_duration(std::string_view text);

/// "64KiB", "1.5kB", "0": whole bytes.
Parsed<std::int64_t> parse_size(std::string_view text);

/// "12GB/s": whole bytes a second, at least 1.
Parsed<std::int64_t> parse_bandwidth(std::string_view text);

/// "30Hz", "1.5kHz", "2MHz": the period, rounded down to whole nanoseconds.
Parsed<Duration> parse_rate(std::string_view text);

/// "-3", "42".
Parsed<std::int64_t> parse_integer(std::string_view text);

/// "0.2", "3": a decimal of 0 or more.
Parsed<Rational> parse_decimal_number(std::string_view text);

/// "1", "1.69": a decimal that is to be at least 1. The model checks that.
Parsed<Rational> parse_factor(std::string_view text);

}  // namespace tactus::io
