// Jobs that use up their budget end between blocks; work that is broken off is off the GPU before its loop is
// used again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/cuda/device_run.hpp"
#include "device/cuda/gpu_test.hpp"
#include "device/cuda/test_kernels.hpp"

namespace tactus::cuda {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class CudaAbort : public GpuTest {};

std::uint64_t sum_of(const DeviceBuffer<unsigned>& counts) {
  const std::vector<unsigned> values = read_back(counts);
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

/// Operations of the first task that began and ended while one of the second was running.
std::size_t operations_within(const DeviceRun& run) {
  std::size_t within = 0;
  for (const trace::OperationFinished& around : run.recorder.recording.operations) {
    if (around.job.task != 1) continue;
    for (const trace::OperationFinished& one : run.recorder.recording.operations) {
      if (one.job.task == 0 && one.called > around.start && one.end < around.end) ++within;
    }
  }
  return within;
}

/// 20 ms on the whole GPU, of which its budget allows 2 ms.
System too_long() {
  return system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: long, period: 25ms, budget: 2ms, on_overrun: abort, kernel: {grid: 52800, block: 1024, block_time: 100us}}
)");
}

TEST_F(CudaAbort, ABuiltInKernelEndsBetweenBlocks) {
  for (const char* policy : {"{strategy: single-stream}", "{strategy: as-submitted}"}) {
    System system = too_long();
    if (std::string{policy}.find("as-") != std::string::npos) {
      system.policy.strategy = strategy_named("as-submitted");
    }
    DeviceRun run{system};
    run.run(200ms);
    EXPECT_EQ(run.outcome.failure, "");
    EXPECT_EQ(run.released(0), 8U);
    // A kernel that runs to its end would count as completed.
    EXPECT_GE(run.outcome.dropped, 7U) << policy;
    EXPECT_EQ(run.completed(0), 0U) << policy;
    EXPECT_THAT(run.outcome.not_enforced, Not(Contains(HasSubstr("cannot be stopped"))));
  }
}

TEST_F(CudaAbort, ABuiltInExclusiveJobEndsBetweenSlices) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 2}
tasks:
  - {name: long, period: 25ms, budget: 2ms, on_overrun: abort, exclusive: 20ms, longest_block: 200us}
)")};
  run.run(200ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(run.outcome.dropped, 7U);
  EXPECT_EQ(run.completed(0), 0U);
}

TEST_F(CudaAbort, WorkThatMayBeAbortedGivesWayAtTheEndsOfItsBlocks) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 2}
tasks:
  - {name: camera, period: 2ms, exclusive: 100us}
  - {name: long, period: 40ms, budget: 35ms, on_overrun: abort, kernel: {grid: 26400, block: 1024, block_time: 100us}}
)")};
  run.run(200ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_EQ(run.outcome.dropped, 0U);
  EXPECT_GE(run.completed(1), 4U);
  // 10 ms of work each, five periods of the camera; a kernel that keeps its places would let none in.
  EXPECT_GE(operations_within(run), 4U * 3U);
}

// A system that has fewer SMs than the device: all its streams are in a partition.
TEST_F(CudaAbort, AStoppableGridInAPartitionGivesWayAtTheEndsOfItsBlocks) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {sms: 64}}
policy: {strategy: multi-stream, levels: 2}
tasks:
  - {name: camera, period: 2ms, exclusive: 100us}
  - {name: long, period: 40ms, budget: 35ms, on_overrun: abort, kernel: {grid: 12800, block: 1024, block_time: 100us}}
)")};
  constexpr unsigned grid = 12'800;  // 10 ms on 64 SMs
  const DeviceBuffer<unsigned> counts{grid};
  const DeviceBuffer<unsigned> disagreements{1};
  std::uint64_t calls_made = 0;
  run.bindings[1][0] = calls([&](Job& job) {
    ++calls_made;
    EXPECT_EQ(job.sms(), 64);
    CountedLaunch launch{.blocks = grid, .threads = 1024, .stay_ns = 100'000, .counts = counts.data()};
    launch.disagreements = disagreements.data();
    launch_counted(launch, job.loop(), job.stream());
  });
  run.run(199ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_EQ(run.outcome.dropped, 0U);
  EXPECT_GE(run.completed(1), 4U);
  EXPECT_EQ(sum_of(counts), calls_made * grid);
  EXPECT_EQ(read_back(disagreements).front(), 0U);
  EXPECT_GE(operations_within(run), 4U * 3U);
}

/// A chain of kernels, which go to one stream at once.
System many_kernels(int count) {
  System system = system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 1}
tasks:
  - {name: chain, period: 10ms, budget: 9ms, on_overrun: abort, segments: [{kernel: {grid: 264, block: 1024, block_time: 50us}}]}
)");
  const Node node = system.tasks[0].work.nodes.front();
  system.tasks[0].work.nodes.assign(static_cast<std::size_t>(count), node);
  return system;
}

TEST_F(CudaAbort, WorkFarBehindInAStreamWaitsForALoop) {
  DeviceRun run{many_kernels(40)};  // more than there are loops; 2 ms of work
  run.run(99ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_EQ(run.completed(0), 10U);
  EXPECT_EQ(run.operations(0), 400U);
  EXPECT_THAT(run.outcome.not_enforced, Not(Contains(HasSubstr("cannot be stopped"))));
}

TEST_F(CudaAbort, BoundWorkFarBehindInAStreamWaitsForALoop) {
  DeviceRun run{many_kernels(40)};
  const DeviceBuffer<unsigned> counts{264};
  const DeviceBuffer<unsigned> disagreements{1};
  std::vector<unsigned> order;
  order.reserve(400);
  for (device::Binding& binding : run.bindings[0]) {
    binding = calls([&](Job& job) {
      order.push_back(job.segment());
      CountedLaunch launch{.blocks = 264, .threads = 1024, .stay_ns = 50'000, .counts = counts.data()};
      launch.disagreements = disagreements.data();
      launch_counted(launch, job.loop(), job.stream());
    });
  }
  run.run(99ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_EQ(run.completed(0), 10U);
  ASSERT_EQ(order.size(), 400U);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i % 40);
  EXPECT_EQ(sum_of(counts), 400U * 264U);
}

TEST_F(CudaAbort, AKernelOfAUserWithALoopEndsBetweenBlocks) {
  DeviceRun run{too_long()};
  constexpr unsigned grid = 52'800;
  const DeviceBuffer<unsigned> counts{grid};
  const DeviceBuffer<unsigned> disagreements{1};
  std::uint64_t calls_made = 0;
  run.bindings[0][0] = calls([&](Job& job) {
    ++calls_made;
    CountedLaunch launch{.blocks = grid, .threads = 1024, .stay_ns = 100'000, .counts = counts.data()};
    launch.disagreements = disagreements.data();
    launch_counted(launch, job.loop(), job.stream());
  });
  run.run(200ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(run.outcome.dropped, 7U);
  EXPECT_EQ(run.completed(0), 0U);
  const std::uint64_t ran = sum_of(counts);
  EXPECT_GT(ran, 0U);
  EXPECT_LT(ran, calls_made * grid / 2);
  EXPECT_EQ(read_back(disagreements).front(), 0U);
  EXPECT_THAT(run.outcome.not_enforced, Not(Contains(HasSubstr("cannot be stopped"))));
}

TEST_F(CudaAbort, OpaqueWorkIsSaidToRunToItsEnd) {
  DeviceRun run{too_long()};
  const DeviceBuffer<unsigned> counts{264};
  const DeviceBuffer<unsigned> disagreements{1};
  run.bindings[0][0] = calls([&](Job& job) {
    CountedLaunch launch{.threads = 1024, .stay_ns = 5'000'000, .counts = counts.data()};
    launch.disagreements = disagreements.data();
    launch_counted(launch, dim3{264}, job.stream());
  });
  run.run(100ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_THAT(run.outcome.not_enforced,
              Contains(HasSubstr("task 'long': its kernel cannot be stopped: an abort waits for its end")));
}

TEST_F(CudaAbort, WhatAFailedFunctionLaunchedIsStopped) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: camera, period: 5ms, exclusive: 100us}
  - {name: bad, arrival: best-effort, preemptible: true, kernel: {grid: 5280000, block: 1024, block_time: 50us}}
)")};
  constexpr unsigned grid = 5'280'000;  // a second
  const DeviceBuffer<unsigned> counts{grid};
  const DeviceBuffer<unsigned> disagreements{1};
  run.bindings[1][0] = calls([&](Job& job) {
    CountedLaunch launch{.threads = 1024, .stay_ns = 50'000, .counts = counts.data()};
    launch.blocks = static_cast<unsigned>(job.sms()) * 2;
    launch.disagreements = disagreements.data();
    launch_counted(launch, job.loop(), job.stream());
    throw std::runtime_error{"second thoughts"};
  });
  run.run(100ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "failed");
  EXPECT_EQ(run.outcome.failure, "task 'bad', job 0, segment 0: second thoughts");
  EXPECT_LT(sum_of(counts), grid);
  // The device is as good as before.
  run.bindings[1][0] = {};
  run.run(50ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(run.completed(0), 9U);
}

}  // namespace
}  // namespace tactus::cuda
