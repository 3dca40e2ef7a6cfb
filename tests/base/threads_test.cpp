// What is refused is told.
#include "tactus/base/threads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "support/no_threads.hpp"

namespace tactus {
namespace {

using testing::IsEmpty;
using testing::Not;

/// In a thread that is gone afterwards: what is granted there does not reach the other tests.
template <typename Function>
auto in_a_thread(Function function) {
  return std::async(std::launch::async, function).get();
}

TEST(Threads, NoneCanBeHad) {
  const test::NoThreads limit;
  std::atomic<int> calls{0};
  const Threads none = start_threads(3, [&] { ++calls; });
  EXPECT_THAT(none.all, IsEmpty());
  ASSERT_TRUE(none.refusal);
  EXPECT_THAT(*none.refusal, testing::HasSubstr("unavailable"));
  EXPECT_EQ(calls, 0);
  try {
    start_thread([] {}).join();
    FAIL() << "a thread was started";
  } catch (const FailureError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no more threads can be started"));
    EXPECT_THAT(error.what(), testing::HasSubstr("ulimit -u"));
  }
}

TEST(Threads, AllThatWereWantedAreThere) {
  std::atomic<int> calls{0};
  Threads threads = start_threads(3, [&] { ++calls; });
  for (std::thread& thread : threads.all) thread.join();
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(threads.refusal);
}

TEST(Threads, APriorityThatIsNoneIsRefused) {
  const Refusal refusal = in_a_thread([] { return take_real_time_class(1000); });
  ASSERT_TRUE(refusal);
  EXPECT_EQ(*refusal, "SCHED_FIFO with priority 1000: Invalid argument");
}

TEST(Threads, TheClassIsTakenOrRefused) {
  in_a_thread([] {
    const Refusal refusal = take_real_time_class(1);
    EXPECT_EQ(::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, refusal ? SCHED_OTHER : SCHED_FIFO);
  });
}

TEST(Threads, ALargerShareIsTakenByThisThreadAlone) {
  const auto nice_value = [](pid_t thread) { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(thread)); };
  const int before = nice_value(::gettid());
  in_a_thread([&] {
    const Refusal refusal = take_lowest_nice_value();
    EXPECT_EQ(nice_value(::gettid()), refusal ? before : -20);
  });
  EXPECT_EQ(nice_value(::gettid()), before);
}

TEST(Threads, AThreadStaysOnItsCore) {
  in_a_thread([] {
    const int here = ::sched_getcpu();
    EXPECT_EQ(stay_on_core(here), std::nullopt);
    cpu_set_t cores;
    ASSERT_EQ(::sched_getaffinity(0, sizeof cores, &cores), 0);
    EXPECT_EQ(CPU_COUNT(&cores), 1);
    EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(here), &cores));
  });
}

TEST(Threads, ACoreThatIsNotThereIsRefused) {
  in_a_thread([] {
    EXPECT_EQ(stay_on_core(-1), "core -1: there is no such core");
    EXPECT_EQ(stay_on_core(1'000'000), "core 1000000: there is no such core");
    EXPECT_EQ(stay_on_core(CPU_SETSIZE - 1), "core 1023: Invalid argument");
  });
}

TEST(Threads, AnotherThreadIsToldItsCore) {
  std::atomic<bool> told{false};
  std::thread other{[&] {
    while (!told) std::this_thread::yield();
    EXPECT_EQ(available_cpus().size(), 1U);
  }};
  const std::vector<int> before = available_cpus();
  EXPECT_EQ(stay_on_core(before.back(), other.native_handle()), std::nullopt);
  told = true;
  other.join();
  EXPECT_EQ(available_cpus(), before);
}

TEST(Threads, CoresAreAllowedOrRefused) {
  in_a_thread([] {
    EXPECT_THAT(available_cpus(), Not(IsEmpty()));
    const std::vector<int> last{available_cpus().back()};
    EXPECT_EQ(allow_cpus(last), std::nullopt);
    EXPECT_EQ(available_cpus(), last);
    EXPECT_EQ(allow_cpus({}), "cores: Invalid argument");
    EXPECT_EQ(allow_cpus({-1, CPU_SETSIZE}), "cores: Invalid argument");
  });
}

TEST(Threads, TryingTheClassLeavesTheThreadAsItWas) {
  in_a_thread([] {
    EXPECT_FALSE(may_take_real_time_class(1000));
    const bool may = may_take_real_time_class(1);
    EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
    EXPECT_EQ(may, !take_real_time_class(1));
  });
}

TEST(Threads, TimersBecomePunctual) {
  in_a_thread([] {
    EXPECT_EQ(take_punctual_timers(), std::nullopt);
    EXPECT_EQ(::prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), 1);
  });
}

TEST(Threads, ALongNameIsCut) {
  in_a_thread([] {
    name_this_thread("a-name-of-twenty-two-c");
    std::array<char, 16> name{};
    ASSERT_EQ(::pthread_getname_np(::pthread_self(), name.data(), name.size()), 0);
    EXPECT_EQ(std::string{name.data()}, "a-name-of-twent");
  });
}

}  // namespace
}  // namespace tactus
