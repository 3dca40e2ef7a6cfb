#include "tactus/cli/interrupt.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "tactus/base/interruption.hpp"
#include "tactus/base/temporary_name.hpp"

namespace tactus::cli {

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t none = -1;
constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> is_guarded{false};
std::atomic<bool> raised{false};
std::atomic<std::int64_t> first_signal{none};  // when it arrived, in nanoseconds
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

std::int64_t monotonic_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * second + now.tv_nsec;
}

void handle_with(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int other : ending_signals) sigaddset(&action.sa_mask, other);
  ::sigaction(signal, &action, nullptr);
}

void end_by(int signal) {
  remove_temporary_files();
  handle_with(signal, SIG_DFL);
  static_cast<void>(::raise(signal));  // ends the program when the handler returns
}

/// Senders that signal a process and then its group (timeout, mpirun, a terminal with a shell in between)
/// deliver two signals for one request.
extern "C" void on_signal(int signal) {
  const int error = errno;
  const std::int64_t now = monotonic_now();
  std::int64_t first = none;
  const bool guarded = is_guarded.load(std::memory_order_relaxed);
  if (guarded && first_signal.compare_exchange_strong(first, now, std::memory_order_relaxed)) {
    raised.store(true, std::memory_order_relaxed);
  } else if (!guarded || now - first >= second) {
    end_by(signal);
  }
  errno = error;
}

}  // namespace

void end_cleanly_on_signals() {
  for (const int signal : ending_signals) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    handle_with(signal, on_signal);
  }
}

InterruptGuard::InterruptGuard() {
  raised.store(false, std::memory_order_relaxed);
  first_signal.store(none, std::memory_order_relaxed);
  is_guarded.store(true, std::memory_order_relaxed);
  end_cleanly_on_signals();
  heed_interruptions(&raised);
}

InterruptGuard::~InterruptGuard() {
  // After a signal its duplicate may still arrive, and the saved results must still be printed.
  if (!raised.load(std::memory_order_relaxed)) is_guarded.store(false, std::memory_order_relaxed);
}

const std::atomic<bool>& InterruptGuard::flag() { return raised; }

}  // namespace tactus::cli
