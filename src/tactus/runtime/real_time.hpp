// What a thread needs to act on time: a real-time class, a core of its own, memory that stays, and a way to
// wait that is not late.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::runtime {

using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Above the kernel's own interrupt threads (50), below those that keep the kernel alive (99).
inline constexpr int usual_priority = 80;

/// How long before an instant a thread wakes up and spins. Longer than a wake-up is usually late.
inline constexpr Duration usual_margin = std::chrono::microseconds{200};

/// What the operating system refused, as a sentence without its end; nothing when it was granted. All of
/// these are about the calling thread, but for memory, and none throws for a refusal.
using Refusal = std::optional<std::string>;

/// First in, first out, above all ordinary work (SCHED_FIFO). Priorities go from 1 to 99.
Refusal take_real_time_class(int priority);
/// Back to the class of ordinary work.
Refusal leave_real_time_class();
/// Runs on this core only.
Refusal stay_on_core(int core);
/// Timers of ordinary threads may be 50 us late on purpose, to save wake-ups: this asks for punctual ones.
Refusal take_punctual_timers();
/// All memory of the process stays in memory, now and later. Tried once a process; every call answers the
/// same. Where there is a limit, only what is there now is locked: later allocations would fail at the limit.
Refusal lock_memory();

/// All of the above for the calling thread. Answers what could not be enforced; empty when all was granted.
std::vector<std::string> enter_real_time(int priority, std::optional<int> core);

/// Sleeps until the instant is there. It returns late by the operating system's wake-up latency, never early.
void sleep_until(SteadyTime instant);
/// Spins until the instant is there.
void spin_until(SteadyTime instant);
/// Sleeps until `margin` before the instant, then spins: not late as long as the wake-up is not later than
/// `margin`. Never early.
void wait_until(SteadyTime instant, Duration margin = usual_margin);

/// Now, on the clock that the functions above wait for.
SteadyTime steady_now();

}  // namespace tactus::runtime
