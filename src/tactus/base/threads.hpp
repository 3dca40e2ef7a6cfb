// What the operating system lets us say about threads. Nothing here throws: the answer tells whether it
// worked.
#pragma once

#include <pthread.h>

#include <vector>

namespace tactus {

/// The CPUs that this process may use, in rising order; never empty.
std::vector<int> available_cpus();

/// The calling thread, and those it starts from now on, may use these.
bool allow_cpus(const std::vector<int>& cpus);

/// SCHED_FIFO with a priority of 1 to 99, larger = more urgent.
bool set_fifo_priority(pthread_t thread, int priority);
/// Whether this process may use SCHED_FIFO up to a priority. It is tried on the calling thread, which is as
/// it was when this returns.
bool may_use_fifo(int priority);

bool pin_to_cpu(pthread_t thread, int cpu);

/// How debuggers and `top` name the calling thread: at most 15 characters are kept.
void name_this_thread(const char* name);

/// Timed waits of the calling thread end as exactly as the kernel can; by default it may be late by 50 us.
void sharpen_timed_waits();

}  // namespace tactus
