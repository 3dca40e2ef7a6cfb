// The clock of a run on real time.
#pragma once

#include <chrono>

#include "tactus/base/time.hpp"

namespace tactus::device::host {

class Clock {
 public:
  using Real = std::chrono::steady_clock;

  void start() { start_ = Real::now(); }
  [[nodiscard]] Time now() const noexcept {
    return time_at(std::chrono::duration_cast<Duration>(Real::now() - start_));
  }
  /// When to wake up to be there at an instant: not in the far future, which the real clock may not reach.
  [[nodiscard]] Real::time_point alarm(Time time) const noexcept {
    constexpr Duration far = std::chrono::hours{1};
    const Time soon = now() + far;
    return start_ + (time < soon ? time : soon).time_since_epoch();
  }

 private:
  Real::time_point start_ = Real::now();
};

}  // namespace tactus::device::host
