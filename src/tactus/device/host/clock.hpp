// The clock of a run on real time.
#pragma once

#include <chrono>

#include "tactus/base/time.hpp"

namespace tactus::device::host {

class Clock {
 public:
  using Real = std::chrono::steady_clock;

  void start() { start_ = Real::now(); }
  [[nodiscard]] Time now() const { return at(std::chrono::duration_cast<Duration>(Real::now() - start_)); }
  /// For instants that lie on the axis of the real clock, too.
  [[nodiscard]] Real::time_point real(Time time) const { return start_ + time.time_since_epoch(); }

 private:
  Real::time_point start_ = Real::now();
};

}  // namespace tactus::device::host
