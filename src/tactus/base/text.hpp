// Small helpers for text that people read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tactus/base/rounding.hpp"
#include "tactus/base/time.hpp"

namespace tactus {

/// The shortest exact form with a unit: "1.2ms", "250us", "0ns".
std::string to_text(Duration d);
std::string to_text(Time t);

/// For tables and sentences: at most three decimals of its unit.
std::string rounded_text(Duration d, Rounding direction);
/// Rounded up; but exact where rounding would pass a limit that the value keeps (a bound of 16.666666ms is
/// not shown as 16.667ms beside a deadline of 16.666666ms).
std::string rounded_up_text(Duration d, std::optional<Duration> limit);

/// A size in the largest unit that leaves a whole number: "64KiB", "1500B".
std::string size_text(std::int64_t bytes);

/// "1,000,000".
std::string with_thousands(std::uint64_t value);

/// The known word that differs least from `word`; empty when none is near.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> known);

}  // namespace tactus
