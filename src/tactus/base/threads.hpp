// Thread settings of the operating system. The functions return what was refused; only a thread that
// cannot be started is an exception.
#pragma once

#include <pthread.h>

#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tactus/base/error.hpp"

namespace tactus {

/// What the operating system refused, as a sentence without its full stop; nothing when it was granted.
using Refusal = std::optional<std::string>;

/// The message and advice where no thread can be started.
FailureError no_more_threads(const std::system_error& why);

/// Starts a thread. FailureError when the operating system refuses.
template <class Work>
std::thread start_thread(Work&& work) {
  try {
    return std::thread{std::forward<Work>(work)};
  } catch (const std::system_error& error) {
    throw no_more_threads(error);
  }
}

/// Threads that do the same work: as many as requested, or fewer (perhaps none) and the reason.
struct Threads {
  std::vector<std::thread> all;
  Refusal refusal;
};
Threads start_threads(unsigned wanted, const std::function<void()>& work);

/// First in, first out, above all ordinary work (SCHED_FIFO). Priorities go from 1 to 99, larger = more
/// urgent.
Refusal take_real_time_class(int priority, pthread_t thread = pthread_self());
/// Whether this process may use the real-time class up to a priority. Tried on the calling thread,
/// whose settings are restored.
bool may_take_real_time_class(int priority);

/// Among ordinary threads of a core the largest share of its time (nice value -20), for the calling thread.
Refusal take_lowest_nice_value();

/// The CPUs that the calling thread may use, in rising order; never empty.
std::vector<int> available_cpus();
/// A thread, and those it starts from now on, may use these.
Refusal allow_cpus(const std::vector<int>& cpus, pthread_t thread = pthread_self());
/// Runs on this core only.
Refusal stay_on_core(int core, pthread_t thread = pthread_self());

/// Timers of ordinary threads may be 50 us late on purpose, to save wake-ups: this asks for punctual ones,
/// for the calling thread.
Refusal take_punctual_timers();

/// How debuggers and `top` name the calling thread: at most 15 characters are kept.
void name_this_thread(const char* name);

/// Tells the processor that this is a waiting loop: it saves power and leaves more to the core's other
/// thread.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

}  // namespace tactus
