// Ctrl-C: long operations end in an orderly way and keep their results.
#pragma once

#include <atomic>

namespace tactus::cli {

/// From now on a signal that asks the program to end (SIGINT, SIGTERM, SIGHUP) first removes temporary files.
/// A signal that was ignored when the program started stays ignored (nohup).
void end_cleanly_on_signals();

/// While it lives, these signals set a flag. A second signal within a second of the first is ignored as a
/// duplicate; a later one ends the program at once. After a first signal this remains in effect when the
/// object is destroyed.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static const std::atomic<bool>& flag();
};

}  // namespace tactus::cli
