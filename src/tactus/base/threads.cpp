#include "tactus/base/threads.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace tactus {

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

bool allow_cpus(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

bool set_fifo_priority(pthread_t thread, int priority) {
  sched_param parameters{};
  parameters.sched_priority = priority;
  return pthread_setschedparam(thread, SCHED_FIFO, &parameters) == 0;
}

bool may_use_fifo(int priority) {
  int policy = 0;
  sched_param before{};
  if (pthread_getschedparam(pthread_self(), &policy, &before) != 0) return false;
  if (!set_fifo_priority(pthread_self(), priority)) return false;
  return pthread_setschedparam(pthread_self(), policy, &before) == 0;
}

bool pin_to_cpu(pthread_t thread, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  return pthread_setaffinity_np(thread, sizeof set, &set) == 0;
}

void name_this_thread(const char* name) {
  std::array<char, 16> kept{};
  std::memcpy(kept.data(), name, std::min(std::strlen(name), kept.size() - 1));
  pthread_setname_np(pthread_self(), kept.data());
}

void sharpen_timed_waits() { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

}  // namespace tactus
