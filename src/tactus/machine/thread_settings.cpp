#include "tactus/machine/thread_settings.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tactus::machine {

ThreadSettings::ThreadSettings()
    : thread_{::gettid()},
      policy_{::sched_getscheduler(0)},
      nice_value_{::getpriority(PRIO_PROCESS, static_cast<id_t>(thread_))},
      knows_cpus_{::sched_getaffinity(0, sizeof cpus_, &cpus_) == 0},
      timer_slack_{::prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL)} {
  ::sched_getparam(0, &parameters_);
}

void ThreadSettings::restore() const {
  if (policy_ >= 0) ::sched_setscheduler(thread_, policy_, &parameters_);
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(thread_), nice_value_);
  if (knows_cpus_) ::sched_setaffinity(thread_, sizeof cpus_, &cpus_);
  // Set after the class, since some kernels ignore it for real-time threads. 0 would mean the thread's
  // default.
  if (timer_slack_ > 0 && ::gettid() == thread_) {
    ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(timer_slack_), 0UL, 0UL, 0UL);
  }
}

}  // namespace tactus::machine
