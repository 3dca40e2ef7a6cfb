// Bound work on the GPU: kernels in their partitions, in parts, stopped and continued; copies; failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
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
using testing::StartsWith;

class CudaBoundWork : public GpuTest {};

/// What blocks of a task's jobs leave behind: how often each ran, and where.
struct Traces {
  Traces(std::size_t jobs, std::size_t blocks_of_job)
      : blocks{blocks_of_job}, counts{jobs * blocks_of_job}, places{jobs * blocks_of_job}, disagreements{1} {}

  [[nodiscard]] CountedLaunch launch(std::uint64_t job, std::int64_t first_block = 0) const {
    const std::size_t at = (job % (counts.size() / blocks)) * blocks + static_cast<std::size_t>(first_block);
    CountedLaunch result;
    result.counts = counts.data() + at;
    result.sms = places.data() + at;
    result.disagreements = disagreements.data();
    return result;
  }

  std::size_t blocks;
  DeviceBuffer<unsigned> counts;
  DeviceBuffer<unsigned> places;
  DeviceBuffer<unsigned> disagreements;
};

/// Jobs that completed: by number.
std::set<std::uint64_t> completed_jobs(const DeviceRun& run, TaskIndex task) {
  std::set<std::uint64_t> jobs;
  for (const trace::JobEnded& end : run.recorder.recording.ends) {
    if (end.job.task == task && end.completion != never) jobs.insert(end.job.number);
  }
  return jobs;
}

/// Every block of the jobs that completed ran once; of the others, at most once.
void expect_each_block_once(const DeviceRun& run, TaskIndex task, const Traces& traces) {
  const std::vector<unsigned> counts = read_back(traces.counts);
  const std::set<std::uint64_t> completed = completed_jobs(run, task);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool done = completed.count(i / traces.blocks) != 0;
    if (done ? counts[i] != 1 : counts[i] > 1) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(read_back(traces.disagreements).front(), 0U);
}

TEST_F(CudaBoundWork, KernelsStayOnTheSmsOfTheirTask) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {sms: 32}}
policy:
  strategy: sm-cores
  sm_group: 8
  reservations: {period: 2ms, local: {offset: 0ms, budget: 2ms}}
tasks:
  - {name: a, period: 2ms, exclusive: 200us, longest_block: 0, sm: 0}
  - {name: b, period: 2ms, exclusive: 200us, longest_block: 0, sm: 1}
  - {name: c, period: 2ms, exclusive: 200us, longest_block: 0, sm: 2}
)")};
  constexpr std::size_t blocks = 200;
  std::vector<std::unique_ptr<Traces>> traces;
  for (std::size_t task = 0; task < 3; ++task) {
    traces.push_back(std::make_unique<Traces>(64, blocks));
    run.bindings[task][0] = calls([&traces, task](Job& job) {
      CountedLaunch launch = traces[task]->launch(job.number());
      launch.stay_ns = 2000;
      launch_counted(launch, dim3{blocks}, job.stream());
    });
  }
  run.run(50ms);
  EXPECT_EQ(run.outcome.failure, "");
  std::set<unsigned> taken;
  for (std::size_t task = 0; task < 3; ++task) {
    EXPECT_GE(run.completed(static_cast<TaskIndex>(task)), 20U);
    expect_each_block_once(run, static_cast<TaskIndex>(task), *traces[task]);
    const std::vector<unsigned> counts = read_back(traces[task]->counts);
    const std::vector<unsigned> places = read_back(traces[task]->places);
    std::set<unsigned> own;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) own.insert(places[i]);
    }
    EXPECT_LE(own.size(), 8U);
    EXPECT_GE(own.size(), 2U);
    for (const unsigned sm : own) EXPECT_TRUE(taken.insert(sm).second) << "SM " << sm << " has two tasks";
  }
}

TEST_F(CudaBoundWork, AGangStaysOnTheSmsOfTheCores) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {sms: 16}}
policy:
  strategy: sm-cores
  sm_group: 8
  reservations: {period: 4ms, local: {offset: 0ms, budget: 2ms}, all: {offset: 2ms, budget: 2ms}}
tasks:
  - {name: a, period: 4ms, exclusive: 200us, longest_block: 0, sm: 0}
  - {name: b, period: 4ms, exclusive: 200us, longest_block: 0, sm: 1}
  - {name: gang, period: 4ms, exclusive: 200us, longest_block: 0, sm: all}
)")};
  constexpr std::size_t blocks = 400;
  std::vector<std::unique_ptr<Traces>> traces;
  for (std::size_t task = 0; task < 3; ++task) {
    traces.push_back(std::make_unique<Traces>(32, blocks));
    run.bindings[task][0] = calls([&traces, task](Job& job) {
      CountedLaunch launch = traces[task]->launch(job.number());
      launch.stay_ns = 2000;
      launch.threads = 1024;
      launch_counted(launch, dim3{blocks}, job.stream());
    });
  }
  run.run(60ms);
  EXPECT_EQ(run.outcome.failure, "");
  std::vector<std::set<unsigned>> own(3);
  for (std::size_t task = 0; task < 3; ++task) {
    EXPECT_GE(run.completed(static_cast<TaskIndex>(task)), 10U);
    const std::vector<unsigned> counts = read_back(traces[task]->counts);
    const std::vector<unsigned> places = read_back(traces[task]->places);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) own[task].insert(places[i]);
    }
  }
  EXPECT_EQ(own[0].size(), 8U);
  EXPECT_EQ(own[1].size(), 8U);
  EXPECT_EQ(own[2].size(), 16U);
  for (const std::size_t core : {std::size_t{0}, std::size_t{1}}) {
    for (const unsigned sm : own[core]) EXPECT_EQ(own[2].count(sm), 1U) << "SM " << sm;
  }
}

TEST_F(CudaBoundWork, ALoopIsStoppedAndContinuedWithEveryBlockOnce) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 2}
tasks:
  - {name: camera, period: 2ms, exclusive: 100us}
  - {name: training, arrival: best-effort, exclusive: 20ms, longest_block: 0}
)")};
  constexpr unsigned grid = 264 * 200;
  const Traces traces{64, grid};
  run.bindings[1][0] = calls([&](Job& job) {
    CountedLaunch launch = traces.launch(job.number());
    launch.blocks = static_cast<unsigned>(job.sms()) * 2;
    launch.threads = 1024;
    launch.stay_ns = 50'000;
    launch_counted(launch, job.loop(dim3{grid}), job.stream());
  });
  run.run(300ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_EQ(run.released(0), 150U);
  EXPECT_GE(run.completed(0), 145U);
  EXPECT_GE(run.completed(1), 5U);
  EXPECT_GE(run.operations(1), 2 * run.completed(1));
  expect_each_block_once(run, 1, traces);
}

TEST_F(CudaBoundWork, APreemptibleKernelIsStoppedAndContinuedWithEveryBlockOnce) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: camera, period: 2ms, exclusive: 100us}
  - {name: training, arrival: best-effort, preemptible: true, kernel: {grid: [100, 40, 5], block: 1024, block_time: 50us}}
)")};
  const Traces traces{256, 20'000};
  std::uint64_t calls_made = 0;
  run.bindings[1][0] = calls([&](Job& job) {
    ++calls_made;
    CountedLaunch launch = traces.launch(job.number());
    launch.blocks = static_cast<unsigned>(job.sms()) * 2;
    launch.threads = 1024;
    launch.stay_ns = 50'000;
    launch_counted(launch, job.loop(), job.stream());
  });
  run.run(300ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_EQ(run.released(0), 150U);
  EXPECT_GE(run.completed(1), 20U);
  ASSERT_LT(run.released(1), 256U);
  EXPECT_GE(run.operations(1), 2 * run.completed(1));
  EXPECT_GE(calls_made, run.operations(1));
  expect_each_block_once(run, 1, traces);
}

TEST_F(CudaBoundWork, APreemptibleKernelWithoutALoopIsSaidNotToStop) {
  for (const bool in_loop : {false, true}) {
    DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: camera, period: 5ms, exclusive: 100us}
  - {name: training, arrival: best-effort, preemptible: true, kernel: {grid: 264, block: 1024, block_time: 50us}}
)")};
    const Traces traces{1, 264};
    run.bindings[1][0] = calls([&](Job& job) {
      CountedLaunch launch = traces.launch(0);
      launch.blocks = 264;
      launch.threads = 1024;
      launch.stay_ns = 50'000;
      if (in_loop) {
        launch_counted(launch, job.loop(), job.stream());
      } else {
        launch_counted(launch, dim3{264}, job.stream());
      }
    });
    run.run(20ms);
    EXPECT_EQ(run.outcome.failure, "");
    const auto is_said =
        Contains(HasSubstr("task 'training': its kernel takes no loop, so it does not stop"));
    if (in_loop) {
      EXPECT_THAT(run.outcome.not_enforced, Not(is_said));
    } else {
      EXPECT_THAT(run.outcome.not_enforced, is_said);
    }
  }
}

TEST_F(CudaBoundWork, AKernelInPartsRunsEveryBlockOnce) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 2}
tasks:
  - {name: camera, period: 2ms, exclusive: 100us}
  - {name: training, arrival: best-effort, kernel: {grid: 1000, block: 1024, block_time: 50us}}
)")};
  const Traces traces{2048, 1000};
  std::uint64_t most = 0;
  run.bindings[1][0] = calls([&](Job& job) {
    most = std::max(most, job.number());
    CountedLaunch launch = traces.launch(job.number(), job.first_block());
    launch.threads = 1024;
    launch.stay_ns = 50'000;
    launch_counted(launch, dim3{static_cast<unsigned>(job.blocks())}, job.stream());
  });
  run.run(200ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_EQ(run.released(0), 100U);
  EXPECT_GE(run.completed(1), 5U);
  ASSERT_LT(most, 2048U);
  expect_each_block_once(run, 1, traces);
  EXPECT_GE(run.operations(1), 4 * run.completed(1));
}

TEST_F(CudaBoundWork, CopiesArriveIntact) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: as-submitted}
tasks:
  - {name: camera, period: 5ms, segments: [{copy: 200us}, {kernel: {grid: 8, block: 128, block_time: 10us}}, {copy: 200us}]}
)")};
  constexpr std::size_t count = 1U << 20U;
  constexpr std::size_t blocks = 8;
  const PinnedBuffer<unsigned> out{count};
  const PinnedBuffer<unsigned> back{count};
  const DeviceBuffer<unsigned> there{count};
  const DeviceBuffer<unsigned> disagreements{1};
  for (std::size_t i = 0; i < count; ++i) out.data()[i] = static_cast<unsigned>(i * 7 + 1);
  run.bindings[0][0] = calls([&](Job& job) {
    check(cudaMemcpyAsync(there.data(), out.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice,
                          job.stream()),
          "cannot copy");
  });
  run.bindings[0][1] = calls([&](Job& job) {
    CountedLaunch launch{.counts = there.data()};
    launch.disagreements = disagreements.data();
    launch_counted(launch, dim3{static_cast<unsigned>(job.blocks())}, job.stream());
  });
  run.bindings[0][2] = calls([&](Job& job) {
    check(cudaMemcpyAsync(back.data(), there.data(), count * sizeof(unsigned), cudaMemcpyDeviceToHost,
                          job.stream()),
          "cannot copy");
  });
  run.run(52ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(run.completed(0), 9U);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (back.data()[i] != out.data()[i] + (i < blocks ? 1 : 0)) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
}

System one_task() {
  return system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: good, period: 5ms, exclusive: 100us}
  - {name: bad, period: 50ms, offset: 20ms, kernel: {grid: 8, block: 128, block_time: 10us}}
)");
}

TEST_F(CudaBoundWork, AnExceptionOfABoundFunctionEndsTheRunInOrder) {
  DeviceRun run{one_task()};
  run.bindings[1][0] = calls([](Job&) { throw std::runtime_error{"no frame came"}; });
  run.run(100ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "failed");
  EXPECT_EQ(run.outcome.failure, "task 'bad', job 0, segment 0: no frame came");
  EXPECT_GE(run.completed(0), 4U);
}

TEST_F(CudaBoundWork, ACallThatCudaRefusesEndsTheRunInOrder) {
  DeviceRun run{one_task()};
  const Traces traces{1, 8};
  run.bindings[1][0] = calls([&](Job& job) {
    CountedLaunch launch = traces.launch(0);
    launch.threads = 4096;
    launch_counted(launch, dim3{8}, job.stream());
  });
  run.run(100ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "failed");
  EXPECT_THAT(run.outcome.failure,
              StartsWith("task 'bad', job 0, segment 0: CUDA: cannot launch: cudaErrorInvalid"));
  // The device is as good as before.
  run.bindings[1][0] = {};
  run.run(100ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(run.completed(1), 2U);
}

TEST_F(CudaBoundWork, ALoopThatNoKernelUsesIsAFailure) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks: [{name: lazy, period: 5ms, exclusive: 100us, longest_block: 0}]
)")};
  run.bindings[0][0] = calls([](Job& job) { static_cast<void>(job.loop(dim3{8})); });
  run.run(50ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "failed");
  EXPECT_THAT(run.outcome.failure, HasSubstr("task 'lazy', job 0, segment 0"));
  EXPECT_THAT(run.outcome.failure, HasSubstr("no kernel used it"));
}

// A failed kernel spoils the process's context, so this test has one to itself.
TEST_F(CudaBoundWork, ABadAccessIsReportedWithItsTask) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fail = [] {
    DeviceRun run{one_task()};
    run.bindings[1][0] = calls([](Job& job) { launch_bad_access(job.stream()); });
    run.run(200ms);
    std::fprintf(stderr, "%s: %s\n", std::string{runtime::to_string(run.outcome.ending)}.c_str(),
                 run.outcome.failure.c_str());
    std::_Exit(run.completed(0) >= 4 ? 3 : 1);
  };
  EXPECT_EXIT(fail(), testing::ExitedWithCode(3),
              "failed: task 'bad', job 0, segment 0: CUDA: its work on the device failed: "
              "cudaErrorIllegalAddress");
}

}  // namespace
}  // namespace tactus::cuda
