// Calls that another thread makes: all of them, in order, once; or not at all when they are withdrawn.
#include "tactus/device/launcher.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tactus::device {
namespace {

using namespace std::chrono_literals;

/// What calls do, and what they leave.
struct Log {
  std::vector<int> made;               // by the launcher's thread
  std::atomic<bool> may_return{true};  // a call waits for this
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
};

struct LoggedCall {
  Log* log = nullptr;
  int number = 0;
  bool throws = false;
  int answer = 0;

  void operator()() {
    ++log->begun;
    while (!log->may_return) std::this_thread::yield();
    if (throws) throw std::runtime_error{"call " + std::to_string(number)};
    log->made.push_back(number);
    answer = 2 * number;
    ++log->ended;
  }
};

using TestLauncher = Launcher<LoggedCall>;

void wait_until_made(const TestLauncher& launcher, std::uint32_t slot) {
  while (!launcher.is_made(slot)) std::this_thread::yield();
}

class LauncherTest : public testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] static TestLauncher::Manner manner() { return {.waits_busily = GetParam(), .prepare = {}}; }
  Log log;
};

TEST_P(LauncherTest, MakesEveryCallOnceAndInOrder) {
  TestLauncher launcher{4, manner()};
  constexpr int calls = 400;
  std::vector<std::uint32_t> open;
  for (int next = 0; next < calls || !open.empty();) {
    if (next < calls) {
      if (const auto slot = launcher.hand_over({.log = &log, .number = next})) {
        open.push_back(*slot);
        ++next;
        continue;
      }
    }
    wait_until_made(launcher, open.front());
    EXPECT_FALSE(launcher.result(open.front()).failed);
    EXPECT_EQ(launcher.call(open.front()).answer, 2 * launcher.call(open.front()).number);
    launcher.give_back(open.front());
    open.erase(open.begin());
  }
  EXPECT_TRUE(launcher.end(10s));
  ASSERT_EQ(log.made.size(), static_cast<std::size_t>(calls));
  for (int i = 0; i < calls; ++i) EXPECT_EQ(log.made[static_cast<std::size_t>(i)], i);
}

TEST_P(LauncherTest, HasNoRoomForMoreThanItsSlots) {
  log.may_return = false;
  TestLauncher launcher{2, manner()};
  const auto first = launcher.hand_over({.log = &log, .number = 1});
  const auto second = launcher.hand_over({.log = &log, .number = 2});
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(launcher.hand_over({.log = &log, .number = 3}));
  log.may_return = true;
  wait_until_made(launcher, *first);
  launcher.give_back(*first);
  EXPECT_TRUE(launcher.hand_over({.log = &log, .number = 3}));
}

TEST_P(LauncherTest, KeepsWhatACallThrows) {
  TestLauncher launcher{1, manner()};
  const auto slot = launcher.hand_over({.log = &log, .number = 7, .throws = true});
  ASSERT_TRUE(slot);
  wait_until_made(launcher, *slot);
  EXPECT_TRUE(launcher.result(*slot).failed);
  EXPECT_EQ(launcher.result(*slot).what(), "call 7");
  launcher.give_back(*slot);
  const auto next = launcher.hand_over({.log = &log, .number = 8});
  ASSERT_TRUE(next);
  wait_until_made(launcher, *next);
  EXPECT_FALSE(launcher.result(*next).failed);
}

TEST_P(LauncherTest, ACallThatHasNotBegunCanBeWithdrawn) {
  log.may_return = false;
  TestLauncher launcher{2, manner()};
  const auto first = launcher.hand_over({.log = &log, .number = 1});
  while (log.begun == 0) std::this_thread::yield();
  const auto second = launcher.hand_over({.log = &log, .number = 2});
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(launcher.withdraw(*first));
  EXPECT_TRUE(launcher.withdraw(*second));
  log.may_return = true;
  wait_until_made(launcher, *first);
  // The slot of the withdrawn call is used again.
  std::optional<std::uint32_t> third;
  while (!third) third = launcher.hand_over({.log = &log, .number = 3});
  wait_until_made(launcher, *third);
  EXPECT_TRUE(launcher.end(10s));
  EXPECT_EQ(log.made, (std::vector{1, 3}));
}

TEST_P(LauncherTest, AnEndMakesNoFurtherCalls) {
  log.may_return = false;
  TestLauncher launcher{8, manner()};
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(launcher.hand_over({.log = &log, .number = i}));
  while (log.begun == 0) std::this_thread::yield();
  std::thread opener{[&] { log.may_return = true; }};
  EXPECT_TRUE(launcher.end(10s));
  opener.join();
  EXPECT_LE(log.made.size(), 8U);
  EXPECT_TRUE(launcher.end(10s)) << "a second time";
}

TEST_P(LauncherTest, ACallThatDoesNotReturnIsLeftBehind) {
  log.may_return = false;
  std::optional<TestLauncher> launcher;
  launcher.emplace(1, manner());
  ASSERT_TRUE(launcher->hand_over({.log = &log, .number = 1}));
  while (log.begun == 0) std::this_thread::yield();
  EXPECT_FALSE(launcher->end(1ms));
  launcher.reset();
  log.may_return = true;
  while (log.ended == 0) std::this_thread::yield();  // the thread that was left uses the log until then
}

TEST_P(LauncherTest, WithdrawnOrMadeNeverBoth) {
  TestLauncher launcher{4, manner()};
  int withdrawn = 0;
  int made = 0;
  for (int i = 0; i < 400; ++i) {
    std::optional<std::uint32_t> slot;
    while (!slot) slot = launcher.hand_over({.log = &log, .number = i});
    if (launcher.withdraw(*slot)) {
      ++withdrawn;
      continue;
    }
    wait_until_made(launcher, *slot);
    launcher.give_back(*slot);
    ++made;
  }
  EXPECT_TRUE(launcher.end(10s));
  EXPECT_EQ(log.made.size(), static_cast<std::size_t>(made));
  EXPECT_EQ(made + withdrawn, 400);
}

INSTANTIATE_TEST_SUITE_P(Waits, LauncherTest, testing::Bool(), [](const auto& info) {
  return info.param ? std::string{"Busily"} : std::string{"Asleep"};
});

}  // namespace
}  // namespace tactus::device
