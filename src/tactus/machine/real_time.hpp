// What a thread needs to act on time: memory that stays, and a way to wait that is not late. Its class and
// core: engine_thread.hpp.
#pragma once

#include <chrono>

#include "tactus/base/threads.hpp"
#include "tactus/base/time.hpp"

namespace tactus::machine {

using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Above the kernel's own interrupt threads (50), below those that keep the kernel alive (99).
inline constexpr int usual_priority = 80;

/// How long before an instant a thread wakes up and spins. Longer than a wake-up is usually late.
inline constexpr Duration usual_margin = std::chrono::microseconds{200};

/// All memory of the process stays in memory, now and later. Tried once a process; every call answers the
/// same. Where there is a limit, only what is there now is locked: later allocations would fail at the limit.
Refusal lock_memory();

/// Sleeps until the instant is there. It returns late by the operating system's wake-up latency, never early.
void sleep_until(SteadyTime instant);
/// Spins until the instant is there.
void spin_until(SteadyTime instant);
/// Sleeps until `margin` before the instant, then spins: not late as long as the wake-up is not later than
/// `margin`. Never early.
void wait_until(SteadyTime instant, Duration margin = usual_margin);

/// Now, on the clock that the functions above wait for.
SteadyTime steady_now();

}  // namespace tactus::machine
