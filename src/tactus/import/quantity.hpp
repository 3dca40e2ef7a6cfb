// Numbers and quantities of a model, exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tactus/base/time.hpp"
#include "tactus/import/element.hpp"

namespace tactus::import {

/// "33", "1.0E8", "-2.5": exact. Nothing where the text is no number, or one that 64 bits cannot hold.
std::optional<Rational> parse_number(std::string_view text);

/// `value` and `unit` of an element. Nothing where one is missing or not known.
std::optional<Rational> nanoseconds_of(const Element& time);
std::optional<Rational> hertz_of(const Element& frequency);
std::optional<Rational> bytes_of(const Element& size);
std::optional<Rational> bytes_per_second_of(const Element& rate);

/// "50000\u00b5s", "1000 us", "50 msec": as people write a time into a text.
std::optional<Duration> parse_time_text(std::string_view text);

/// Whole nanoseconds. OverflowError where 64 bits do not hold them.
Duration rounded_down(const Rational& nanoseconds);
Duration rounded_up(const Rational& nanoseconds);

/// A whole number of lines or bytes.
std::int64_t ceiling(const Rational& value);

}  // namespace tactus::import
