// Ctrl-C: long work ends in order and keeps what it has.
#pragma once

#include <atomic>

namespace tactus::cli {

/// From now on a signal that asks the program to end (SIGINT, SIGTERM, SIGHUP) removes temporary files before
/// it does so. A signal that was ignored when the program started stays ignored (nohup).
void end_cleanly_on_signals();

/// While it lives, these signals set a flag. Another one within a second of the first is the same wish; a
/// later one ends the program at once. After a first signal that stays so when this object is gone.
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
