// Copies that are bound as such: in chunks where something more urgent may come, and all of them arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "device/cuda/device_run.hpp"
#include "device/cuda/gpu_test.hpp"
#include "device/cuda/test_kernels.hpp"

namespace tactus::cuda {
namespace {

using namespace std::chrono_literals;

class CudaBoundCopy : public GpuTest {};

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

device::Binding copy_of(void* to, const void* from, std::size_t bytes) {
  return device::bind_copy([=](const tactus::Job&) { return MemoryCopy{to, from, bytes}; });
}

void fill(const PinnedBuffer<unsigned>& buffer, unsigned first) {
  for (std::size_t i = 0; i < buffer.size(); ++i)
    buffer.data()[i] = first + static_cast<unsigned>(i) * 2654435761U;
}

/// Operations of one task that began and ended while one of another was running.
std::size_t operations_within(const DeviceRun& run, TaskIndex inner, TaskIndex outer,
                              std::uint32_t outer_segment) {
  std::size_t count = 0;
  for (const trace::OperationFinished& around : run.recorder.recording.operations) {
    if (around.job.task != outer || around.segment != outer_segment) continue;
    for (const trace::OperationFinished& one : run.recorder.recording.operations) {
      if (one.job.task == inner && one.called > around.start && one.end < around.end) ++count;
    }
  }
  return count;
}

System camera_and_map() {
  return system_from(R"(
platform: h200
policy: {strategy: multi-stream, levels: 2}
tasks:
  - {name: camera, period: 1ms, segments: [{copy: 50us}, {exclusive: 50us}]}
  - {name: map, period: 40ms, segments: [{copy: 10ms}, {kernel: {grid: 8, block: 128, block_time: 10us}}, {copy: 10ms}]}
)");
}

TEST_F(CudaBoundCopy, AnUrgentCopyNeedNotWaitForALongOne) {
  DeviceRun run{camera_and_map()};
  constexpr std::size_t count = 64 * mebibyte;  // 256 MiB: about 5 ms
  const PinnedBuffer<unsigned> out{count};
  const PinnedBuffer<unsigned> back{count};
  const DeviceBuffer<unsigned> there{count};
  const PinnedBuffer<unsigned> frame{mebibyte / 16};
  const DeviceBuffer<unsigned> frame_there{mebibyte / 16};
  const DeviceBuffer<unsigned> disagreements{1};
  fill(out, 1);
  constexpr std::size_t bytes = count * sizeof(unsigned);
  run.bindings[0][0] = copy_of(frame_there.data(), frame.data(), frame.size() * sizeof(unsigned));
  run.bindings[1][0] = copy_of(there.data(), out.data(), bytes);
  run.bindings[1][1] = calls([&](Job& job) {
    CountedLaunch launch{.counts = there.data() + (count - 8)};
    launch.disagreements = disagreements.data();
    launch_counted(launch, dim3{static_cast<unsigned>(job.blocks())}, job.stream());
  });
  run.bindings[1][2] = copy_of(back.data(), there.data(), bytes);
  run.run(160ms);
  EXPECT_EQ(run.outcome.failure, "");
  EXPECT_GE(run.completed(1), 2U);
  EXPECT_GE(run.completed(0), 100U);
  // The kernel behind the copy found all of it, the last chunk included; the copy back came behind the
  // kernel.
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (back.data()[i] != out.data()[i] + (i + 8 >= count ? 1 : 0)) ++wrong;
  }
  EXPECT_EQ(wrong, 0U);
  // A copy in one piece would let none pass: both need the engine that copies to the device.
  EXPECT_GE(operations_within(run, 0, 1, 0), 2U);
}

TEST_F(CudaBoundCopy, BuffersMayChangeFromJobToJob) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {copy_bandwidth: 50GB/s}}
policy: {strategy: as-submitted}
tasks: [{name: camera, period: 2ms, segments: [{copy: 50us}, {copy: {bytes: 4KiB, direction: from-device}}]}]
)")};
  constexpr std::size_t words = 1024;
  constexpr std::size_t jobs = 16;
  const PinnedBuffer<unsigned> out{words * jobs};
  const PinnedBuffer<unsigned> back{words * jobs};
  const DeviceBuffer<unsigned> there{words};
  fill(out, 5);
  const auto place = [](const PinnedBuffer<unsigned>& buffer, const tactus::Job& job) {
    return buffer.data() + (job.number() % jobs) * words;
  };
  run.bindings[0][0] = device::bind_copy([&](const tactus::Job& job) {
    return MemoryCopy{there.data(), place(out, job), words * sizeof(unsigned)};
  });
  run.bindings[0][1] = device::bind_copy([&](const tactus::Job& job) {
    return MemoryCopy{place(back, job), there.data(), words * sizeof(unsigned)};
  });
  run.run(50ms);
  EXPECT_EQ(run.outcome.failure, "");
  ASSERT_GE(run.completed(0), jobs);
  EXPECT_EQ(std::memcmp(out.data(), back.data(), words * jobs * sizeof(unsigned)), 0);
}

TEST_F(CudaBoundCopy, ABestEffortCopyGoesInSlicesAndArrives) {
  CudaOptions options = plain_options();
  options.copy_chunk = 1 << 18;
  constexpr std::size_t count = 64 * mebibyte;  // takes longer than a period of the camera
  const PinnedBuffer<unsigned> out{count};
  const DeviceBuffer<unsigned> there{count};
  // Work that is preemptible anywhere is also stopped within a slice.
  for (const std::string longest_block : {"", "longest_block: 0, "}) {
    DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: camera, period: 1ms, exclusive: 50us}
  - {name: upload, arrival: best-effort, )" +
                              longest_block + "segments: [{copy: 5ms}, {exclusive: 100us}]}\n"),
                  options};
    fill(out, static_cast<unsigned>(longest_block.size()));
    run.bindings[1][0] = copy_of(there.data(), out.data(), count * sizeof(unsigned));
    run.run(100ms);
    EXPECT_EQ(run.outcome.failure, "");
    EXPECT_GE(run.completed(0), 95U);
    EXPECT_GE(run.completed(1), 2U);
    EXPECT_GE(run.operations(1), 10 * run.completed(1));
    const std::vector<unsigned> arrived = read_back(there);
    EXPECT_EQ(std::memcmp(out.data(), arrived.data(), count * sizeof(unsigned)), 0);
  }
}

TEST_F(CudaBoundCopy, AJobIsAskedOnceHoweverManySlicesItsCopyHas) {
  CudaOptions options = plain_options();
  options.copy_chunk = 1 << 18;
  constexpr std::size_t words = 16 * mebibyte;
  const PinnedBuffer<unsigned> out{words};
  const DeviceBuffer<unsigned> one{words};
  const DeviceBuffer<unsigned> other{words};
  fill(out, 3);
  DeviceRun run{system_from(R"(
platform: h200
policy: {strategy: single-stream}
tasks:
  - {name: camera, period: 1ms, exclusive: 50us}
  - {name: upload, arrival: best-effort, segments: [{copy: 2ms}, {exclusive: 100us}]}
)"),
                options};
  std::uint64_t asked = 0;
  // Whoever asks again gets another place, where the rest would be missed.
  run.bindings[1][0] = device::bind_copy([&](const tactus::Job&) {
    return MemoryCopy{(asked++ % 2 == 0 ? one : other).data(), out.data(), words * sizeof(unsigned)};
  });
  run.run(100ms);
  EXPECT_EQ(run.outcome.failure, "");
  ASSERT_GE(run.completed(1), 3U);
  EXPECT_GE(run.operations(1), 10 * run.completed(1));
  EXPECT_LE(asked, run.released(1));
  for (const DeviceBuffer<unsigned>* place : {&one, &other}) {
    const std::vector<unsigned> arrived = read_back(*place);
    EXPECT_EQ(std::memcmp(out.data(), arrived.data(), words * sizeof(unsigned)), 0);
  }
}

TEST_F(CudaBoundCopy, MoreThanTheSegmentHasFailsTheJob) {
  DeviceRun run{system_from(R"(
platform: {base: h200, gpu: {copy_bandwidth: 50GB/s}}
policy: {strategy: as-submitted}
tasks: [{name: camera, period: 2ms, segments: [{copy: {bytes: 4KiB}}, {exclusive: 10us}]}]
)")};
  const PinnedBuffer<unsigned> out{2048};
  const DeviceBuffer<unsigned> there{2048};
  fill(out, 9);
  check(cudaMemset(there.data(), 0, 2048 * sizeof(unsigned)), "cannot clear");
  run.bindings[0][0] = device::bind_copy([&](const tactus::Job& job) {
    return MemoryCopy{there.data(), out.data(), job.number() == 2 ? 4097U : 4096U};
  });
  run.run(20ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "failed");
  EXPECT_EQ(run.outcome.failure,
            "task 'camera', job 2, segment 0: its copy has 4096 bytes, but the bound function asks for 4097");
  const std::vector<unsigned> arrived = read_back(there);
  EXPECT_EQ(std::memcmp(out.data(), arrived.data(), 4096), 0);
  EXPECT_EQ(arrived[1024], 0U);
}

TEST_F(CudaBoundCopy, ANullPointerNamesTheTask) {
  DeviceRun run{camera_and_map()};
  const PinnedBuffer<unsigned> out{4};
  run.bindings[1][0] = copy_of(nullptr, out.data(), 16);
  run.run(60ms);
  EXPECT_EQ(runtime::to_string(run.outcome.ending), "failed");
  EXPECT_THAT(run.outcome.failure,
              testing::StartsWith(
                  "task 'map', job 0, segment 0: the bound function answers a copy without a destination"));
}

}  // namespace
}  // namespace tactus::cuda
