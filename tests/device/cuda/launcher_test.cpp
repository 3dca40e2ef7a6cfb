// Functions that a thread of their task calls (`launcher: true`).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device/cuda/appended.hpp"
#include "device/cuda/device_run.hpp"
#include "device/cuda/gpu_test.hpp"
#include "device/cuda/test_kernels.hpp"

namespace tactus::cuda {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class CudaLauncher : public GpuTest {};

TEST_F(CudaLauncher, CallsOnAThreadOfItsOwn) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: a, period: 1ms, exclusive: 100us, launcher: true}
  - {name: b, period: 1ms, exclusive: 100us, launcher: true}
  - {name: c, period: 1ms, exclusive: 100us}
)")};
  const Appended appended{4096};
  std::vector<std::set<std::thread::id>> threads(3);
  for (std::size_t task = 0; task < 3; ++task) {
    run.bindings[task][0] = calls([&, task](Job& job) {
      threads[task].insert(std::this_thread::get_id());
      launch_append(static_cast<unsigned>(task), appended.list(), job.stream());
    });
  }
  run.run(100ms);
  EXPECT_EQ(run.outcome.failure, "");
  for (TaskIndex task = 0; task < 3; ++task) {
    EXPECT_GE(run.completed(task), 50U);
    EXPECT_EQ(threads[task].size(), 1U);
    EXPECT_EQ(run.outcome.assumptions.segments[task][0].calls.count >= run.completed(task), true);
  }
  EXPECT_EQ(*threads[2].begin(), std::this_thread::get_id());
  std::set<std::thread::id> all;
  for (const std::set<std::thread::id>& of_task : threads) all.insert(of_task.begin(), of_task.end());
  EXPECT_EQ(all.size(), 3U);
  EXPECT_GE(appended.all().size(), run.completed(0) + run.completed(1) + run.completed(2));
}

TEST_F(CudaLauncher, KeepsTheOrderOfAStream) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: a, period: 1ms, launcher: true, segments: [{copy: 20us}, {exclusive: 50us}, {copy: 20us}]}
  - {name: b, period: 3ms, exclusive: 100us}
)")};
  const Appended appended{4096};
  run.bindings[0][1] = calls(
      [&](Job& job) { launch_append(static_cast<unsigned>(job.number()), appended.list(), job.stream()); });
  run.run(200ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(run.completed(0), 100U);
  const std::vector<unsigned> all = appended.all();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_GE(all.size(), run.completed(0));
}

TEST_F(CudaLauncher, AnUrgentTaskDoesNotWaitForALongEnqueue) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {sms: 64, virtual_sms_per_sm: 1}}
policy: {strategy: federated, virtual_sms: {control: 4, network: 32}}
tasks:
  - {name: control, period: 1ms, kernel: {grid: 4, block: 256, block_time: 50us}}
  - {name: network, period: 20ms, launcher: true, kernel: {grid: 32, block: 1024, block_time: 1ms}}
)")};
  const Appended appended{4096};
  std::atomic<int> control_calls{0};
  int waited = 0;
  int too_long = 0;
  run.bindings[0][0] = calls([&](Job& job) {
    ++control_calls;
    launch_append(0, appended.list(), job.stream());
  });
  // Returns when the engine has gone on without it.
  run.bindings[1][0] = calls([&](Job& job) {
    const int enough = control_calls + 3;
    const auto limit = std::chrono::steady_clock::now() + 5s;
    while (control_calls < enough && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    ++(control_calls >= enough ? waited : too_long);
    launch_append(1, appended.list(), job.stream());
  });
  run.run(100ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(waited, 3);
  EXPECT_EQ(too_long, 0);
  EXPECT_GE(run.completed(1), 3U);
}

TEST_F(CudaLauncher, WhatTheFunctionThrowsFailsItsJob) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: network, period: 1ms, exclusive: 100us, launcher: true}
)")};
  const Appended appended{64};
  run.bindings[0][0] = calls([&](Job& job) {
    launch_append(0, appended.list(), job.stream());
    if (job.number() == 5) throw std::runtime_error{"no more frames"};
  });
  run.run(100ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "failed");
  EXPECT_THAT(run.outcome.failure,
              AllOf(HasSubstr("task 'network', job 5, segment 0"), HasSubstr("no more frames")));
}

TEST_F(CudaLauncher, ALoopIsStoppedAndContinuedWithEveryBlockOnce) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: camera, period: 2ms, exclusive: 100us}
  - {name: training, arrival: best-effort, preemptible: true, launcher: true, kernel: {grid: 20000, block: 1024, block_time: 50us}}
)")};
  constexpr std::size_t jobs = 256;
  const DeviceBuffer<unsigned> counts{jobs * 20'000};
  const DeviceBuffer<unsigned> disagreements{1};
  run.bindings[1][0] = calls([&](Job& job) {
    CountedLaunch launch;
    launch.counts = counts.data() + (job.number() % jobs) * 20'000;
    launch.disagreements = disagreements.data();
    launch.blocks = static_cast<unsigned>(job.sms()) * 2;
    launch.threads = 1024;
    launch.stay_ns = 50'000;
    launch_counted(launch, job.loop(), job.stream());
  });
  run.run(300ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(run.completed(0), 140U);
  EXPECT_GE(run.completed(1), 10U);
  ASSERT_LT(run.released(1), jobs);
  EXPECT_GE(run.operations(1), 2 * run.completed(1));
  const std::vector<unsigned> all = read_back(counts);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](unsigned count) { return count > 1; }), 0);
  EXPECT_GE(static_cast<std::uint64_t>(std::count(all.begin(), all.end(), 1U)), 20'000 * run.completed(1));
}

TEST_F(CudaLauncher, TheEndOfARunWithdrawsCallsThatHaveNotBegun) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: as-submitted}
tasks:
  - {name: network, period: 1ms, exclusive: 100us, launcher: true}
)")};
  const Appended appended{4096};
  std::atomic<int> calls_made{0};
  run.bindings[0][0] = calls([&](Job& job) {
    ++calls_made;
    std::this_thread::sleep_for(5ms);
    launch_append(0, appended.list(), job.stream());
  });
  run.run(50ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_EQ(static_cast<int>(appended.all().size()), calls_made);
  EXPECT_LT(calls_made, 50);
}

}  // namespace
}  // namespace tactus::cuda
