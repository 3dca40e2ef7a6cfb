// SM sets without partitions: the loops of kernels keep them on their SMs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "device/cuda/device_run.hpp"
#include "device/cuda/gpu_test.hpp"
#include "device/cuda/test_kernels.hpp"
#include "tactus/device/cuda/preemptible_work.hpp"

namespace tactus::cuda {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

class CudaPinning : public GpuTest {
 protected:
  static CudaOptions pinned() {
    CudaOptions options = plain_options();
    options.sm_sets_by = SmSetsBy::pinning;
    return options;
  }
};

/// Where blocks of a task ran, and how often each, over all its jobs.
struct Blocks {
  explicit Blocks(unsigned grid) : counts{grid}, places{grid}, disagreements{1} {}

  [[nodiscard]] CountedLaunch launch() const {
    CountedLaunch result{.threads = 1024, .stay_ns = 2000, .counts = counts.data()};
    result.sms = places.data();
    result.disagreements = disagreements.data();
    return result;
  }
  [[nodiscard]] std::set<unsigned> sms() const {
    const std::vector<unsigned> all = read_back(places);
    return {all.begin(), all.end()};
  }

  DeviceBuffer<unsigned> counts;
  DeviceBuffer<unsigned> places;
  DeviceBuffer<unsigned> disagreements;
};

/// Every job that was called ran every block once. No job is cut off when the run ends well before the next
/// release.
void expect_each_block_once(const Blocks& blocks, std::uint64_t jobs) {
  std::size_t wrong = 0;
  for (const unsigned count : read_back(blocks.counts)) wrong += count == jobs ? 0 : 1;
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(read_back(blocks.disagreements).front(), 0U);
}

constexpr const char* federated = R"(
platform: {base: h200, cpus: 2}
policy: {strategy: federated, virtual_sms: {lidar: 16, detector: 24}}
tasks:
  - {name: lidar, period: 5ms, segments: [{gpu: {work: 8ms, overhead: 50us, interleave: 1.4}}]}
  - {name: detector, period: 10ms, segments: [{gpu: {work: 12ms, overhead: 50us, interleave: 1.4}}]}
)";

class CudaFederatedLoops : public CudaPinning, public testing::WithParamInterface<bool> {};

TEST_P(CudaFederatedLoops, AKernelHasItsVirtualSms) {
  DeviceRun run{system_from(federated), GetParam() ? pinned() : plain_options()};
  constexpr unsigned grid = 500;
  std::vector<std::unique_ptr<Blocks>> blocks;
  std::vector<unsigned> virtual_sms(2);
  for (std::size_t task = 0; task < 2; ++task) {
    blocks.push_back(std::make_unique<Blocks>(grid));
    run.bindings[task][0] = calls([&, task](Job& job) {
      virtual_sms[task] = job.virtual_sms();
      CountedLaunch launch = blocks[task]->launch();
      launch.blocks = 2 * static_cast<unsigned>(job.sms());
      launch_counted(launch, job.loop(dim3{grid}), job.stream());
    });
  }
  run.run(99ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "horizon");
  EXPECT_EQ(run.completed(0), 20U);
  EXPECT_EQ(run.completed(1), 10U);
  expect_each_block_once(*blocks[0], 20);
  expect_each_block_once(*blocks[1], 10);
  EXPECT_EQ(virtual_sms, (std::vector<unsigned>{2, 2}));
  const std::set<unsigned> lidar = blocks[0]->sms();
  const std::set<unsigned> detector = blocks[1]->sms();
  EXPECT_LE(lidar.size(), 8U);
  EXPECT_LE(detector.size(), 12U);
  EXPECT_GE(lidar.size(), 2U);
  EXPECT_GE(detector.size(), 2U);
  for (const unsigned sm : lidar) EXPECT_EQ(detector.count(sm), 0U) << "SM " << sm << " has two tasks";
}

INSTANTIATE_TEST_SUITE_P(Pinned, CudaFederatedLoops, testing::Bool());

TEST_F(CudaPinning, SetsOfAnySizeKeepTheirLoopsWithoutBeingAsked) {
  DeviceRun run{system_from(R"(
platform: {base: h200, cpus: 2, gpu: {sms: 5, virtual_sms_per_sm: 1}}
policy: {strategy: federated, virtual_sms: {lidar: 3, detector: 1}}
tasks:
  - {name: lidar, period: 5ms, segments: [{gpu: {work: 3ms}}]}
  - {name: detector, period: 10ms, segments: [{gpu: {work: 2ms}}]}
)")};
  constexpr unsigned grid = 60;
  std::vector<std::unique_ptr<Blocks>> blocks;
  for (std::size_t task = 0; task < 2; ++task) {
    blocks.push_back(std::make_unique<Blocks>(grid));
    run.bindings[task][0] = calls([&, task](Job& job) {
      EXPECT_EQ(job.sms(), 6) << "a launch fills the partition around all";
      CountedLaunch launch = blocks[task]->launch();
      launch.blocks = 2 * static_cast<unsigned>(job.sms());
      launch_counted(launch, job.loop(dim3{grid}), job.stream());
    });
  }
  run.run(99ms);
  EXPECT_EQ(run.outcome.failure, "");
  expect_each_block_once(*blocks[0], 20);
  expect_each_block_once(*blocks[1], 10);
  const std::set<unsigned> lidar = blocks[0]->sms();
  const std::set<unsigned> detector = blocks[1]->sms();
  EXPECT_LE(lidar.size(), 3U);
  EXPECT_EQ(detector.size(), 1U);
  for (const unsigned sm : lidar) EXPECT_EQ(detector.count(sm), 0U) << "SM " << sm << " has two tasks";
}

TEST_F(CudaPinning, SmCoresKeepTheirLoops) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {sms: 9}}
policy:
  strategy: sm-cores
  sm_group: 3
  reservations: {period: 2ms, local: {offset: 0ms, budget: 2ms}}
tasks:
  - {name: a, period: 5ms, exclusive: 200us, longest_block: 0, sm: 0}
  - {name: b, period: 5ms, exclusive: 200us, longest_block: 0, sm: 1}
  - {name: c, period: 5ms, exclusive: 200us, longest_block: 0, sm: 2}
)"),
                pinned()};
  constexpr unsigned grid = 200;
  std::vector<std::unique_ptr<Blocks>> blocks;
  for (std::size_t task = 0; task < 3; ++task) {
    blocks.push_back(std::make_unique<Blocks>(grid));
    run.bindings[task][0] = calls([&, task](Job& job) {
      CountedLaunch launch = blocks[task]->launch();
      launch.blocks = 2 * static_cast<unsigned>(job.sms());
      launch_counted(launch, job.loop(dim3{grid}), job.stream());
    });
  }
  run.run(99ms);
  EXPECT_EQ(run.outcome.failure, "");
  std::set<unsigned> taken;
  for (std::size_t task = 0; task < 3; ++task) {
    EXPECT_EQ(run.completed(static_cast<TaskIndex>(task)), 20U);
    expect_each_block_once(*blocks[task], 20);
    const std::set<unsigned> own = blocks[task]->sms();
    EXPECT_LE(own.size(), 3U);
    for (const unsigned sm : own) EXPECT_TRUE(taken.insert(sm).second) << "SM " << sm << " has two tasks";
  }
}

// A kernel of another task is on its SMs. Its own blocks come to others, and leave.
TEST_F(CudaPinning, ALaunchThatFoundItsSmsTakenIsNotRepeatedAllTheTime) {
  System system = system_from(federated);
  system.tasks[1].offset = 500us;  // the other one is there first
  DeviceRun run{system, pinned()};
  SmSet max_sms;  // those of both tasks among them
  for (unsigned sm = 0; sm + 16 < sms; ++sm) max_sms.insert(sm);
  const unsigned places = 2 * sms;
  PreemptibleWork intruder{dim3{places}, {.sms = max_sms}};
  const Blocks intruders{places};
  run.bindings[0][0] = calls([&](Job& job) {
    CountedLaunch launch = intruders.launch();
    launch.blocks = places;
    launch.stay_ns = 1'500'000;
    launch_counted(launch, intruder.begin_launch(), job.stream());
  });
  constexpr unsigned grid = 500;
  const Blocks blocks{grid};
  std::uint64_t launches = 0;
  run.bindings[1][0] = calls([&](Job& job) {
    ++launches;
    CountedLaunch launch = blocks.launch();
    launch.blocks = 2 * static_cast<unsigned>(job.sms());
    launch_counted(launch, job.loop(dim3{grid}), job.stream());
  });
  run.run(99ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_EQ(run.completed(1), 10U);
  expect_each_block_once(blocks, 10);
  EXPECT_GT(launches, 10U);
  // One at once, and then one in 50 us at most.
  std::uint64_t most = 0;
  for (const trace::OperationFinished& one : run.recorder.recording.operations) {
    if (one.job.task == 1) most += 1 + static_cast<std::uint64_t>((one.end - one.called) / 50us);
  }
  EXPECT_LE(launches, most);
}

TEST_F(CudaPinning, BuiltInWorkRunsPinned) {
  DeviceRun run{system_from(federated), pinned()};
  run.run(99ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_EQ(run.completed(0), 20U);
  EXPECT_EQ(run.completed(1), 10U);
}

TEST_F(CudaPinning, AKernelWithoutALoopIsSaidToStray) {
  DeviceRun run{system_from(federated), pinned()};
  const Blocks blocks{8};
  run.bindings[0][0] = calls([&](Job& job) { launch_counted(blocks.launch(), dim3{8}, job.stream()); });
  run.run(20ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_THAT(run.outcome.not_enforced, Contains(HasSubstr("task 'lidar': its kernel takes no loop")));
}

System on_three_sms(const std::string& a) { return beside_load(5, 3, 2, a); }

TEST_F(CudaPinning, ADoorbellTaskStaysOnThreeSms) {
  DeviceRun run{on_three_sms(
      "period: 1ms, dispatch: doorbell, segments: [{cpu: 20us}, {kernel: {grid: 100, block: 1024, "
      "block_time: 50us}}]")};
  const Blocks blocks{100};
  run.bindings[0][1] = calls([&](Job& job) {
    CountedLaunch launch = blocks.launch();
    launch.blocks = 4 * static_cast<unsigned>(job.sms());
    launch_counted(launch, job.loop(), job.stream());
  });
  run.run(200ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "horizon") << run.outcome.failure;
  EXPECT_EQ(run.released(0), 200U);
  EXPECT_GE(run.completed(0) + 2, 200U);
  EXPECT_GT(run.completed(1), 0U);
  expect_each_block_once(blocks, read_back(blocks.counts).front());
  EXPECT_GE(read_back(blocks.counts).front(), run.completed(0));
  EXPECT_EQ(blocks.sms().size(), 3U);
}

TEST_F(CudaPinning, BuiltInWorkStaysOnThreeSms) {
  for (const char* work : {"exclusive: 200us", "kernel: {grid: 6, block: 1024, block_time: 100us}"}) {
    for (const char* dispatch : {"resident", "doorbell"}) {
      SCOPED_TRACE(std::string{work} + ", " + dispatch);
      DeviceRun run{on_three_sms("period: 1ms, dispatch: " + std::string{dispatch} + ", " + work)};
      run.run(100ms);
      EXPECT_EQ(runtime::to_string(run.outcome.ending), "horizon") << run.outcome.failure;
      EXPECT_GE(run.completed(0) + 2, 100U);
      EXPECT_GT(run.completed(1), 0U);
    }
  }
}

TEST_F(CudaPinning, WithoutALoopNothingStaysOnThreeSms) {
  DeviceRun run{on_three_sms("period: 1ms, dispatch: doorbell, exclusive: 200us")};
  const Blocks blocks{8};
  run.bindings[0][0] = calls([&](Job& job) { launch_counted(blocks.launch(), dim3{8}, job.stream()); });
  try {
    run.run(10ms);
    FAIL() << "it was not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(std::string{error.what()}, HasSubstr("its kernels take no loop"));
    EXPECT_THAT(std::string{error.what()}, HasSubstr("a multiple of "));
  }
}

/// Tasks with one, two and two of four parts of an SM: the last has a part of each of two SMs.
System on_parts(const std::string& dispatch) {
  std::string tasks;
  for (const char* name : {"a", "b", "c"}) {
    tasks += "  - {name: " + std::string{name} + ", period: 5ms, dispatch: " + dispatch +
             ", segments: [{gpu: {work: 1ms}}]}\n";
  }
  return system_from(R"(
platform: {base: h200, cpus: 2, gpu: {sms: 8, parts_per_sm: 4, virtual_sms_per_sm: 1, threads_per_sm: 512}}
policy: {strategy: federated, virtual_sms: {a: 1, b: 2, c: 2}}
tasks:
)" + tasks);
}

class CudaParts : public CudaPinning, public testing::WithParamInterface<const char*> {};

TEST_P(CudaParts, TasksShareAnSm) {
  DeviceRun run{on_parts(GetParam())};
  constexpr unsigned grid = 40;
  std::vector<std::unique_ptr<Blocks>> blocks;
  for (std::size_t task = 0; task < 3; ++task) {
    blocks.push_back(std::make_unique<Blocks>(grid));
    run.bindings[task][0] = calls([&, task](Job& job) {
      EXPECT_EQ(job.virtual_sms(), 4U);
      EXPECT_EQ(job.sms(), 2);
      CountedLaunch launch = blocks[task]->launch();
      launch.threads = 2048 / job.virtual_sms();
      launch.stay_ns = 10'000;
      launch.blocks = 4 * job.virtual_sms() * static_cast<unsigned>(job.sms());
      launch_counted(launch, job.loop(dim3{grid}), job.stream());
    });
  }
  run.run(99ms);
  EXPECT_EQ(run.outcome.failure, "");
  std::vector<std::set<unsigned>> sms;
  for (std::size_t task = 0; task < 3; ++task) {
    EXPECT_GE(run.completed(static_cast<TaskIndex>(task)) + 1, 20U);
    expect_each_block_once(*blocks[task], read_back(blocks[task]->counts).front());
    EXPECT_GE(read_back(blocks[task]->counts).front(), run.completed(static_cast<TaskIndex>(task)));
    sms.push_back(blocks[task]->sms());
  }
  EXPECT_EQ(sms[0].size(), 1U);
  EXPECT_EQ(sms[1], sms[0]);
  EXPECT_EQ(sms[2].size(), 2U);
  EXPECT_EQ(sms[2].count(*sms[0].begin()), 1U);
}

// As long as on SMs of their own: a part has room for a block of its size.
TEST_P(CudaParts, BuiltInWorkSharesAnSm) {
  DeviceRun run{on_parts(GetParam())};
  run.run(99ms);
  EXPECT_EQ(run.outcome.failure, "");
  for (TaskIndex task = 0; task < 3; ++task) EXPECT_GE(run.completed(task) + 1, 20U);
  for (const trace::JobEnded& end : run.recorder.recording.ends) {
    if (end.completion == never) continue;
    const Duration work = end.job.task == 0 ? 1ms : 500us;
    EXPECT_GE(end.completion - end.start, work - 50us) << "task " << end.job.task;
    EXPECT_LE(end.completion - end.start, work + 400us) << "task " << end.job.task;
  }
}

INSTANTIATE_TEST_SUITE_P(Dispatches, CudaParts, testing::Values("launch", "doorbell", "resident"));

}  // namespace
}  // namespace tactus::cuda
