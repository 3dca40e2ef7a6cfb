// How a search that was stopped ends.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "tactus/analysis/effort.hpp"
#include "tactus/base/watch.hpp"

namespace tactus::plan {

/// Thrown by searches that were stopped before they had anything; caught in `plan`.
using SearchStopped = analysis::WorkStopped;

inline void stop_if_asked(const Watch& watch) {
  if (watch.stopped()) throw SearchStopped{};
}

/// The same, and from now on no longer than this; nothing: as long as it takes.
inline Watch within(Watch watch, const std::optional<std::chrono::nanoseconds>& time_limit) {
  if (!time_limit) return watch;
  const auto end = std::chrono::steady_clock::now() + *time_limit;
  watch.until = std::min(watch.until.value_or(end), end);
  return watch;
}

}  // namespace tactus::plan
