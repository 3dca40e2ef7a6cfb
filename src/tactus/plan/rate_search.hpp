// The largest common factor by which the rates of tasks can be multiplied.
//
// Factors are whole thousandths. Whether a system holds need not be monotone in the factor: a test may accept
// a faster system and reject a slower one. So bisection finds a factor that holds next to one that does not,
// and then the factors above are tried one by one, up to a limit. The result says which were tried.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

/// A factor 1 is 1000.
inline constexpr std::int64_t unchanged_rate = 1000;
/// No larger factor is tried.
inline constexpr std::int64_t largest_rate = 1'000'000'000;

enum class RateVerdict : std::uint8_t {
  holds,
  fails,
  gave_up,
  ruled_out,  // it fails, and so does every larger factor
};

struct RateQuestion {
  std::function<RateVerdict(std::int64_t factor)> judge;
  std::int64_t most = largest_rate;     // above it nothing can hold
  std::int64_t start = unchanged_rate;  // tried first
  std::int64_t scanned = 0;             // number of factors to try one by one at the end
};

struct RateAnswer {
  std::optional<std::int64_t> factor;  // the largest of those tried that holds
  std::int64_t fails_to = 0;           // all larger ones up to this were tried and fail
  bool gave_up = false;                // at one of those the search gave up
  bool largest = false;                // no larger one can hold: all up to the most were tried
  bool stopped = false;
};

RateAnswer search_rate(const RateQuestion& question, const Watch& watch);

/// Which tasks change their rates (all that repeat, where none is named), and whether their deadlines stay.
struct RateScope {
  std::vector<TaskIndex> tasks{};
  bool keeps_deadlines = false;
};

/// Periods, and deadlines unless they stay, divided by the factor, rounded down to whole nanoseconds, so
/// rates are not lower and deadlines not longer than the factor says. Nothing where a period or deadline
/// would vanish or leave 64 bits.
std::optional<System> at_rate(const System& system, std::int64_t factor, const RateScope& scope = {});

}  // namespace tactus::plan
