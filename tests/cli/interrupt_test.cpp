// Two signals that come together are one wish; one that comes later means it.
#include "tactus/cli/interrupt.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "support/temporary_folder.hpp"
#include "tactus/base/file.hpp"

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

TEST(Interrupt, AHangUpIsSuchAWish) {
  EXPECT_EXIT(get_two(SIGHUP, SIGHUP), testing::ExitedWithCode(in_order), "");
  EXPECT_EXIT(get_two(SIGHUP, SIGTERM), testing::ExitedWithCode(in_order), "");
}

/// As under nohup, or in the background of a shell.
[[noreturn]] void get_one_that_was_ignored(int number) {
  static_cast<void>(std::signal(number, SIG_IGN));
  {
    const InterruptGuard guard;
    std::raise(number);
    if (InterruptGuard::flag().load()) std::_Exit(not_told);
  }
  std::raise(number);
  std::_Exit(in_order);
}

TEST(Interrupt, WhatWasIgnoredFromTheStartStaysIgnored) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(get_one_that_was_ignored(number), testing::ExitedWithCode(in_order), "") << number;
  }
}

[[noreturn]] void get_one_with_a_file_under_way(const std::string& path) {
  end_cleanly_on_signals();
  const AtomicFile file{path};
  std::raise(SIGTERM);
  std::_Exit(in_order);
}

TEST(Interrupt, WithoutAGuardTemporaryFilesAreRemoved) {
  const test::TemporaryFolder folder;
  EXPECT_EXIT(get_one_with_a_file_under_way((folder.path() / "f").string()), testing::KilledBySignal(SIGTERM),
              "");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace tactus::cli
