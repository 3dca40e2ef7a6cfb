// How a search that was stopped ends.
#pragma once

#include "tactus/base/watch.hpp"

namespace tactus::plan {

/// Thrown by searches that were stopped before they had anything; caught in `plan`.
struct SearchStopped {};

inline void stop_if_asked(const Watch& watch) {
  if (watch.stopped()) throw SearchStopped{};
}

}  // namespace tactus::plan
