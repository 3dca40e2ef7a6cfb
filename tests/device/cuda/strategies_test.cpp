// Every strategy runs a small system on the GPU, with built-in work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <tuple>

#include "device/cuda/device_run.hpp"
#include "device/cuda/gpu_test.hpp"

namespace tactus::cuda {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class CudaStrategies : public GpuTest {};

/// Everything that was released is accounted for, and each operation took at least the time that the model
/// says, from its call to its end.
void expect_complete(const DeviceRun& run, std::uint64_t max_pending) {
  const runtime::Outcome& outcome = run.outcome;
  EXPECT_EQ(runtime::to_string(outcome.ending), "horizon");
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.dropped, 0U);
  EXPECT_EQ(outcome.completed + outcome.pending, outcome.released);
  EXPECT_LE(outcome.pending, max_pending);
  EXPECT_GT(outcome.completed, 0U);
  for (const trace::OperationFinished& operation : run.recorder.recording.operations) {
    EXPECT_LE(operation.called, operation.start);
    EXPECT_LE(operation.start, operation.end);
  }
}

void expect_no_operation_twice(const DeviceRun& run) {
  std::set<std::tuple<TaskIndex, std::uint64_t, std::uint32_t>> seen;
  for (const trace::OperationFinished& operation : run.recorder.recording.operations) {
    EXPECT_TRUE(seen.emplace(operation.job.task, operation.job.number, operation.segment).second)
        << "task " << operation.job.task << ", job " << operation.job.number;
  }
}

/// How long a segment was with the device, over all its parts. From the call on: where an operation waits
/// behind another in its stream, it seems to start when the end of that one was seen, and that may be late.
Duration min_time(const DeviceRun& run, TaskIndex task) {
  std::map<std::uint64_t, Duration> sums;
  for (const trace::OperationFinished& operation : run.recorder.recording.operations) {
    if (operation.job.task == task) sums[operation.job.number] += operation.end - operation.called;
  }
  Duration least = Duration::max();
  for (const trace::JobEnded& end : run.recorder.recording.ends) {
    if (end.job.task == task && end.completion != never) least = std::min(least, sums[end.job.number]);
  }
  return least;
}

/// Frames take longer than their period, so nodes of several jobs are on the GPU at once, each in a stream of
/// its own.
TEST_F(CudaStrategies, Graphs) {
  DeviceRun run{system_from(R"(
platform: {base: h200, cpus: 4}
policy: {strategy: graph, order: fl}
tasks:
  - name: camera
    period: 2ms
    deadline: 1s
    graph:
      nodes:
        up: {copy: 100us}
        left: {kernel: {grid: 64, block: 256, block_time: 1ms}}
        right: {kernel: {grid: 64, block: 256, block_time: 1500us}}
        join: {cpu: 200us}
        last: {kernel: {grid: 32, block: 128, block_time: 500us}}
        down: {copy: 50us}
      edges: [[up, left], [up, right], [left, join], [right, join], [join, last], [last, down]]
  - name: radar
    period: 3ms
    deadline: 1s
    segments: [{cpu: 100us}, {kernel: {grid: 132, block: 512, block_time: 300us}}, {cpu: 100us}]
)")};
  run.run(200ms);
  expect_complete(run, 20);
  expect_no_operation_twice(run);
  EXPECT_EQ(run.released(0), 100U);
  std::map<std::tuple<TaskIndex, std::uint64_t, std::uint32_t>, Time> ends;
  for (const trace::OperationFinished& operation : run.recorder.recording.operations) {
    ends[{operation.job.task, operation.job.number, operation.segment}] = operation.end;
  }
  // The predecessors of `last` and `down` end before them.
  const auto end_of = [&](std::uint64_t job, std::uint32_t segment) {
    const auto found = ends.find({0, job, segment});
    return found == ends.end() ? never : found->second;
  };
  for (std::uint64_t job = 0; job < 80; ++job) {
    EXPECT_LE(std::max(end_of(job, 1), end_of(job, 2)), end_of(job, 4));
    EXPECT_LE(end_of(job, 4), end_of(job, 5));
    EXPECT_NE(end_of(job, 5), never);
  }
}

TEST_F(CudaStrategies, AsSubmitted) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: as-submitted}
tasks:
  - {name: camera, period: 5ms, stream: vision, stream_priority: -2, kernel: {grid: 200, block: 512, block_time: 100us}}
  - {name: lidar, period: 4ms, stream_priority: -1, segments: [{copy: 100us}, {exclusive: 300us}, {copy: 50us}]}
  - {name: log, period: 10ms, stream: vision, stream_priority: -2, kernel: {grid: 64, block: 1024, block_time: 50us, shared_memory: 100KiB}}
)")};
  run.run(200ms);
  expect_complete(run, 6);
  expect_no_operation_twice(run);
  EXPECT_EQ(run.released(0), 40U);
  EXPECT_EQ(run.released(1), 50U);
  EXPECT_EQ(run.released(2), 20U);
  // Half of it: under compute-sanitizer blocks are sized less well.
  EXPECT_GE(min_time(run, 0), 50us);
  EXPECT_GE(min_time(run, 2), 25us);
  EXPECT_FALSE(run.recorder.recording.copies.empty());
  EXPECT_FALSE(run.recorder.recording.blocks.empty());
}

TEST_F(CudaStrategies, SingleStream) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {copy_bandwidth: 50GB/s}}
policy: {strategy: single-stream}
tasks:
  - {name: camera, period: 5ms, exclusive: 500us}
  - {name: lidar, period: 8ms, segments: [{copy: {bytes: 64KiB}}, {kernel: {grid: 264, block: 1024, block_time: 200us}}]}
  - {name: map, period: 20ms, exclusive: 2ms, longest_block: 500us}
)")};
  run.run(200ms);
  expect_complete(run, 6);
  expect_no_operation_twice(run);
  EXPECT_EQ(run.released(0), 40U);
  EXPECT_EQ(run.released(1), 25U);
  EXPECT_EQ(run.released(2), 10U);
  EXPECT_GE(min_time(run, 0), 475us);
  EXPECT_GE(min_time(run, 1), 190us);
  EXPECT_GE(min_time(run, 2), 1800us);
}

TEST_F(CudaStrategies, MultiStreamStopsBestEffortWorkAndContinuesIt) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 3}
tasks:
  - {name: camera, period: 2ms, exclusive: 100us}
  - {name: lidar, period: 7ms, exclusive: 700us, longest_block: 100us}
  - {name: training, arrival: best-effort, exclusive: 10ms, longest_block: 0}
)")};
  run.run(400ms);
  expect_complete(run, 6);
  EXPECT_EQ(run.released(0), 200U);
  EXPECT_GE(run.completed(2), 2U);
  // Its jobs are longer than the distance between releases, so each is stopped again and again.
  EXPECT_GE(run.operations(2), 2 * run.completed(2));
  EXPECT_GE(min_time(run, 2), 9ms);
  EXPECT_THAT(run.outcome.not_enforced, testing::Contains(HasSubstr("yield interval of 20000 ns")));
}

TEST_F(CudaStrategies, PreemptibleWorkIsSubmittedWholeAndStoppedBetweenBlocks) {
  for (const char* policy : {"{strategy: single-stream}", "{strategy: multi-stream, levels: 2}"}) {
    DeviceRun run{system_from(std::string{"platform: h200\npolicy: "} + policy + R"(
tasks:
  - {name: camera, period: 2ms, exclusive: 100us}
  - {name: training, arrival: best-effort, preemptible: true, kernel: {grid: 20000, block: 1024, block_time: 50us}}
)")};
    run.run(200ms);
    expect_complete(run, 3);
    EXPECT_EQ(run.released(0), 100U);
    // 76 waves of 50 us, that is one or two stops a job.
    EXPECT_GE(run.completed(1), 10U);
    EXPECT_GE(run.operations(1), 2 * run.completed(1));
    EXPECT_LE(run.operations(1), 6 * (run.completed(1) + 1));
    EXPECT_GE(min_time(run, 1), 3600us);
  }
}

TEST_F(CudaStrategies, PreemptibleExclusiveWorkStopsAfterASlice) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: camera, period: 5ms, exclusive: 100us}
  - {name: training, arrival: best-effort, preemptible: true, exclusive: 12ms, longest_block: 300us}
)")};
  run.run(200ms);
  expect_complete(run, 3);
  EXPECT_EQ(run.released(0), 40U);
  EXPECT_GE(run.completed(1), 5U);
  EXPECT_GE(run.operations(1), 2 * run.completed(1));
  EXPECT_GE(min_time(run, 1), 11ms);
}

TEST_F(CudaStrategies, MultiStreamRunsBestEffortKernelsInWaves) {
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 2}
tasks:
  - {name: camera, period: 5ms, kernel: {grid: 132, block: 256, block_time: 50us}}
  - {name: training, arrival: best-effort, kernel: {grid: 1000, block: 1024, block_time: 100us}}
)")};
  run.run(200ms);
  expect_complete(run, 4);
  EXPECT_EQ(run.released(0), 40U);
  // 264 blocks are a wave.
  EXPECT_GE(run.operations(1), 4 * run.completed(1));
  EXPECT_LT(run.operations(1), 4 * (run.completed(1) + 1));
  EXPECT_GE(run.completed(1), 10U);
}

TEST_F(CudaStrategies, LongBestEffortCopiesGoInChunks) {
  CudaOptions options = plain_options();
  options.copy_chunk = 100'000;
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {copy_bandwidth: 50GB/s}}
policy: {strategy: multi-stream, levels: 2}
tasks:
  - {name: camera, period: 5ms, segments: [{copy: {bytes: 64KiB}}, {exclusive: 100us}]}
  - {name: upload, arrival: best-effort, segments: [{copy: {bytes: 100MB}}, {copy: {bytes: 3MiB, direction: from-device}}]}
)"),
                options};
  run.run(200ms);
  expect_complete(run, 3);
  expect_no_operation_twice(run);
  EXPECT_EQ(run.released(0), 40U);
  EXPECT_GE(run.completed(1), 2U);
  // No machine copies 500 bytes a nanosecond: all chunks were copied.
  EXPECT_GE(min_time(run, 1), 200us);
}

TEST_F(CudaStrategies, SmCores) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {sms: 16}}
policy:
  strategy: sm-cores
  sm_group: 8
  reservations: {period: 6ms, local: {offset: 0ms, budget: 4ms}, all: {offset: 4ms, budget: 2ms}}
tasks:
  - {name: lidar, period: 12ms, exclusive: 1ms, longest_block: 0, sm: 0}
  - {name: camera, period: 12ms, exclusive: 1ms, longest_block: 200us, sm: 1}
  - {name: radar, period: 24ms, segments: [{copy: 50us}, {kernel: {grid: 64, block: 1024, block_time: 100us}}], sm: 1}
  - {name: fusion, period: 24ms, exclusive: 1ms, longest_block: 0, sm: all}
)")};
  run.run(240ms);
  expect_complete(run, 4);
  EXPECT_EQ(run.released(0), 20U);
  EXPECT_EQ(run.released(1), 20U);
  EXPECT_EQ(run.released(2), 10U);
  EXPECT_EQ(run.released(3), 10U);
  EXPECT_GE(min_time(run, 0), 900us);
  EXPECT_GE(min_time(run, 1), 900us);
  EXPECT_GE(min_time(run, 3), 900us);
  // Four slices or waves of each.
  EXPECT_EQ(run.operations(1), 5 * run.completed(1));
  EXPECT_EQ(run.operations(2), (1 + 4) * run.completed(2));
}

TEST_F(CudaStrategies, Federated) {
  DeviceRun run{system_from(R"(
platform: {base: h200, cpus: 2, gpu: {copy_bandwidth: 50GB/s}}
policy: {strategy: federated, virtual_sms: {lidar: 16, detector: 32}}
tasks:
  - {name: control, period: 5ms, segments: [{cpu: 100us}]}
  - name: lidar
    period: 10ms
    segments: [{cpu: 100us}, {copy: 100us}, {gpu: {work: 8ms, overhead: 50us, interleave: 1.4}}, {copy: 50us}, {cpu: 50us}]
  - name: detector
    core: 1
    period: 20ms
    segments: [{cpu: 200us}, {copy: {bytes: 256KiB}}, {gpu: {work: 32ms, overhead: 50us, interleave: 1.5}}, {copy: 50us}]
)")};
  run.run(200ms);
  expect_complete(run, 4);
  expect_no_operation_twice(run);
  EXPECT_EQ(run.released(0), 40U);
  EXPECT_EQ(run.released(1), 20U);
  EXPECT_EQ(run.released(2), 10U);
  EXPECT_FALSE(run.recorder.recording.cpus.empty());
  EXPECT_EQ(run.operations(1), 5 * run.completed(1));
}

TEST_F(CudaStrategies, FederatedCopiesInPieces) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {copy_bandwidth: 50GB/s, copy_chunk: 1MiB}}
policy: {strategy: federated, virtual_sms: {camera: 16}}
tasks:
  - {name: camera, period: 5ms, segments: [{copy: {bytes: 2500KiB}}, {gpu: {work: 800us}}, {copy: 50us}]}
  - {name: upload, arrival: best-effort, segments: [{copy: {bytes: 64MiB}}]}
)")};
  run.run(200ms);
  expect_complete(run, 4);
  EXPECT_EQ(run.released(0), 40U);
  EXPECT_EQ(run.operations(0), (3 + 2) * run.completed(0));
  EXPECT_GE(run.completed(1), 2U);
  EXPECT_GE(run.operations(1), 64 * run.completed(1));
}

TEST_F(CudaStrategies, EveryBuiltInKernel) {
  for (const BuiltinKernel kernel : builtin_kernels) {
    CudaOptions options = plain_options();
    options.kernel = kernel;
    DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 2}
tasks:
  - {name: camera, period: 5ms, kernel: {grid: 132, block: 256, block_time: 100us}}
  - {name: training, arrival: best-effort, exclusive: 3ms, longest_block: 0}
)"),
                  options};
    run.run(50ms);
    expect_complete(run, 3);
    EXPECT_EQ(run.released(0), 10U) << name_of(kernel);
    EXPECT_GE(run.completed(1), 1U) << name_of(kernel);
  }
}

TEST_F(CudaStrategies, OpensAndClosesManyTimes) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {sms: 32}}
policy: {strategy: multi-stream, levels: 2}
tasks:
  - {name: camera, period: 1ms, exclusive: 100us}
  - {name: training, arrival: best-effort, exclusive: 20ms, longest_block: 0}
)")};
  for (int i = 0; i < 20; ++i) {
    run.run(5ms);
    ASSERT_EQ(run.outcome.failure, "");
    ASSERT_EQ(runtime::to_string(run.outcome.ending), "horizon");
    run.device->close();
  }
  EXPECT_EQ(run.released(0), 20U * 5U);
}

TEST_F(CudaStrategies, MoreSmsThanTheDeviceHasAreRefusedWithBothNumbers) {
  System system = system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks: [{name: camera, period: 1ms, exclusive: 100us}]
)");
  system.platform.gpu.sms = static_cast<std::int32_t>(sms) + 1;
  DeviceRun run{system};
  try {
    run.run(5ms);
    FAIL() << "it was not refused";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(sms + 1)));
    EXPECT_THAT(error.what(), HasSubstr("only " + std::to_string(sms)));
  }
}

TEST_F(CudaStrategies, AWaitEndsWhenItIsWoken) {
  const System system = system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks: [{name: camera, period: 1ms, exclusive: 100us}]
)");
  const sched::Draws draws{system, 1, Execution::worst};
  const std::unique_ptr<device::Device> device = cuda_device(plain_options());
  device::Setup setup{
      .system = system, .draws = draws, .sm_sets = {{}}, .streams = {}, .lanes = {}, .cpu_lanes = {}};
  for (std::int32_t sm = 0; sm < static_cast<std::int32_t>(sms); ++sm) setup.sm_sets[0].push_back(sm);
  setup.lanes = {{.stream = 0}};
  setup.streams = 1;
  setup.max_pending = 4;
  device->open(setup);
  std::thread waker{[&] {
    std::this_thread::sleep_for(20ms);
    device->wake();
  }};
  device->wait(never);  // for ever, if it is not woken
  waker.join();
  EXPECT_GE(device->now(), time_at(Duration{}));
  device->wake();
  device->wait(never);
  device->close();
  device->close();
}

}  // namespace
}  // namespace tactus::cuda
