// One thread at a time changes a runtime or runs it; all others are refused, whenever they come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "support/effort.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;

System steady() {
  System system;
  system.name = "steady";
  system.platform.gpu.sms = 2;
  system.policy.strategy = strategy_named("single-stream");
  Task& task = system.tasks.emplace_back();
  task.name = "steady";
  task.period = 1ms;
  task.deadline = 100ms;
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(50us)}});
  return system;
}

RuntimeOptions plain() {
  RuntimeOptions options;
  options.real_time = false;
  return options;
}

std::unique_ptr<device::Device> plain_host() {
  device::HostOptions options;
  options.real_time = false;
  return device::make_host_device(options);
}

/// True when it ran, false when it was refused.
bool try_to_run(Runtime& runtime, Duration length) {
  try {
    const RunReport report = runtime.run_for(length);
    EXPECT_EQ(report.outcome.ending, runtime::RunEnd::horizon);
    EXPECT_EQ(report.tasks.size(), 1U);
    return true;
  } catch (const InputError& refused) {
    EXPECT_THAT(refused.what(), testing::HasSubstr("cannot start another run while"));
    return false;
  }
}

void race_for_one_runtime(const std::function<std::unique_ptr<device::Device>()>& make_device, int rounds,
                          Duration length) {
  constexpr int rivals = 4;
  for (int round = 0; round < rounds; ++round) {
    Runtime runtime{make_device(), steady(), plain()};
    std::barrier together{rivals};
    std::atomic<int> ran{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < rivals; ++i) {
      threads.emplace_back([&] {
        together.arrive_and_wait();
        if (try_to_run(runtime, length)) ++ran;
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_GE(ran.load(), 1) << "at least the first runs";
    ASSERT_TRUE(try_to_run(runtime, length)) << "who was refused left nothing behind";
  }
}

TEST(OneAtATime, OfManyWhoStartARunOnARealClockAllButOneAreRefused) {
  race_for_one_runtime(plain_host, test::tries(20), 5ms);
}

TEST(OneAtATime, OfManyWhoStartARunInVirtualTimeNoneMeetsAnother) {
  race_for_one_runtime([] { return std::make_unique<device::SimDevice>(); }, test::tries(200), 20ms);
}

/// Every call that changes something, steps or ends, from several threads without any order.
TEST(OneAtATime, WhateverIsCalledInWhicheverOrderIsDoneOrRefused) {
  Runtime runtime{std::make_unique<device::SimDevice>(), steady(), plain()};
  constexpr int callers = 4;
  const int rounds = test::tries(400);
  std::atomic<int> done{0};
  const auto attempt = [&](const auto& call) {
    try {
      call();
      ++done;
    } catch (const InputError& refused) {
      EXPECT_THAT(
          refused.what(),
          testing::AnyOf(testing::HasSubstr("while a run is on"), testing::HasSubstr("while another thread"),
                         testing::HasSubstr("no run is on"), testing::HasSubstr("the engine is at work")));
    }
  };
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      for (int i = 0; i < rounds; ++i) {
        switch ((i + caller) % 7) {
          case 0:
            attempt([&] { runtime.run_for(3ms); });
            break;
          case 1:
            attempt([&] { runtime.start(3ms); });
            break;
          case 2:
            attempt([&] { runtime.step(); });
            break;
          case 3:
            attempt([&] { runtime.finish(); });
            break;
          case 4:
            attempt([&] { runtime.bind("steady", [](Job&) {}); });
            break;
          case 5:
            attempt([&] { runtime.on_progress([](Time) {}); });
            break;
          default:
            attempt([&] {
              static_cast<void>(runtime.statistics());
              runtime.stop();
            });
            break;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(done.load(), 0);
}

TEST(OneAtATime, ARunThatIsDestroyedFromAnotherThreadEndsFirst) {
  auto runtime = std::make_unique<Runtime>(plain_host(), steady(), plain());
  std::atomic<std::uint64_t> ran{0};
  runtime->bind("steady", [&](Job& /*job*/) { ++ran; });
  std::optional<RunReport> report;
  std::thread thread{[&, running = runtime.get()] { report = running->run_until_stopped(); }};
  while (ran == 0) std::this_thread::yield();
  runtime.reset();
  thread.join();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome.ending, runtime::RunEnd::stopped);
}

TEST(OneAtATime, AStopWhileALaterRunStartsIsKept) {
  /// Stops the run while it is being made, when there is nothing yet that could be stopped.
  class StopsWhenAsked final : public trace::Observer {
   public:
    [[nodiscard]] trace::Interests interests() const override {
      if (runtime != nullptr) runtime->stop();
      return {};
    }
    Runtime* runtime = nullptr;
  };
  StopsWhenAsked observer;
  Runtime runtime{std::make_unique<device::SimDevice>(), steady(), plain()};
  runtime.observe(observer);
  EXPECT_EQ(runtime.run_for(5ms).outcome.ending, runtime::RunEnd::horizon);
  observer.runtime = &runtime;
  EXPECT_EQ(runtime.run_for(5ms).outcome.ending, runtime::RunEnd::stopped);
}

}  // namespace
}  // namespace tactus
