// Keeps a thread from what it is doing, as another thread or a hypervisor would: by a signal whose handler
// takes its time.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "tactus/base/time.hpp"

namespace tactus::test {

/// While it exists, `hold_up` works. One at a time.
class HoldUps {
 public:
  static constexpr Duration length = std::chrono::milliseconds{2};

  /// `meanwhile` is called when the thread is held up; may be empty.
  explicit HoldUps(std::function<void()> meanwhile = {}) {
    meanwhile_ = std::move(meanwhile);
    times_ = 0;
    struct sigaction action {};
    action.sa_handler = wait_a_while;
    EXPECT_EQ(sigaction(SIGUSR1, &action, &before_), 0);
  }
  HoldUps(const HoldUps&) = delete;
  HoldUps& operator=(const HoldUps&) = delete;
  ~HoldUps() {
    EXPECT_EQ(sigaction(SIGUSR1, &before_, nullptr), 0);
    meanwhile_ = {};
  }

  /// Returns when it is over.
  static void hold_up(pthread_t thread) {
    const int before = times_.load();
    ASSERT_EQ(pthread_kill(thread, SIGUSR1), 0);
    while (times_.load() == before) std::this_thread::sleep_for(std::chrono::microseconds{200});
  }
  [[nodiscard]] static int times() { return times_.load(); }

 private:
  static void wait_a_while(int /*signal*/) {
    const auto end = std::chrono::steady_clock::now() + length;
    if (meanwhile_) meanwhile_();
    while (std::chrono::steady_clock::now() < end) {
    }
    times_.fetch_add(1);
  }

  static inline std::function<void()> meanwhile_;
  static inline std::atomic<int> times_{0};
  struct sigaction before_ {};
};

}  // namespace tactus::test
