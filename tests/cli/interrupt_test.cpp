// Two signals that come together are one wish; one that comes later means it.
#include "tactus/cli/interrupt.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>

namespace tactus::cli {
namespace {

constexpr int in_order = 42;
constexpr int not_told = 43;

/// Sends itself two signals at once, and ends in order.
[[noreturn]] void get_two(int first, int second) {
  const InterruptGuard guard;
  std::raise(first);
  std::raise(second);
  std::_Exit(InterruptGuard::flag().load() ? in_order : not_told);
}

/// The same with a third, more than a second after the first.
[[noreturn]] void get_a_late_one(int late, bool guard_is_gone) {
  std::optional<InterruptGuard> guard;
  guard.emplace();
  std::raise(SIGINT);
  if (guard_is_gone) guard.reset();
  std::raise(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds{1100});
  std::raise(late);
  std::_Exit(in_order);
}

TEST(Interrupt, TwoSignalsAtOnceAreOneWish) {
  EXPECT_EXIT(get_two(SIGINT, SIGINT), testing::ExitedWithCode(in_order), "");
  EXPECT_EXIT(get_two(SIGTERM, SIGTERM), testing::ExitedWithCode(in_order), "");
  EXPECT_EXIT(get_two(SIGINT, SIGTERM), testing::ExitedWithCode(in_order), "");
}

TEST(Interrupt, ALaterSignalEndsTheProgramAtOnce) {
  EXPECT_EXIT(get_a_late_one(SIGINT, false), testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(get_a_late_one(SIGTERM, true), testing::KilledBySignal(SIGTERM), "");
}

[[noreturn]] void get_one_after_undisturbed_work() {
  { const InterruptGuard guard; }
  std::raise(SIGINT);
  std::_Exit(in_order);
}

TEST(Interrupt, WithoutAGuardASignalEndsTheProgram) {
  EXPECT_EXIT(get_one_after_undisturbed_work(), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace tactus::cli
