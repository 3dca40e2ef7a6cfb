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

#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"

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

/// Calls of one launcher in random schedules, as the engine's thread sees them.
class Schedules {
 public:
  Schedules(Log& log, const TestLauncher::Manner& manner, test::Dice& dice)
      : log_{&log},
        dice_{&dice},
        slots_{dice.small(1, 4)},
        launcher_{static_cast<std::size_t>(slots_), manner} {
    log.made.clear();
  }

  /// Some calls throw, some do not return for a while, some are withdrawn, in any order.
  void play() {
    for (int left = dice_->small(1, 12); left > 0; --left) {
      if (dice_->percent(20)) log_->may_return = dice_->percent(50);
      if (dice_->percent(60)) {
        hand_over();
      } else if (dice_->percent(30)) {
        withdraw_one();
      } else {
        give_back_made();
      }
    }
    log_->may_return = true;
    if (dice_->percent(50)) {
      for (; !open_.empty(); std::this_thread::yield()) give_back_made();
    }
  }

  /// The end may come while calls are waiting or under way.
  void end() {
    EXPECT_TRUE(launcher_.end(10s));
    give_back_made();
    for (const Open& call : open_) fates_[static_cast<std::size_t>(call.number)] = Fate::not_made;
    std::vector<int> made;
    for (std::size_t number = 0; number < fates_.size(); ++number) {
      if (fates_[number] == Fate::made) made.push_back(static_cast<int>(number));
    }
    EXPECT_EQ(log_->made, made) << "each once, in their order, and none that was withdrawn";
  }

 private:
  enum class Fate : std::uint8_t { open, made, threw, withdrawn, not_made };
  struct Open {
    int number = 0;
    std::uint32_t slot = 0;
    bool throws = false;
  };

  void hand_over() {
    const LoggedCall call{
        .log = log_, .number = static_cast<int>(fates_.size()), .throws = dice_->percent(15)};
    const auto slot = launcher_.hand_over(call);
    if (!slot) {
      EXPECT_FALSE(open_.empty() && is_clean_) << "a launcher without calls has room";
      return;
    }
    for (const Open& other : open_) EXPECT_NE(other.slot, *slot);
    open_.push_back({call.number, *slot, call.throws});
    fates_.push_back(Fate::open);
    EXPECT_LE(open_.size(), static_cast<std::size_t>(slots_));
  }

  void withdraw_one() {
    if (open_.empty()) return;
    const auto chosen = open_.begin() + dice_->between(0, static_cast<std::int64_t>(open_.size()) - 1);
    if (!launcher_.withdraw(chosen->slot)) return;
    fates_[static_cast<std::size_t>(chosen->number)] = Fate::withdrawn;
    is_clean_ = false;  // its slot is free when the thread has seen it
    open_.erase(chosen);
  }

  void give_back_made() {
    std::erase_if(open_, [&](const Open& call) {
      if (!launcher_.is_made(call.slot)) return false;
      const CallResult result = launcher_.result(call.slot);
      EXPECT_EQ(launcher_.call(call.slot).number, call.number);
      EXPECT_EQ(result.failed, call.throws);
      if (call.throws) {
        EXPECT_EQ(result.what(), "call " + std::to_string(call.number));
      } else {
        EXPECT_EQ(launcher_.call(call.slot).answer, 2 * call.number);
      }
      fates_[static_cast<std::size_t>(call.number)] = call.throws ? Fate::threw : Fate::made;
      launcher_.give_back(call.slot);
      return true;
    });
  }

  Log* log_;
  test::Dice* dice_;
  int slots_;
  TestLauncher launcher_;
  std::vector<Fate> fates_;  // of every call
  std::vector<Open> open_;
  bool is_clean_ = true;
};

TEST_P(LauncherTest, KeepsItsPromisesWhateverCallsDo) {
  test::Dice dice{test::first_seed()};
  constexpr int launchers = test::tries(200);
  for (int i = 0; i < launchers && !HasFailure(); ++i) {
    Schedules schedules{log, manner(), dice};
    for (int schedule = 0; schedule < 10; ++schedule) schedules.play();
    schedules.end();
  }
}

INSTANTIATE_TEST_SUITE_P(Waits, LauncherTest, testing::Bool(), [](const auto& info) {
  return info.param ? std::string{"Busily"} : std::string{"Asleep"};
});

}  // namespace
}  // namespace tactus::device
