// Work that is captured before the run: where it runs, how urgent it is, what it knows of its job, and what
// cannot be captured.
#include "tactus/device/cuda/captured_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "device/cuda/appended.hpp"
#include "device/cuda/device_run.hpp"
#include "device/cuda/gpu_test.hpp"
#include "device/cuda/test_kernels.hpp"

namespace tactus::cuda {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

class CudaCapturedWork : public GpuTest {};

System one_task(const std::string& keys = "") {
  return system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: network, period: 5ms, exclusive: 1ms)" +
                     keys + "}\n");
}

TEST_F(CudaCapturedWork, StaysOnTheSmsOfItsTask) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {sms: 64, virtual_sms_per_sm: 1}}
policy: {strategy: federated, virtual_sms: {a: 16, b: 32}}
tasks:
  - {name: a, period: 2ms, kernel: {grid: 16, block: 1024, block_time: 500us}}
  - {name: b, period: 2ms, kernel: {grid: 32, block: 1024, block_time: 500us}}
)")};
  constexpr unsigned blocks = 400;
  std::vector<DeviceBuffer<unsigned>> counts;
  std::vector<DeviceBuffer<unsigned>> places;
  const DeviceBuffer<unsigned> disagreements{1};
  std::vector<int> calls_made(2);
  for (std::size_t task = 0; task < 2; ++task) {
    counts.emplace_back(blocks);
    places.emplace_back(blocks);
    run.bindings[task][0] = captured([&, task](Job& job) {
      ++calls_made[task];
      CountedLaunch launch;
      launch.threads = 1024;
      launch.stay_ns = 2000;
      launch.counts = counts[task].data();
      launch.sms = places[task].data();
      launch.disagreements = disagreements.data();
      launch_counted(launch, dim3{blocks}, job.stream());
    });
  }
  run.run(60ms);
  EXPECT_EQ(run.outcome.failure, "");
  std::set<unsigned> taken;
  const std::vector<std::size_t> sizes{16, 32};
  for (std::size_t task = 0; task < 2; ++task) {
    EXPECT_EQ(calls_made[task], 1) << "once for its SMs, before the run";
    EXPECT_GE(run.completed(static_cast<TaskIndex>(task)), 20U);
    for (const unsigned count : read_back(counts[task])) {
      EXPECT_GE(count, run.completed(static_cast<TaskIndex>(task)));
    }
    const std::vector<unsigned> where = read_back(places[task]);
    const std::set<unsigned> own{where.begin(), where.end()};
    EXPECT_LE(own.size(), sizes[task]);
    EXPECT_GE(own.size(), 2U);
    for (const unsigned sm : own) EXPECT_TRUE(taken.insert(sm).second) << "SM " << sm << " has two tasks";
  }
}

TEST_F(CudaCapturedWork, AJobOf400KernelsIsOneLaunch) {
  DeviceRun run{one_task()};
  const Appended appended{1U << 16U};
  constexpr unsigned kernels = 400;
  run.bindings[0][0] = captured([&](Job& job) {
    for (unsigned i = 0; i < kernels; ++i) launch_append(i, appended.list(), job.stream());
  });
  run.run(100ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(run.completed(0), 1U);
  const std::vector<unsigned> all = appended.all();
  EXPECT_GE(all.size(), kernels * run.completed(0));
  EXPECT_EQ(all.size() % kernels, 0U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i % kernels);
  EXPECT_EQ(run.outcome.assumptions.segments[0][0].calls.count, all.size() / kernels);
}

TEST_F(CudaCapturedWork, KernelsReadTheFactsOfTheirJob) {
  for (const bool is_captured : {true, false}) {
    DeviceRun run{one_task()};
    const Appended appended{256};
    const auto work = [&](Job& job) { launch_append_job(job.device_facts(), appended.list(), job.stream()); };
    run.bindings[0][0] = is_captured ? captured(work) : calls(work);
    run.run(100ms);
    EXPECT_EQ(run.outcome.failure, "");
    std::vector<unsigned> expected(appended.all().size());
    std::iota(expected.begin(), expected.end(), 0U);
    EXPECT_GE(expected.size(), 15U);
    EXPECT_EQ(appended.all(), expected);
  }
}

TEST_F(CudaCapturedWork, HasThePriorityOfItsJob) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 2, order: fp}
tasks:
  - {name: urgent, priority: 2, offset: 5ms, period: 5ms, exclusive: 1ms}
  - {name: long, priority: 1, arrival: once, deadline: 1s, kernel: {grid: 264000, block: 1024, block_time: 100us}}
)")};
  const Appended appended{256};
  const DeviceBuffer<unsigned> counts{264};
  const DeviceBuffer<unsigned> disagreements{1};
  run.bindings[0][0] = captured([&](Job& job) {
    CountedLaunch launch;
    launch.threads = 1024;
    launch.stay_ns = 10'000;
    launch.counts = counts.data();
    launch.disagreements = disagreements.data();
    for (int i = 0; i < 3; ++i) launch_counted(launch, dim3{264}, job.stream());
  });
  run.run(300ms);
  EXPECT_EQ(run.outcome.failure, "");
  // The kernel fills the GPU for about 100 ms. Without priority all others would wait until its end.
  ASSERT_EQ(run.completed(1), 1U);
  std::size_t before = 0;
  for (const trace::JobEnded& end : run.recorder.recording.ends) {
    if (end.job.task == 1) break;
    ++before;
  }
  EXPECT_GE(before, 3U);
}

/// What the start of a run with this function says.
template <class Function>
std::string refusal_of(Function function, const std::string& keys = "") {
  DeviceRun run{one_task(keys)};
  run.bindings[0][0] = captured(function);
  try {
    run.run(10ms);
  } catch (const InputError& error) {
    return to_string(error.problems().front());
  }
  return "not refused: " + run.outcome.failure;
}

TEST_F(CudaCapturedWork, WhatCannotBeCapturedIsRefusedWithTheCall) {
  const Appended appended{16};
  const auto is_about_network =
      AllOf(HasSubstr("task 'network', segment 0"), HasSubstr("cannot be captured"));
  EXPECT_THAT(refusal_of([&](Job& job) {
                launch_append(1, appended.list(), job.stream());
                void* memory = nullptr;
                static_cast<void>(cudaMalloc(&memory, 100));
              }),
              AllOf(is_about_network, HasSubstr("cudaMalloc")));
  EXPECT_THAT(refusal_of([&](Job& job) {
                launch_append(1, appended.list(), job.stream());
                static_cast<void>(cudaStreamSynchronize(job.stream()));
              }),
              AllOf(is_about_network, HasSubstr("cudaStreamSynchronize")));
  EXPECT_THAT(refusal_of([&](Job& job) {
                void* memory = nullptr;
                check(cudaMallocAsync(&memory, 100, job.stream()), "cannot allocate");
                launch_append(1, appended.list(), job.stream());
                check(cudaFreeAsync(memory, job.stream()), "cannot free");
              }),
              AllOf(is_about_network, HasSubstr("cudaMallocAsync")));
  EXPECT_THAT(refusal_of([&](Job& /*job*/) { launch_append(1, appended.list(), nullptr); }),
              AllOf(is_about_network, HasSubstr("job.stream()")));
  EXPECT_THAT(refusal_of([](Job& job) { static_cast<void>(job.loop(dim3{8})); }),
              AllOf(is_about_network, HasSubstr("job.loop()")));
  EXPECT_THAT(refusal_of([](Job&) { throw std::runtime_error{"no weights"}; }),
              AllOf(is_about_network, HasSubstr("no weights")));
  const Stream other = make_stream();
  EXPECT_THAT(refusal_of([&](Job& job) {
                const Event event;
                event.record(job.stream());
                check(cudaStreamWaitEvent(other.get(), event.get(), 0), "cannot wait");
                launch_append(1, appended.list(), other.get());
              }),
              AllOf(is_about_network, HasSubstr("another stream")));
}

TEST_F(CudaCapturedWork, ARunFollowsOneThatWasRefused) {
  const Appended appended{64};
  EXPECT_THAT(refusal_of([](Job& job) { static_cast<void>(cudaStreamSynchronize(job.stream())); }),
              HasSubstr("cannot be captured"));
  DeviceRun run{one_task()};
  run.bindings[0][0] = captured([&](Job& job) { launch_append(1, appended.list(), job.stream()); });
  run.run(20ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(run.completed(0), 2U);
}

TEST_F(CudaCapturedWork, AKernelThatWouldBeCutRunsWhole) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 2}
tasks:
  - {name: camera, period: 2ms, exclusive: 100us}
  - {name: training, arrival: best-effort, kernel: {grid: 1000, block: 1024, block_time: 50us}}
)")};
  const Appended appended{1U << 16U};
  run.bindings[1][0] = captured([&](Job& job) { launch_append(7, appended.list(), job.stream()); });
  run.run(50ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(run.completed(1), 10U);
  EXPECT_GE(appended.all().size(), run.completed(1));
  EXPECT_LE(appended.all().size(), run.released(1));
}

TEST_F(CudaCapturedWork, AnAbortWaitsForItsEndAndIsSaidSo) {
  DeviceRun run{one_task(", budget: 100us, on_overrun: abort")};
  const DeviceBuffer<unsigned> counts{264};
  const DeviceBuffer<unsigned> disagreements{1};
  run.bindings[0][0] = captured([&](Job& job) {
    CountedLaunch launch;
    launch.threads = 1024;
    launch.stay_ns = 1'000'000;
    launch.counts = counts.data();
    launch.disagreements = disagreements.data();
    launch_counted(launch, dim3{264}, job.stream());
  });
  run.run(30ms);
  EXPECT_GT(run.outcome.overruns, 0U);
  EXPECT_THAT(run.outcome.not_enforced, Contains(HasSubstr("task 'network': its kernel cannot be stopped")));
}

}  // namespace
}  // namespace tactus::cuda
