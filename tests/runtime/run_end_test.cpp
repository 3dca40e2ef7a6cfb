// However a run ends, nothing of it is left: no function that still runs, no thread in another class.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/host_run.hpp"
#include "tactus/base/error.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;

System steady(const std::string& name = "steady") {
  System system = test::small_host_system();
  system.policy.strategy = strategy_named("single-stream");
  Task& task = test::add_task(system, name, {test::host_exclusive(1ms)});
  task.arrival = Arrival::periodic;
  task.period = 10ms;
  task.deadline = 10ms;
  return system;
}

RuntimeOptions plain() {
  RuntimeOptions options;
  options.real_time = false;
  return options;
}

/// Works until it is asked to stop, and tells whether what it was bound with is still there.
struct Watch {
  std::atomic<int> inside{0};
  std::atomic<int> left_alive{0};
  std::atomic<int> left_dead{0};

  auto work() {
    auto owned = std::make_shared<int>(1);
    const std::weak_ptr<int> seen = owned;
    return [this, owned, seen](Job& job) {
      ++inside;
      const std::weak_ptr<int> mine = seen;  // the closure may go while it runs
      Watch& watch = *this;
      while (!job.stop_requested() && !mine.expired()) std::this_thread::sleep_for(100us);
      ++(mine.expired() ? watch.left_dead : watch.left_alive);
    };
  }
};

TEST(RunEnd, DestroyingAStartedRuntimeWaitsForItsFunctions) {
  Watch watch;
  {
    Runtime runtime{device::make_host_device(test::plain_host()), steady(), plain()};
    runtime.bind("steady", watch.work());
    runtime.start();
    while (watch.inside == 0) runtime.step();
  }
  EXPECT_EQ(watch.left_alive, 1);
  EXPECT_EQ(watch.left_dead, 0);
}

TEST(RunEnd, ACallbackThatThrowsEndsTheRunInOrder) {
  Watch watch;
  Runtime runtime{device::make_host_device(test::plain_host()), steady()};
  runtime.bind("steady", watch.work());
  runtime.on_miss([](const runtime::Incident& /*miss*/) { throw std::runtime_error{"no misses, please"}; });
  const int before = sched_getscheduler(0);
  EXPECT_THROW(runtime.run_for(10s), std::runtime_error);
  EXPECT_EQ(sched_getscheduler(0), before);
  EXPECT_EQ(watch.left_alive, watch.inside);
  EXPECT_EQ(watch.left_dead, 0);
  EXPECT_TRUE(runtime.statistics().empty()) << "the run is still on";
  // It can run again.
  runtime.on_miss({});
  runtime.bind("steady", [](Job& /*job*/) {});
  EXPECT_GT(runtime.run_for(25ms).outcome.released, 0U);
}

TEST(RunEnd, WhoeverTheEngineCallsCannotFinishOrStep) {
  Runtime runtime{device::make_host_device(test::plain_host()), steady(), plain()};
  std::atomic<int> refused{0};
  const auto expect_refusal = [&](auto call) {
    try {
      call();
    } catch (const InputError& error) {
      if (std::string_view{error.what()}.find("the engine is at work") != std::string_view::npos) ++refused;
    }
  };
  runtime.on_progress([&](Time /*now*/) {
    if (refused > 0) return;
    expect_refusal([&] { static_cast<void>(runtime.finish()); });
    expect_refusal([&] { static_cast<void>(runtime.step()); });
    runtime.stop();
  });
  EXPECT_EQ(runtime.run_for(60s).outcome.ending, runtime::RunEnd::stopped);
  EXPECT_EQ(refused, 2);

  runtime.on_progress({});
  runtime.bind("steady", [&](Job& job) {
    if (job.number() < 2) {
      expect_refusal([&] { static_cast<void>(runtime.finish()); });
    } else {
      static_cast<void>(runtime.finish());
    }
  });
  const RunReport report = runtime.run_for(60s);
  EXPECT_EQ(refused, 4);
  EXPECT_EQ(report.outcome.ending, runtime::RunEnd::failed);
  EXPECT_EQ(report.outcome.completed, 2U);
  EXPECT_NE(report.outcome.failure.find("task 'steady', job 2"), std::string::npos) << report.outcome.failure;
  EXPECT_NE(report.outcome.failure.find("the engine is at work"), std::string::npos)
      << report.outcome.failure;
}

TEST(RunEnd, TheWatchdogEndsARunWhoseFunctionDoesNotReturn) {
  const auto open = std::make_shared<std::atomic<bool>>(false);
  {
    RuntimeOptions options = plain();
    options.watchdog = 30ms;
    device::HostOptions host = test::plain_host();
    host.patience = 5ms;
    Runtime runtime{device::make_host_device(host), steady("stuck"), options};
    runtime.bind("stuck", [open](Job& /*job*/) {
      while (!*open) std::this_thread::sleep_for(100us);
    });
    const RunReport report = runtime.run_until_stopped();
    EXPECT_EQ(report.outcome.ending, runtime::RunEnd::lost);
    EXPECT_THAT(report.outcome.failure, testing::HasSubstr("task 'stuck', job 0, segment 0"));
    EXPECT_THAT(report.outcome.not_enforced, testing::Contains(testing::HasSubstr("not returned")));
    EXPECT_FALSE(report.holds());
  }
  *open = true;
  constexpr int patience = 10'000;
  for (int i = 0; i < patience && open.use_count() > 1; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(open.use_count(), 1);
}

/// The job of a device that is not the host.
class OtherJob : public Job {};

TEST(RunEnd, ADeviceThatCannotOpenLeavesNoRun) {
  Runtime runtime{device::make_host_device(test::plain_host()), steady(), plain()};
  runtime.bind("steady", [](OtherJob& /*job*/) {});
  EXPECT_THROW(runtime.start(1s), InputError);
  runtime.bind("steady", [](Job& /*job*/) {});
  EXPECT_EQ(runtime.run_for(5ms).outcome.released, 1U);
}

}  // namespace
}  // namespace tactus
