#include "tactus/base/threads.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "tactus/base/error.hpp"

namespace tactus {

namespace {

bool is_core(int core) { return core >= 0 && core < CPU_SETSIZE; }

/// The text is built only for a refusal, so success allocates nothing.
template <class What>
Refusal refusal_of(int error, What&& what) {
  if (error == 0) return std::nullopt;
  return fmt::format("{}: {}", what(), error_text(error));
}

}  // namespace

FailureError no_more_threads(const std::system_error& why) {
  return FailureError{fmt::format(
      "no more threads can be started: {}\n    the limits of processes (`ulimit -u`) and of memory "
      "(`ulimit -v`) say how many there may be",
      why.code().message())};
}

Threads start_threads(unsigned wanted, const std::function<void()>& work) {
  Threads threads;
  threads.all.reserve(wanted);
  try {
    while (threads.all.size() < wanted) threads.all.emplace_back(work);
  } catch (const std::system_error& error) {
    threads.refusal = error.code().message();
  } catch (const std::bad_alloc&) {
    threads.refusal = error_text(ENOMEM);
  }
  return threads;
}

Refusal take_real_time_class(int priority, pthread_t thread) {
  sched_param parameters{};
  parameters.sched_priority = priority;
  return refusal_of(pthread_setschedparam(thread, SCHED_FIFO, &parameters),
                    [&] { return fmt::format("SCHED_FIFO with priority {}", priority); });
}

bool may_take_real_time_class(int priority) {
  // Asks the kernel: the C library returns what it set itself, which others may have changed since.
  const int policy = ::sched_getscheduler(0);
  sched_param before{};
  if (policy < 0 || ::sched_getparam(0, &before) != 0) return false;
  if (take_real_time_class(priority)) return false;
  return ::sched_setscheduler(0, policy, &before) == 0;
}

Refusal take_lowest_nice_value() {
  constexpr int lowest = -20;
  // Linux takes a thread's number for that of a process here, and changes this thread only.
  const int error = ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), lowest) == 0 ? 0 : errno;
  return refusal_of(error, [&] { return fmt::format("nice value {}", lowest); });
}

std::vector<int> available_cpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(static_cast<int>(cpu));
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

Refusal allow_cpus(const std::vector<int>& cpus, pthread_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) {
    if (is_core(cpu)) CPU_SET(static_cast<std::size_t>(cpu), &set);
  }
  return refusal_of(pthread_setaffinity_np(thread, sizeof set, &set), [] { return "cores"; });
}

Refusal stay_on_core(int core, pthread_t thread) {
  if (!is_core(core)) return fmt::format("core {}: there is no such core", core);
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  return refusal_of(pthread_setaffinity_np(thread, sizeof set, &set),
                    [&] { return fmt::format("core {}", core); });
}

Refusal take_punctual_timers() {
  const int error = prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0 ? 0 : errno;
  return refusal_of(error, [] { return "punctual timers"; });
}

void name_this_thread(const char* name) {
  std::array<char, 16> kept{};
  std::memcpy(kept.data(), name, std::min(std::strlen(name), kept.size() - 1));
  pthread_setname_np(pthread_self(), kept.data());
}

}  // namespace tactus
