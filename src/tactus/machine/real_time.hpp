// What a thread needs to run on time: locked memory, and precise waiting.
#pragma once

#include <chrono>

#include "tactus/base/threads.hpp"
#include "tactus/base/time.hpp"

namespace tactus::machine {

using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Above the interrupt threads of the kernel (50), below its migration threads (99).
inline constexpr int usual_priority = 80;

/// How long before an instant a thread wakes up and spins. Longer than the usual wake-up latency.
inline constexpr Duration usual_margin = std::chrono::microseconds{200};

/// Locks all current and future memory of the process. Tried once in a process; every call returns the same
/// result. Under a limit only current memory is locked, because later allocations would fail at the limit.
Refusal lock_memory();

/// Sleeps until the instant. Returns late by the wake-up latency of the operating system, never early.
void sleep_until(SteadyTime instant);
/// Spins until the instant.
void spin_until(SteadyTime instant);
/// Sleeps until `margin` before the instant, then spins: on time as long as the wake-up latency is below
/// `margin`. Never early.
void wait_until(SteadyTime instant, Duration margin = usual_margin);

/// The current time of the clock that the functions above use.
SteadyTime steady_now();

}  // namespace tactus::machine
