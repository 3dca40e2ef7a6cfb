// How long something takes.
#pragma once

#include <chrono>

#include "tactus/base/time.hpp"

namespace tactus {

/// Runs from its construction on.
class Stopwatch {
 public:
  [[nodiscard]] Duration elapsed() const noexcept {
    return std::chrono::duration_cast<Duration>(Clock::now() - begin_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace tactus
