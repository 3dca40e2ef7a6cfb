// Saves and restores the scheduling of a thread.
#pragma once

#include <sched.h>
#include <sys/types.h>

namespace tactus::machine {

/// Class, priority, nice value, affinity and timer slack of the constructing thread.
class ThreadSettings {
 public:
  ThreadSettings();

  /// Another thread may call this; then the timer slack stays, because only the thread itself can set it.
  void restore() const;

 private:
  pid_t thread_;
  int policy_;
  sched_param parameters_{};
  int nice_value_;
  cpu_set_t cpus_{};
  bool knows_cpus_;
  int timer_slack_;  // nanoseconds; negative: unknown
};

}  // namespace tactus::machine
