#include "tactus/machine/real_time.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_nanosleep is POSIX, not C++

#include <cerrno>

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/touch.hpp"
#include "tactus/machine/permissions.hpp"

namespace tactus::machine {

namespace {

Refusal lock_memory_now() {
  touch_program();
  const Permissions permissions = read_permissions();
  const bool without_limit = permissions.may_lock_memory || !permissions.memory_lock_limit;
  // With MCL_ONFAULT a page is locked from its first use on. Otherwise the whole stack of every thread,
  // mostly unused, would be loaded.
  const int what = without_limit ? MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT : MCL_CURRENT | MCL_ONFAULT;
  if (::mlockall(what) != 0) return fmt::format("memory lock: {}", error_text(errno));
  if (without_limit) return std::nullopt;
  return fmt::format("memory lock: only what was there at the start, the limit is {}",
                     size_text(*permissions.memory_lock_limit));
}

}  // namespace

Refusal lock_memory() {
  static const Refusal answer = lock_memory_now();
  return answer;
}

SteadyTime steady_now() { return std::chrono::steady_clock::now(); }

void sleep_until(SteadyTime instant) {
  // steady_clock is CLOCK_MONOTONIC here. An absolute time cannot drift when the call is interrupted and
  // restarted.
  const std::int64_t nanoseconds = instant.time_since_epoch().count();
  if (nanoseconds <= 0) return;
  constexpr std::int64_t a_second = 1'000'000'000;
  timespec until{};
  until.tv_sec = static_cast<time_t>(nanoseconds / a_second);
  until.tv_nsec = static_cast<long>(nanoseconds % a_second);
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

void spin_until(SteadyTime instant) {
  while (steady_now() < instant) relax();
}

void wait_until(SteadyTime instant, Duration margin) {
  // Skipped if there is no time to sleep, since even a sleep of zero costs a system call.
  if (instant - steady_now() > margin) sleep_until(instant - margin);
  spin_until(instant);
}

}  // namespace tactus::machine
