#include "tactus/device/host/doorbell.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

namespace tactus::device::host {

namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// steady_clock is CLOCK_MONOTONIC, the clock of this call's absolute timeouts.
timespec to_timespec(Doorbell::Instant instant) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(instant.time_since_epoch());
  constexpr std::int64_t billion = 1'000'000'000;
  const std::int64_t nanoseconds = since.count() > 0 ? since.count() : 0;
  return {.tv_sec = nanoseconds / billion, .tv_nsec = nanoseconds % billion};
}

}  // namespace

void Doorbell::wake_sleepers() noexcept {
  syscall(SYS_futex, &rings_, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, nullptr, nullptr, 0);
}

void Doorbell::sleep(std::uint32_t heard, const Instant* until) noexcept {
  timespec timeout{};
  if (until != nullptr) timeout = to_timespec(*until);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  while (rings_.load(std::memory_order_seq_cst) == heard) {
    const std::int64_t result =
        syscall(SYS_futex, &rings_, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, heard,
                until != nullptr ? &timeout : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
    if (result != 0 && errno == ETIMEDOUT) break;
  }
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace tactus::device::host
