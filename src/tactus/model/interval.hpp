// A time that is known only to lie between a best and a worst case.
#pragma once

#include "tactus/base/time.hpp"

namespace tactus {

/// best <= worst; a single value means both.
struct Interval {
  Duration best{};
  Duration worst{};

  static constexpr Interval exactly(Duration d) { return {d, d}; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

}  // namespace tactus
