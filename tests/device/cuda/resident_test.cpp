// Work that stays on its SMs: jobs that the device releases, and jobs that a word in memory starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "device/cuda/device_run.hpp"
#include "device/cuda/gpu_test.hpp"
#include "device/cuda/test_kernels.hpp"

namespace tactus::cuda {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class CudaResident : public GpuTest {};

System system_of(const std::string& a) { return beside_load(64, 16, 32, a); }

void expect_all_jobs(const DeviceRun& run, std::uint64_t released) {
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "horizon") << run.outcome.failure;
  EXPECT_EQ(run.released(0), released);
  EXPECT_GE(run.completed(0) + 1, released);
  EXPECT_EQ(run.outcome.dropped, 0U);
  std::uint64_t number = 0;
  for (const trace::JobEnded& end : run.recorder.recording.ends) {
    if (end.job.task != 0) continue;
    EXPECT_EQ(end.job.number, number++);
    if (end.completion == never) continue;
    // The device's clock steps by 32 ns, and is compared with the host's anew between release and start.
    EXPECT_GE(end.start + 100ns, end.release);
    EXPECT_GE(end.completion, end.start);
  }
}

TEST_F(CudaResident, BuiltInKernelsAreReleasedByTheDevice) {
  DeviceRun run{
      system_of("period: 1ms, dispatch: resident, kernel: {grid: 32, block: 1024, block_time: 50us}")};
  run.run(300ms);
  expect_all_jobs(run, 300);
  for (const trace::JobEnded& end : run.recorder.recording.ends) {
    if (end.job.task != 0 || end.completion == never) continue;
    EXPECT_GE(end.completion - end.start, 45us);
  }
  EXPECT_GT(run.completed(1), 0U);
}

/// Nothing else wakes the engine: some ends are heard only when the run is over.
TEST_F(CudaResident, ATaskAlone) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {sms: 64, virtual_sms_per_sm: 1}}
policy: {strategy: federated, virtual_sms: {a: 16}}
tasks:
  - {name: a, period: 1ms, dispatch: resident, kernel: {grid: 32, block: 1024, block_time: 50us}}
)")};
  run.run(305ms);
  expect_all_jobs(run, 305);
  EXPECT_EQ(run.outcome.misses, 0U);
}

TEST_F(CudaResident, ABadAccessOfATaskAloneIsFoundBeforeTheWatchdogEndsTheRun) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fail = [] {
    DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {sms: 64, virtual_sms_per_sm: 1}}
policy: {strategy: federated, virtual_sms: {a: 16}}
tasks:
  - {name: a, period: 2ms, dispatch: resident, exclusive: 100us}
)")};
    run.bindings[0][0] = calls([](Job& job) { launch_bad_access(job.stream()); });
    run.run(2s);
    std::fprintf(stderr, "%s: %s\n", std::string{runtime::to_string(run.outcome.ending)}.c_str(),
                 run.outcome.failure.c_str());
    std::_Exit(3);
  };
  EXPECT_EXIT(fail(), testing::ExitedWithCode(3), "failed: task 'a', .*cudaErrorIllegalAddress");
}

TEST_F(CudaResident, ExclusiveWorkAndAnOffset) {
  DeviceRun run{system_of("period: 2ms, offset: 500us, dispatch: resident, exclusive: 200us")};
  run.run(200ms);
  expect_all_jobs(run, 100);
}

/// What the blocks of a resident task leave behind.
struct Marks {
  explicit Marks(std::size_t blocks) : counts{blocks}, places{blocks}, disagreements{1} {}
  [[nodiscard]] CountedLaunch launch(unsigned blocks) const {
    CountedLaunch result;
    result.blocks = blocks;
    result.counts = counts.data();
    result.sms = places.data();
    result.disagreements = disagreements.data();
    return result;
  }
  DeviceBuffer<unsigned> counts;
  DeviceBuffer<unsigned> places;
  DeviceBuffer<unsigned> disagreements;
};

/// Every block ran once in each job: those that are told as done, and perhaps one more before the stop.
void expect_every_block_in_every_job(const DeviceRun& run, const Marks& marks) {
  const std::vector<unsigned> counts = read_back(marks.counts);
  for (const unsigned count : counts) EXPECT_EQ(count, counts.front());
  EXPECT_GE(counts.front(), run.completed(0));
  EXPECT_EQ(read_back(marks.disagreements).front(), 0U);
  const std::vector<unsigned> places = read_back(marks.places);
  EXPECT_LE(std::set<unsigned>(places.begin(), places.end()).size(), 16U);
}

TEST_F(CudaResident, AKernelWithALoopStaysAsItIs) {
  DeviceRun run{
      system_of("period: 1ms, dispatch: resident, kernel: {grid: 100, block: 128, block_time: 50us}")};
  const Marks marks{100};
  run.bindings[0][0] = calls([&](Job& job) {
    launch_counted(marks.launch(static_cast<unsigned>(job.sms())), job.loop(), job.stream());
  });
  run.run(200ms);
  expect_all_jobs(run, 200);
  expect_every_block_in_every_job(run, marks);
}

TEST_F(CudaResident, OtherKernelsAreRepeatedInAGraph) {
  DeviceRun run{system_of("period: 1ms, dispatch: resident, exclusive: 300us")};
  const Marks marks{500};
  const DeviceBuffer<unsigned> from{1024};
  const DeviceBuffer<unsigned> to{1024};
  run.bindings[0][0] = calls([&](Job& job) {
    CountedLaunch launch = marks.launch(500);
    launch.stay_ns = 1000;
    launch_counted(launch, dim3{500}, job.stream());
    check(cudaMemcpyAsync(to.data(), from.data(), 4096, cudaMemcpyDeviceToDevice, job.stream()), "copy");
    check(cudaMemsetAsync(from.data(), 0, 4096, job.stream()), "memset");
  });
  run.run(200ms);
  expect_all_jobs(run, 200);
  expect_every_block_in_every_job(run, marks);
}

TEST_F(CudaResident, ADoorbellStartsJobsOfTheScheduler) {
  DeviceRun run{
      system_of("period: 1ms, dispatch: doorbell, segments: [{cpu: 20us}, {kernel: {grid: 100, block: 128, "
                "block_time: 50us}}, {copy: 20us}]")};
  const Marks marks{100};
  run.bindings[0][1] = calls([&](Job& job) {
    launch_counted(marks.launch(static_cast<unsigned>(job.sms())), job.loop(), job.stream());
  });
  run.run(200ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "horizon") << run.outcome.failure;
  EXPECT_EQ(run.released(0), 200U);
  EXPECT_GE(run.completed(0) + 2, 200U);
  expect_every_block_in_every_job(run, marks);
}

TEST_F(CudaResident, ADoorbellStartsCapturedWork) {
  DeviceRun run{system_of("period: 1ms, dispatch: doorbell, exclusive: 100us")};
  const Marks marks{64};
  run.bindings[0][0] = calls([&](Job& job) { launch_counted(marks.launch(64), dim3{64}, job.stream()); });
  run.run(200ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "horizon") << run.outcome.failure;
  EXPECT_GE(run.completed(0) + 2, 200U);
  expect_every_block_in_every_job(run, marks);
}

TEST_F(CudaResident, EverySegmentOfAChainIsRungInTurn) {
  DeviceRun run{system_of(
      "period: 2ms, dispatch: doorbell, segments: [{exclusive: 100us}, {cpu: 20us}, {exclusive: 400us}]")};
  run.run(200ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "horizon") << run.outcome.failure;
  EXPECT_GE(run.completed(0) + 1, 100U);
  for (const trace::JobEnded& end : run.recorder.recording.ends) {
    if (end.job.task != 0 || end.completion == never) continue;
    EXPECT_GE(end.completion - end.release, 500us);
  }
}

TEST_F(CudaResident, FunctionsOfSegmentsAreBranchesOfOneLoop) {
  DeviceRun run{
      system_of("period: 2ms, dispatch: doorbell, segments: [{exclusive: 100us}, {exclusive: 50us}, "
                "{exclusive: 100us}]")};
  const Marks first{64};
  const Marks last{16};
  run.bindings[0][0] = calls([&](Job& job) { launch_counted(first.launch(64), dim3{64}, job.stream()); });
  run.bindings[0][2] = calls([&](Job& job) {
    launch_counted(last.launch(16), dim3{16}, job.stream());
    launch_counted(last.launch(16), dim3{16}, job.stream());
  });
  run.run(200ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "horizon") << run.outcome.failure;
  EXPECT_GE(run.completed(0) + 1, 100U);
  expect_every_block_in_every_job(run, first);
  const unsigned twice = read_back(last.counts).front();
  EXPECT_GE(twice, 2 * run.completed(0));
  EXPECT_EQ(read_back(last.counts), std::vector<unsigned>(16, twice));
}

TEST_F(CudaResident, ABadAccessOfARungJobIsReportedWithItsTask) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fail = [] {
    DeviceRun run{system_of("period: 2ms, dispatch: doorbell, exclusive: 100us")};
    run.bindings[0][0] = calls([](Job& job) { launch_bad_access(job.stream()); });
    run.run(200ms);
    std::fprintf(stderr, "%s: %s\n", std::string{runtime::to_string(run.outcome.ending)}.c_str(),
                 run.outcome.failure.c_str());
    std::_Exit(3);
  };
  EXPECT_EXIT(fail(), testing::ExitedWithCode(3),
              "failed: task '.*', job 0, segment 0: CUDA: its work on the device failed: "
              "cudaErrorIllegalAddress");
}

TEST_F(CudaResident, ABadAccessOfAResidentJobEndsTheRunAndNamesItsTask) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fail = [] {
    DeviceRun run{system_of("period: 2ms, dispatch: resident, exclusive: 100us")};
    run.bindings[0][0] = calls([](Job& job) { launch_bad_access(job.stream()); });
    run.run(2s);
    std::fprintf(stderr, "%s: %s\n", std::string{runtime::to_string(run.outcome.ending)}.c_str(),
                 run.outcome.failure.c_str());
    std::_Exit(3);
  };
  EXPECT_EXIT(fail(), testing::ExitedWithCode(3),
              "failed: task '.*', job 0, segment 0: CUDA: its work on the device failed: "
              "cudaErrorIllegalAddress");
}

TEST_F(CudaResident, ALoopInOneOfSeveralSegmentsIsRefused) {
  DeviceRun run{
      system_of("period: 2ms, dispatch: doorbell, segments: [{exclusive: 100us}, {exclusive: 50us}]")};
  const Marks marks{100};
  run.bindings[0][0] = calls([&](Job& job) {
    launch_counted(marks.launch(static_cast<unsigned>(job.sms())), job.loop(), job.stream());
  });
  EXPECT_THROW(run.run(10ms), InputError);
}

/// A job that is too long delays the task's own next job, and after a miss that one is skipped if asked.
TEST_F(CudaResident, AnOverrunDelaysTheNextJob) {
  DeviceRun run{system_of("period: 1ms, dispatch: resident, on_miss: skip-next, exclusive: 300us")};
  const Marks marks{16};
  run.bindings[0][0] = calls([&](Job& job) {
    CountedLaunch launch = marks.launch(16);
    launch.stay_ns = 1'300'000;
    launch_counted(launch, job.loop(dim3{16}), job.stream());
  });
  run.run(100ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "horizon") << run.outcome.failure;
  EXPECT_GT(run.outcome.tasks[0].skipped, 40U);
  EXPECT_GT(run.outcome.tasks[0].misses, 40U);
}

TEST_F(CudaResident, AllocationsAreRefusedWithTheTask) {
  DeviceRun run{system_of("period: 1ms, dispatch: resident, exclusive: 300us")};
  run.bindings[0][0] = calls([&](Job& job) {
    void* memory = nullptr;
    check(cudaMallocAsync(&memory, 1024, job.stream()), "allocate");
    check(cudaFreeAsync(memory, job.stream()), "free");
  });
  try {
    run.run(10ms);
    FAIL() << "it was not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(std::string{error.what()}, HasSubstr("task 'a'"));
    EXPECT_THAT(std::string{error.what()}, HasSubstr("allocates"));
  }
}

TEST_F(CudaResident, ALaunchThatDoesNotFitIsRefused) {
  DeviceRun run{system_of("period: 1ms, dispatch: resident, exclusive: 300us")};
  const Marks marks{1};
  run.bindings[0][0] = calls([&](Job& job) {
    CountedLaunch launch = marks.launch(16 * 1024);
    launch.threads = 1024;
    launch_counted(launch, job.loop(dim3{1}), job.stream());
  });
  EXPECT_THROW(run.run(10ms), FailureError);
}

TEST_F(CudaResident, AStopEndsTheRun) {
  DeviceRun run{
      system_of("period: 1ms, dispatch: resident, on_miss: stop, deadline: 100us, exclusive: 90us")};
  const Marks marks{16};
  run.bindings[0][0] = calls([&](Job& job) {
    CountedLaunch launch = marks.launch(16);
    launch.stay_ns = 200'000;
    launch_counted(launch, job.loop(dim3{16}), job.stream());
  });
  run.run(20s);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "miss");
}

}  // namespace
}  // namespace tactus::cuda
