// Instants and durations: two types over 64-bit nanoseconds that cannot be mixed up.
#pragma once

#include <chrono>
#include <cstdint>

#include "tactus/base/exact.hpp"

namespace tactus {

/// The time axis of a schedule: 0 is its start. It never reads a real clock.
struct Timeline {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = std::chrono::duration<rep, period>;
  using time_point = std::chrono::time_point<Timeline, duration>;
  static constexpr bool is_steady = true;
};

using Duration = Timeline::duration;
using Time = Timeline::time_point;

inline constexpr Time origin{};
/// Later than every instant of a schedule.
inline constexpr Time never = Time::max();

constexpr Duration nanoseconds(std::int64_t count) { return Duration{count}; }
constexpr Time time_at(Duration since_origin) { return Time{since_origin}; }
constexpr std::int64_t in_ns(Duration d) { return d.count(); }
constexpr std::int64_t in_ns(Time t) { return t.time_since_epoch().count(); }

/// Sums and products that throw OverflowError when they leave 64 bits.
inline Time checked_add(Time t, Duration d) { return time_at(Duration{checked_add(in_ns(t), d.count())}); }
inline Duration checked_add(Duration a, Duration b) { return Duration{checked_add(a.count(), b.count())}; }
inline Duration checked_mul(Duration d, std::int64_t factor) {
  return Duration{checked_mul(d.count(), factor)};
}

/// The same, but saturating at `never`.
constexpr Time saturating_add(Time t, Duration d) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(in_ns(t), d.count(), &sum) ? never : time_at(Duration{sum});
}

}  // namespace tactus
