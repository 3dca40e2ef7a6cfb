#include "tactus/device/cuda/preemptible_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "device/cuda/gpu_test.hpp"
#include "device/cuda/test_kernels.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::cuda {
namespace {

/// Without sleeping, which may take much longer.
void wait(std::chrono::microseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

class CudaPreemptibleWork : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    stream = make_stream();
    urgent = make_stream(stream_priorities().most_urgent);
  }

  /// Runs jobs that are stopped at random moments and continued. Returns how many launches were stopped.
  int run_jobs(PreemptibleWork& work, CountedLaunch launch) {
    const DeviceBuffer<unsigned> counts{work.blocks()};
    const DeviceBuffer<unsigned> disagreements{1};
    launch.counts = counts.data();
    launch.disagreements = disagreements.data();
    int stopped = 0;
    for (int job = 1; job <= jobs; ++job) {
      int launches = 0;
      std::uint64_t before = 0;
      do {
        launch_counted(launch, work.begin_launch(), stream.get());
        // Now and then without a stop, so that every job ends.
        if (++launches % 8 != 0) {
          wait(std::chrono::microseconds{random() % 60});
          work.request_stop(urgent.get());
        }
        stream.synchronize();
        EXPECT_TRUE(work.launch_ended());
        EXPECT_GE(work.done(), before);
        before = work.done();
      } while (!work.finished());
      stopped += launches - 1;
      const std::vector<unsigned> seen = read_back(counts);
      EXPECT_TRUE(
          std::all_of(seen.begin(), seen.end(), [&](unsigned n) { return n == static_cast<unsigned>(job); }))
          << "job " << job;
    }
    urgent.synchronize();
    EXPECT_EQ(read_back(disagreements).front(), 0U);
    return stopped;
  }

  int jobs = jobs_to_run(40);
  Stream stream;
  Stream urgent;
  std::mt19937 random{1};
};

TEST_F(CudaPreemptibleWork, EveryBlockRunsExactlyOnceHoweverOftenItIsStopped) {
  for (const StopBy stop_by : {StopBy::copy, StopBy::write_value}) {
    PreemptibleWork work{dim3{3000}, {}, stop_by};
    EXPECT_GT(run_jobs(work, {.blocks = 2 * sms, .threads = 1024, .stay_ns = 20'000}), jobs);
  }
}

TEST_F(CudaPreemptibleWork, LaunchesMayHaveMoreOrFewerBlocksThanTheWork) {
  PreemptibleWork work{dim3{100}};
  run_jobs(work, {.blocks = 2 * sms, .threads = 512, .stay_ns = 5000});
  run_jobs(work, {.blocks = 3, .threads = 512, .stay_ns = 1000});
  run_jobs(work, {.blocks = 20 * sms, .threads = 1024, .stay_ns = 1000});
}

TEST_F(CudaPreemptibleWork, ALaunchAsLargeAsTheWorkRunsEveryBlockOnce) {
  PreemptibleWork work{dim3{6000}};
  EXPECT_GT(run_jobs(work, {.blocks = 6000, .threads = 1024, .stay_ns = 20'000}), jobs);
}

TEST_F(CudaPreemptibleWork, VirtualSmsShareTheWorkCompletely) {
  Placement placement;
  placement.virtual_sms = 2;
  PreemptibleWork work{dim3{3001}, placement};
  EXPECT_GT(run_jobs(work, {.blocks = 2 * sms, .threads = 1024, .stay_ns = 20'000}), jobs);
}

TEST_F(CudaPreemptibleWork, AStopThatComesTooLateDoesNotStopTheNextLaunch) {
  PreemptibleWork work{dim3{50}};
  const DeviceBuffer<unsigned> counts{50};
  const CountedLaunch launch{.blocks = sms, .counts = counts.data()};
  for (unsigned job = 1; job <= 50; ++job) {
    launch_counted(launch, work.begin_launch(), stream.get());
    stream.synchronize();
    ASSERT_TRUE(work.finished());
    work.request_stop(urgent.get());
    urgent.synchronize();
  }
  EXPECT_EQ(read_back(counts), std::vector<unsigned>(50, 50U));
}

TEST_F(CudaPreemptibleWork, AStopBeforeTheLaunchLeavesAllBlocks) {
  PreemptibleWork work{dim3{50}};
  const DeviceBuffer<unsigned> counts{50};
  const CountedLaunch launch{.blocks = sms, .counts = counts.data()};
  const BlockLoop loop = work.begin_launch();
  work.request_stop(urgent.get());
  urgent.synchronize();
  launch_counted(launch, loop, stream.get());
  stream.synchronize();
  EXPECT_TRUE(work.launch_ended());
  EXPECT_EQ(work.done(), 0U);
  EXPECT_EQ(read_back(counts), std::vector<unsigned>(50, 0U));
  launch_counted(launch, work.begin_launch(), stream.get());
  stream.synchronize();
  EXPECT_TRUE(work.finished());
  EXPECT_EQ(read_back(counts), std::vector<unsigned>(50, 1U));
}

TEST_F(CudaPreemptibleWork, AnAbandonedJobBeginsAnew) {
  constexpr unsigned blocks = 5000;
  PreemptibleWork work{dim3{blocks}};
  const DeviceBuffer<unsigned> counts{blocks};
  const CountedLaunch launch{.blocks = 2 * sms, .threads = 1024, .stay_ns = 500'000, .counts = counts.data()};
  launch_counted(launch, work.begin_launch(), stream.get());
  wait(std::chrono::microseconds{60});
  work.request_stop(urgent.get());
  stream.synchronize();
  const std::uint64_t done = work.done();
  ASSERT_LT(done, blocks);
  work.abandon(stream.get());
  const CountedLaunch fast{.blocks = 2 * sms, .threads = 1024, .counts = counts.data()};
  launch_counted(fast, work.begin_launch(), stream.get());
  stream.synchronize();
  EXPECT_TRUE(work.finished());
  const std::vector<unsigned> seen = read_back(counts);
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(seen.begin(), seen.end(), 2U)), done);
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(seen.begin(), seen.end(), 1U)), blocks - done);
}

TEST_F(CudaPreemptibleWork, BlocksHaveTheIndicesOfAPlainGrid) {
  for (const dim3 grid : {dim3{7, 5, 3}, dim3{1, 9, 2}, dim3{400}, dim3{1, 1, 6}}) {
    const DeviceBuffer<unsigned long long> plain{4};
    launch_sum_of_indices(grid, plain.data(), stream.get());
    const DeviceBuffer<unsigned long long> taken{4};
    PreemptibleWork work{grid};
    launch_sum_of_indices(4, work.begin_launch(), taken.data(), stream.get());
    stream.synchronize();
    EXPECT_EQ(read_back(taken), read_back(plain)) << grid.x << " x " << grid.y << " x " << grid.z;
  }
}

TEST_F(CudaPreemptibleWork, PinnedBlocksRunOnChosenSmsOnly) {
  for (const unsigned virtual_sms : {0U, 2U}) {
    Placement placement;
    placement.sms = sm_set_of({1, 2, 5});
    placement.virtual_sms = virtual_sms;
    PreemptibleWork work{dim3{600}, placement};
    const DeviceBuffer<unsigned> counts{600};
    const DeviceBuffer<unsigned> places{600};
    CountedLaunch launch{.blocks = 2 * sms, .threads = 1024, .stay_ns = 1000, .counts = counts.data()};
    launch.sms = places.data();
    // Where nothing else runs, the chosen SMs get blocks in the first launch; the loop is for busy devices.
    for (int i = 0; i < 100 && (i == 0 || !work.finished()); ++i) {
      launch_counted(launch, work.begin_launch(), stream.get());
      stream.synchronize();
    }
    ASSERT_TRUE(work.finished());
    EXPECT_EQ(read_back(counts), std::vector<unsigned>(600, 1U));
    for (const unsigned sm : read_back(places)) EXPECT_TRUE(placement.sms.contains(sm)) << "SM " << sm;
  }
}

TEST_F(CudaPreemptibleWork, RefusesWorkThatCouldNotRun) {
  EXPECT_THROW((PreemptibleWork{dim3{0}}), InputError);
  Placement nowhere;
  nowhere.sms = {};
  EXPECT_THROW((PreemptibleWork{dim3{1}, nowhere}), InputError);
  Placement too_many;
  too_many.virtual_sms = LoopState::max_pieces + 1;
  EXPECT_THROW((PreemptibleWork{dim3{1}, too_many}), InputError);
}

}  // namespace
}  // namespace tactus::cuda
