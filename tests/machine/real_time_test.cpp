// Waiting is never early; what is refused is told, and nothing throws.
#include "tactus/machine/real_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <csignal>
#include <future>

#include "tactus/machine/permissions.hpp"

namespace tactus::machine {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;

/// In a thread that is gone afterwards: what is granted there does not reach the other tests.
template <typename Function>
auto in_a_thread(Function function) {
  return std::async(std::launch::async, function).get();
}

TEST(Waiting, IsNeverEarly) {
  for (int round = 0; round < 20; ++round) {
    const SteadyTime first = steady_now() + microseconds{300};
    sleep_until(first);
    EXPECT_GE(steady_now(), first);
    const SteadyTime second = steady_now() + microseconds{50};
    spin_until(second);
    EXPECT_GE(steady_now(), second);
    const SteadyTime third = steady_now() + microseconds{300};
    wait_until(third, microseconds{100});
    EXPECT_GE(steady_now(), third);
  }
}

TEST(Waiting, ForAnInstantWithinTheMarginOnlySpins) {
  const SteadyTime instant = steady_now() + microseconds{200};
  wait_until(instant, std::chrono::hours{1});
  EXPECT_GE(steady_now(), instant);
}

TEST(Waiting, ForWhatHasPassedReturns) {
  sleep_until(SteadyTime{});
  sleep_until(SteadyTime{Duration{-1}});
  spin_until(SteadyTime{});
  wait_until(SteadyTime{});
  wait_until(steady_now());
}

TEST(Waiting, ASignalDoesNotEndASleep) {
  struct sigaction action {};
  struct sigaction former {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &former), 0);
  const pthread_t sleeper = ::pthread_self();
  const SteadyTime instant = steady_now() + std::chrono::milliseconds{20};
  const auto disturber = std::async(std::launch::async, [&] {
    for (int signal = 0; signal < 10; ++signal) {
      ::pthread_kill(sleeper, SIGUSR1);
      sleep_until(steady_now() + std::chrono::milliseconds{1});
    }
  });
  sleep_until(instant);
  EXPECT_GE(steady_now(), instant);
  disturber.wait();
  ::sigaction(SIGUSR1, &former, nullptr);
}

TEST(RealTime, MemoryIsLockedOnceAndAnswersTheSame) { EXPECT_EQ(lock_memory(), lock_memory()); }

TEST(Permissions, CapabilitiesAreReadFromTheStatus) {
  const char* status = "Name:\tx\nCapPrm:\t0000000000000000\nCapEff:\t0000000000804000\nCapBnd:\tffff\n";
  EXPECT_EQ(effective_capabilities(status), 0x804000U);
  EXPECT_EQ(effective_capabilities("Name:\tx\n"), 0U);
  EXPECT_EQ(effective_capabilities("CapEff:"), 0U);
  EXPECT_EQ(effective_capabilities("CapEff:\tnone"), 0U);
}

TEST(Permissions, LimitsAreThoseOfTheProcess) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_MEMLOCK, &limit), 0);
  const Permissions permissions = read_permissions();
  EXPECT_EQ(permissions.memory_lock_limit.has_value(), limit.rlim_cur != RLIM_INFINITY);
  if (permissions.memory_lock_limit) {
    EXPECT_EQ(static_cast<rlim_t>(*permissions.memory_lock_limit), limit.rlim_cur);
  }
}

}  // namespace
}  // namespace tactus::machine
