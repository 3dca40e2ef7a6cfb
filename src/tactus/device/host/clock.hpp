// The clock of a run in real time.
#pragma once

#include <chrono>

#include "tactus/base/time.hpp"

namespace tactus::device::host {

class Clock {
 public:
  using Real = std::chrono::steady_clock;

  /// The instant 0 is so far ahead.
  void start(Duration ahead = {}) { start_ = Real::now() + ahead; }
  [[nodiscard]] Time now() const noexcept {
    return time_at(std::chrono::duration_cast<Duration>(Real::now() - start_));
  }
  /// The real time of an instant, at most an hour ahead: the real clock may not be able to represent later
  /// ones.
  [[nodiscard]] Real::time_point alarm(Time time) const noexcept {
    constexpr Duration far = std::chrono::hours{1};
    const Time soon = now() + far;
    return start_ + (time < soon ? time : soon).time_since_epoch();
  }

 private:
  Real::time_point start_ = Real::now();
};

}  // namespace tactus::device::host
