// How a thread was scheduled, to put it back.
#pragma once

#include <sched.h>
#include <sys/types.h>

namespace tactus::machine {

/// Class, priority, CPUs and punctuality of timers of the thread that makes it.
class ThreadSettings {
 public:
  ThreadSettings();

  /// The thread is as it was. Another thread may call; then timers stay as they are, because only a thread
  /// itself can set its own.
  void restore() const;

 private:
  pid_t thread_;
  int policy_;
  sched_param parameters_{};
  cpu_set_t cpus_{};
  bool knows_cpus_;
  int timer_slack_;  // nanoseconds; negative: not known
};

}  // namespace tactus::machine
