// The lateness of wake-ups.
#pragma once

#include <span>

#include "tactus/base/time.hpp"

namespace tactus::machine {

/// Lateness of many wake-ups. p99 is the nearest rank.
struct TimerLateness {
  int samples = 0;
  Duration median{};
  Duration p99{};
  Duration max{};

  friend bool operator==(const TimerLateness&, const TimerLateness&) = default;
};

/// Sorts `values`. All fields are zero when there are none.
TimerLateness summarise(std::span<Duration> values);

struct TimerQuestion {
  int samples = 1000;
  Duration interval = std::chrono::microseconds{500};
  Duration watch = std::chrono::milliseconds{500};  // how long to watch for the CPU being taken away
};

}  // namespace tactus::machine
