// Wakes a thread that waits for messages.
//
// The waiting thread reads the count of rings, checks for messages, then waits for a further ring. The sender
// stores its message, then rings. A ring between the read and the wait is not lost.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "tactus/base/threads.hpp"

namespace tactus::device::host {

class Doorbell {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  [[nodiscard]] std::uint32_t heard() const noexcept { return rings_.load(std::memory_order_seq_cst); }

  void ring() noexcept {
    rings_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) != 0) wake_sleepers();
  }

  /// Returns once it has rung since `heard`.
  void wait(std::uint32_t heard) noexcept { sleep(heard, nullptr); }
  /// The same with a timeout.
  void wait_until(std::uint32_t heard, Instant until) noexcept { sleep(heard, &until); }
  /// The same without sleeping: these spin.
  void watch(std::uint32_t heard) const noexcept {
    while (this->heard() == heard) relax();
  }
  void watch_until(std::uint32_t heard, Instant until) const noexcept {
    while (this->heard() == heard && std::chrono::steady_clock::now() < until) relax();
  }

 private:
  void wake_sleepers() noexcept;
  void sleep(std::uint32_t heard, const Instant* until) noexcept;

  std::atomic<std::uint32_t> rings_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace tactus::device::host
