// How often and how long the engine's thread was not running (absence_watch.hpp notices it).
#pragma once

#include <algorithm>
#include <cstdint>

#include "tactus/base/time.hpp"

namespace tactus::device {

struct Absences {
  std::uint64_t times = 0;
  Duration total{};
  Duration longest{};

  friend bool operator==(const Absences&, const Absences&) = default;
  friend Absences operator+(const Absences& a, const Absences& b) {
    return {a.times + b.times, a.total + b.total, std::max(a.longest, b.longest)};
  }
};

}  // namespace tactus::device
