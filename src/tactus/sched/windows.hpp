// Time-triggered windows: when a reservation serves, and when that changes.
#pragma once

#include <algorithm>
#include <optional>

#include "tactus/base/time.hpp"
#include "tactus/model/policy.hpp"

namespace tactus::sched {

/// The intervals [k period + offset, k period + offset + budget) for every k >= 0. If the budget is the
/// period, a window is always open; if it is 0, there is none.
class Windows {
 public:
  Windows(const std::optional<Window>& window, Duration period)
      : window_{window.value_or(Window{})}, period_{period}, always_{window && window->budget == period} {}

  /// The end of the window that is open at `now`; nothing when none is open.
  [[nodiscard]] std::optional<Time> open_until(Time now) const {
    if (always_) return never;
    const Duration phase = now.time_since_epoch() % period_;
    if (phase < window_.offset || phase >= window_.offset + window_.budget) return std::nullopt;
    return saturating_add(now, window_.offset + window_.budget - phase);
  }

  /// The next instant after `now` at which a window opens or closes; `never` when there is none.
  [[nodiscard]] Time next_edge(Time now) const {
    if (always_ || window_.budget == Duration{}) return never;
    const Duration phase = now.time_since_epoch() % period_;
    const Duration end = window_.offset + window_.budget;
    if (phase < window_.offset) return saturating_add(now, window_.offset - phase);
    if (phase < end) return saturating_add(now, end - phase);
    return saturating_add(saturating_add(now, period_ - phase), window_.offset);
  }

 private:
  Window window_;
  Duration period_;
  bool always_;
};

}  // namespace tactus::sched
