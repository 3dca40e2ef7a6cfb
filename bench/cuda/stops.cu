// How fast the preemptible loop stops, and a check that no block is lost or done twice.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "probe.hpp"
#include "tactus/cuda/kernel.cuh"
#include "tactus/device/cuda/completion.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/preemptible_work.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::probe {

namespace {

using cuda::BlockIndex;
using cuda::BlockLoop;
using cuda::PreemptibleWork;
using cuda::StopBy;

constexpr unsigned threads = 1024;

__global__ void spin_and_count(const __grid_constant__ BlockLoop loop, unsigned spin_ns, unsigned* counts) {
  cuda::for_each_block(loop, [&](BlockIndex block) {
    if (threadIdx.x == 0) {
      const unsigned long long begin = cuda::global_time();
      while (cuda::global_time() - begin < spin_ns) {
      }
      if (counts != nullptr) atomicAdd(&counts[block.linear], 1U);
    }
    __syncthreads();
  });
}

unsigned resident_blocks() {
  int sms = 0;
  cuda::check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "cannot read the SMs");
  return 2 * static_cast<unsigned>(sms);
}

void launch(PreemptibleWork& work, unsigned blocks, unsigned spin_ns, unsigned* counts, cudaStream_t stream) {
  spin_and_count<<<blocks, threads, 0, stream>>>(work.begin_launch(), spin_ns, counts);
  cuda::check(cudaGetLastError(), "cannot launch");
}

void wait_for(const PreemptibleWork& work, cudaStream_t stream) {
  const double begin = now_us();
  while (!work.launch_ended()) {
    if (now_us() - begin < 2e6) continue;
    cuda::check(cudaStreamQuery(stream), "a launch did not end");
    throw std::runtime_error{"a launch ended without its report"};
  }
}

const char* name_of(StopBy stop_by) { return stop_by == StopBy::copy ? "copy" : "write value"; }

struct Stage {
  static constexpr std::size_t load_bytes = std::size_t{256} << 20U;
  cuda::Stream stream = cuda::make_stream();
  cuda::Stream urgent = cuda::make_stream(cuda::stream_priorities().most_urgent);
  cuda::CompletionWords words{1};
  std::mt19937 random{7};
  cuda::Stream load = cuda::make_stream();
  cuda::PinnedBuffer<std::byte> load_source{load_bytes};
  cuda::DeviceBuffer<std::byte> load_target{load_bytes};

  /// Ensures that a long copy to the device is in progress.
  void keep_copying() {
    if (cudaStreamQuery(load.get()) == cudaErrorNotReady) return;
    cuda::check(cudaMemcpyAsync(load_target.data(), load_source.data(), load_bytes, cudaMemcpyHostToDevice,
                                load.get()),
                "cannot copy");
  }
};

void measure_stop(Stage& stage, unsigned spin_us_of_block, StopBy stop_by, bool beside_copies) {
  constexpr int repetitions = 2000;
  // So many blocks that the job never completes by itself.
  PreemptibleWork work{dim3{1U << 30}, {}, stop_by};
  std::uniform_real_distribution<double> wait{40.0, 60.0 + spin_us_of_block};
  std::vector<double> calls;
  std::vector<double> reports;
  std::vector<double> ends;
  for (int i = 0; i < repetitions; ++i) {
    if (beside_copies) stage.keep_copying();
    launch(work, resident_blocks(), 1000 * spin_us_of_block, nullptr, stage.stream.get());
    stage.words.signal(stage.stream.get(), 0, static_cast<unsigned>(i + 1));
    spin_us(wait(stage.random));
    const double begin = now_us();
    work.request_stop(stage.urgent.get());
    calls.push_back(now_us() - begin);
    wait_for(work, stage.stream.get());
    reports.push_back(now_us() - begin);
    while (stage.words.value(0) != static_cast<unsigned>(i + 1)) {
    }
    ends.push_back(now_us() - begin);
    stage.urgent.synchronize();
    stage.stream.synchronize();
  }
  const std::string what = std::string{"by "} + name_of(stop_by) + ", block of " +
                           std::to_string(spin_us_of_block) + " us" +
                           (beside_copies ? ", beside a long copy" : "") + ": ";
  print_samples("stop", what + "call", calls);
  print_samples("stop", what + "until the last block has left", reports);
  print_samples("stop", what + "until the stream is empty", ends);
}

/// Counts how often every block ran in one job that is stopped at random instants. Returns the number of
/// launches.
int run_job(Stage& stage, PreemptibleWork& work, unsigned blocks, unsigned* counts) {
  std::uniform_real_distribution<double> wait{0.0, 60.0};
  int launches = 0;
  do {
    launch(work, blocks, 2000, counts, stage.stream.get());
    ++launches;
    if (launches % 8 != 0) {  // now and then without a stop, so that every job ends
      spin_us(wait(stage.random));
      work.request_stop(stage.urgent.get());
    }
    wait_for(work, stage.stream.get());
  } while (!work.finished());
  return launches;
}

void check_jobs(Stage& stage, const std::string& what, dim3 grid, const cuda::Placement& placement,
                unsigned blocks, StopBy stop_by, int jobs) {
  PreemptibleWork work{grid, placement, stop_by};
  const cuda::DeviceBuffer<unsigned> counts{work.blocks()};
  std::vector<unsigned> seen(work.blocks());
  long launches = 0;
  long wrong = 0;
  for (int job = 0; job < jobs; ++job) {
    launches += run_job(stage, work, blocks, counts.data());
    stage.stream.synchronize();
    cuda::check(
        cudaMemcpy(seen.data(), counts.data(), seen.size() * sizeof(unsigned), cudaMemcpyDeviceToHost),
        "cannot read the counts");
    wrong += std::count_if(seen.begin(), seen.end(),
                           [&](unsigned n) { return n != static_cast<unsigned>(job + 1); });
  }
  stage.urgent.synchronize();
  const std::string label = std::string{"by "} + name_of(stop_by) + ", " + what;
  print_value("exact", label + ": launches", static_cast<double>(launches), "launches");
  print_value("exact", label + ": blocks not done exactly once", static_cast<double>(wrong), "blocks");
}

void check_all(Stage& stage, StopBy stop_by) {
  const unsigned blocks = resident_blocks();
  check_jobs(stage, "20000 blocks", dim3{20000}, {}, blocks, stop_by, 200);
  check_jobs(stage, "50 x 20 x 7 blocks", dim3{50, 20, 7}, {}, blocks, stop_by, 200);
  check_jobs(stage, "300 blocks", dim3{300}, {}, blocks, stop_by, 500);
  check_jobs(stage, "1 block", dim3{1}, {}, blocks, stop_by, 200);
  cuda::Placement interleaved;
  interleaved.virtual_sms = 2;
  check_jobs(stage, "20003 blocks, 2 virtual SMs", dim3{20003}, interleaved, blocks, stop_by, 200);
  cuda::Placement pinned;
  pinned.sms = {};
  for (unsigned sm = 0; sm < 32; ++sm) pinned.sms.insert(sm);
  check_jobs(stage, "5000 blocks, pinned to 32 SMs", dim3{5000}, pinned, blocks, stop_by, 200);
}

}  // namespace

void check_exactly_once() {
  Stage stage;
  for (const StopBy stop_by : {StopBy::copy, StopBy::write_value}) {
    check_all(stage, stop_by);
  }
}

void measure_stops() {
  Stage stage;
  for (const unsigned block : {5U, 20U, 100U, 1000U}) {
    for (const StopBy stop_by : {StopBy::copy, StopBy::write_value}) {
      measure_stop(stage, block, stop_by, false);
    }
  }
  for (const StopBy stop_by : {StopBy::copy, StopBy::write_value}) measure_stop(stage, 20, stop_by, true);
}

}  // namespace tactus::probe
