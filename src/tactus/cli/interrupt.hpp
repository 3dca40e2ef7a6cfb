// Ctrl-C: long work ends in order and keeps what it has.
#pragma once

#include <atomic>

namespace tactus::cli {

/// While it lives, SIGINT and SIGTERM set a flag; a second one ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  InterruptGuard(InterruptGuard&&) = delete;
  InterruptGuard& operator=(InterruptGuard&&) = delete;

  [[nodiscard]] static const std::atomic<bool>& flag();
};

}  // namespace tactus::cli
