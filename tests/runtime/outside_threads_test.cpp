// While the engine runs on real threads, other threads release jobs, ask for statistics and stop the run.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "tactus/device/host/host_device.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;

System called_and_periodic() {
  System system;
  system.name = "called";
  system.platform.gpu.sms = 2;
  system.platform.clusters = {2};
  system.policy.strategy = strategy_named("single-stream");
  for (const char* name : {"called", "steady"}) {
    Task& task = system.tasks.emplace_back();
    task.name = name;
    task.period = 1ms;
    task.deadline = 100ms;
    task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(50us)}});
  }
  system.tasks[0].arrival = Arrival::sporadic;
  return system;
}

TEST(OutsideThreads, ReleaseAskAndStopWhileJobsRun) {
  device::HostOptions host;
  host.real_time = false;
  RuntimeOptions options;
  options.real_time = false;
  Runtime runtime{device::make_host_device(host), called_and_periodic(), options};
  std::atomic<std::uint64_t> ran{0};
  runtime.bind("called", [&](Job& /*job*/) { ++ran; });

  constexpr std::uint64_t wanted = 20;
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; ++i) {
    callers.emplace_back([&] {
      while (!over) {
        if (runtime.release("called")) ++accepted;
        std::this_thread::yield();
      }
    });
  }
  callers.emplace_back([&] {
    while (!over) {
      const std::vector<trace::TaskStatistics> seen = runtime.statistics();
      if (seen.size() == 2 && seen[0].completed >= wanted && seen[1].completed > 0) runtime.stop();
      std::this_thread::yield();
    }
  });
  const RunReport report = runtime.run_until_stopped();
  over = true;
  for (std::thread& caller : callers) caller.join();

  EXPECT_EQ(report.outcome.ending, runtime::RunEnd::stopped);
  EXPECT_GE(report.tasks[0].completed, wanted);
  EXPECT_GE(ran.load(), report.tasks[0].completed);
  EXPECT_GE(accepted.load(), report.tasks[0].completed);
  EXPECT_EQ(report.events_lost, 0U);
}

TEST(OutsideThreads, AskTheClockOfVirtualTimeWhileItMoves) {
  const System system = called_and_periodic();
  device::SimDevice device;
  runtime::ExecutiveOptions options;
  options.sporadic_by_call = true;
  std::atomic<bool> enough{false};
  options.stop = &enough;
  runtime::Executive executive{system, device, options, {}};
  executive.start();
  std::atomic<std::uint64_t> accepted{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; ++i) {
    callers.emplace_back([&] {
      while (!enough) {
        if (executive.release(0) && ++accepted == 100) enough = true;
        std::this_thread::yield();
      }
    });
  }
  while (executive.step()) {
  }
  for (std::thread& caller : callers) caller.join();
  const runtime::Outcome outcome = executive.finish();
  EXPECT_EQ(outcome.ending, runtime::RunEnd::stopped);
  EXPECT_EQ(outcome.tasks[0].released, accepted.load()) << "each call is a job, also the last ones";
}

}  // namespace
}  // namespace tactus
