#include "tactus/cli/interrupt.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace tactus::cli {

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t none = -1;

std::atomic<bool> raised{false};
std::atomic<std::int64_t> first_signal{none};  // when it came, in nanoseconds
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

std::int64_t monotonic_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * second + now.tv_nsec;
}

void handle_with(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

/// Whoever signals a process and then its group (timeout, mpirun, a terminal with a shell in between) sends
/// two signals for one wish.
extern "C" void on_signal(int signal) {
  const int error = errno;
  const std::int64_t now = monotonic_now();
  std::int64_t first = none;
  if (first_signal.compare_exchange_strong(first, now, std::memory_order_relaxed)) {
    raised.store(true, std::memory_order_relaxed);
  } else if (now - first >= second) {
    handle_with(SIG_DFL);
    static_cast<void>(::raise(signal));  // it ends the program when the handler returns
  }
  errno = error;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  raised.store(false, std::memory_order_relaxed);
  first_signal.store(none, std::memory_order_relaxed);
  handle_with(on_signal);
}

InterruptGuard::~InterruptGuard() {
  // After a signal its double may still be on its way, and what was saved is yet to be printed.
  if (!raised.load(std::memory_order_relaxed)) handle_with(SIG_DFL);
}

const std::atomic<bool>& InterruptGuard::flag() { return raised; }

}  // namespace tactus::cli
