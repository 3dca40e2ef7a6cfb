// Every call that was granted is taken once, in order, and not too early after the one before.
#include "tactus/runtime/release_calls.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace tactus::runtime {
namespace {

Time instant(std::int64_t value) { return time_at(nanoseconds(value)); }

TEST(ReleaseCalls, KeepTheSeparation) {
  ReleaseCalls calls{nanoseconds(10)};
  EXPECT_FALSE(calls.take());
  EXPECT_TRUE(calls.ask(instant(0)));
  EXPECT_FALSE(calls.ask(instant(9)));
  EXPECT_TRUE(calls.ask(instant(10)));
  EXPECT_FALSE(calls.ask(instant(5)));
  EXPECT_EQ(calls.take(), instant(0));
  EXPECT_FALSE(calls.ask(instant(19)));
  EXPECT_TRUE(calls.ask(instant(35)));
  EXPECT_EQ(calls.take(), instant(10));
  EXPECT_EQ(calls.take(), instant(35));
  EXPECT_FALSE(calls.take());
  EXPECT_EQ(calls.taken(), 3U);
}

/// Where the device releases jobs, the clock of a run starts before its first instant.
TEST(ReleaseCalls, AreRefusedBeforeTheFirstInstant) {
  ReleaseCalls calls{nanoseconds(10)};
  for (const std::int64_t before : {-2'000'000, -100, -2, -1}) EXPECT_FALSE(calls.ask(instant(before)));
  EXPECT_FALSE(calls.take());
  EXPECT_TRUE(calls.ask(instant(0)));
  EXPECT_FALSE(calls.ask(instant(9)));
  EXPECT_EQ(calls.take(), instant(0));
  EXPECT_FALSE(calls.take());
  EXPECT_EQ(calls.taken(), 1U);
}

TEST(ReleaseCalls, RefuseWhatThereIsNoRoomForAndOverwriteNothing) {
  ReleaseCalls calls{nanoseconds(1)};
  std::int64_t next = 0;
  std::int64_t expected = 0;
  for (int round = 0; round < 5; ++round) {
    for (std::uint64_t i = 0; i < ReleaseCalls::max_waiting; ++i) ASSERT_TRUE(calls.ask(instant(next++)));
    EXPECT_FALSE(calls.ask(instant(next)));
    for (int i = 0; i < 100; ++i) ASSERT_EQ(calls.take(), instant(expected++));
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(calls.ask(instant(next++)));
    EXPECT_FALSE(calls.ask(instant(next)));
    while (const std::optional<Time> taken = calls.take()) ASSERT_EQ(*taken, instant(expected++));
    EXPECT_EQ(expected, next);
  }
}

TEST(ReleaseCalls, CanBeClosedEvenWhenFull) {
  ReleaseCalls calls{nanoseconds(1)};
  for (std::uint64_t i = 0; i < ReleaseCalls::max_waiting; ++i) {
    ASSERT_TRUE(calls.ask(instant(static_cast<std::int64_t>(i))));
  }
  calls.close();
  for (std::uint64_t i = 0; i < ReleaseCalls::max_waiting; ++i) {
    ASSERT_EQ(calls.take(), instant(static_cast<std::int64_t>(i)));
  }
  EXPECT_FALSE(calls.take());
  EXPECT_FALSE(calls.ask(instant(1'000'000)));
  EXPECT_FALSE(calls.take());
  ReleaseCalls unused{nanoseconds(1)};
  unused.close();
  EXPECT_FALSE(unused.ask(instant(5)));
  EXPECT_FALSE(unused.take());
}

TEST(ReleaseCalls, SeveralThreadsAsk) {
  constexpr int callers = 4;
  constexpr std::int64_t separation = 3;
  ReleaseCalls calls{nanoseconds(separation)};
  std::atomic<std::int64_t> clock{0};
  std::atomic<int> done{0};
  std::vector<std::vector<Time>> granted(callers);
  std::vector<std::thread> threads;
  threads.reserve(callers);
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      for (int i = 0; i < 20'000; ++i) {
        const Time now = instant(clock.fetch_add(1));
        if (calls.ask(now)) granted[static_cast<std::size_t>(caller)].push_back(now);
      }
      ++done;
    });
  }
  std::vector<Time> taken;
  while (done < callers) {
    while (const std::optional<Time> next = calls.take()) taken.push_back(*next);
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  calls.close();
  while (const std::optional<Time> next = calls.take()) taken.push_back(*next);
  std::vector<Time> all;
  for (const std::vector<Time>& some : granted) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(taken, all);
  ASSERT_GT(taken.size(), 100U);
  for (std::size_t i = 1; i < taken.size(); ++i) ASSERT_GE(taken[i] - taken[i - 1], nanoseconds(separation));
}

}  // namespace
}  // namespace tactus::runtime
