// The timers of the scheduler core: when each fires.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/base/touch.hpp"
#include "tactus/sched/event.hpp"

namespace tactus::runtime {

class Timers {
 public:
  void reserve(std::size_t timers) { at_.reserve(timers); }
  void touch() { tactus::touch(at_); }

  void arm(sched::TimerId timer, Time at) {
    if (timer >= at_.size()) at_.resize(std::size_t{timer} + 1, never);
    at_[timer] = at;
  }
  void cancel(sched::TimerId timer) {
    if (timer < at_.size()) at_[timer] = never;
  }
  /// When the next one fires; `never` when none is armed.
  [[nodiscard]] Time next() const noexcept {
    return at_.empty() ? never : *std::min_element(at_.begin(), at_.end());
  }
  /// Adds an event for each that is due; they are armed no longer.
  void fire(Time now, sched::Events& events) {
    for (sched::TimerId timer = 0; timer < at_.size(); ++timer) {
      if (at_[timer] > now) continue;
      at_[timer] = never;
      events.emplace_back(sched::TimerFired{timer});
    }
  }

 private:
  std::vector<Time> at_;  // by id; `never`: not armed
};

}  // namespace tactus::runtime
