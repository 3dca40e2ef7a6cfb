// Blocks per second of the preemptible loop compared to a plain grid, for several ways to take a block; and
// where pinned blocks run.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "probe.hpp"
#include "tactus/cuda/kernel.cuh"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/preemptible_work.hpp"
#include "tactus/device/cuda/stream.hpp"

namespace tactus::probe {

namespace {

using cuda::BlockIndex;
using cuda::BlockLoop;

/// The work of a block: to spin for a time, or to compute.
struct Work {
  unsigned spin_ns = 0;
  int iterations = 0;
  float* sink = nullptr;

  __device__ void run() const {
    if (spin_ns != 0) {
      if (threadIdx.x == 0) {
        const unsigned long long begin = cuda::global_time();
        while (cuda::global_time() - begin < spin_ns) {
        }
      }
      __syncthreads();
      return;
    }
    float value = static_cast<float>(threadIdx.x);
    for (int i = 0; i < iterations; ++i) value = fmaf(value, 0.9999F, 0.5F);
    if (value == -1.0F) *sink = value;  // never true: the values stay positive
  }
};

__global__ void plain(Work work) { work.run(); }

__global__ void with_loop(const __grid_constant__ BlockLoop loop, Work work) {
  cuda::for_each_block(loop, [&](BlockIndex) { work.run(); });
}

// The others are for comparison only: each is as short as possible, and some could not be stopped and
// continued.

/// One thread checks for a stop, then takes a block; one barrier before and one after the block.
__global__ void two_barriers(const __grid_constant__ BlockLoop loop, Work work) {
  __shared__ unsigned long long taken;
  for (;;) {
    if (threadIdx.x == 0) {
      const bool stop = *static_cast<volatile unsigned*>(&loop.state->stop) == loop.launch;
      taken = stop ? loop.blocks : atomicAdd(&loop.state->next[0], 1ULL);
    }
    __syncthreads();
    if (taken >= loop.blocks) return;
    work.run();
    __syncthreads();
  }
}

/// The stop flag would be a part of the counter, so that one memory access returns both.
__global__ void one_word(const __grid_constant__ BlockLoop loop, Work work) {
  __shared__ unsigned long long taken[2];
  if (threadIdx.x == 0) taken[0] = atomicAdd(&loop.state->next[0], 1ULL);
  __syncthreads();
  for (unsigned turn = 0; taken[turn] < loop.blocks; turn ^= 1U) {
    work.run();
    if (threadIdx.x == 0) taken[turn ^ 1U] = atomicAdd(&loop.state->next[0], 1ULL);
    __syncthreads();
  }
}

/// Every block of the launch has its own share: no counter, only the check for a stop.
__global__ void own_share(const __grid_constant__ BlockLoop loop, Work work) {
  __shared__ unsigned stop[2];
  unsigned turn = 0;
  for (unsigned long long block = blockIdx.x; block < loop.blocks; block += gridDim.x) {
    work.run();
    if (threadIdx.x == 0) stop[turn] = *static_cast<volatile unsigned*>(&loop.state->stop);
    __syncthreads();
    if (stop[turn] == loop.launch) return;
    turn ^= 1U;
  }
}

unsigned sm_count() {
  int sms = 0;
  cuda::check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "cannot read the SMs");
  return static_cast<unsigned>(sms);
}

/// Milliseconds on the device's clock.
double time_ms(cudaStream_t stream, const std::function<void()>& launch) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  cuda::check(cudaEventCreate(&begin), "cannot create an event");
  cuda::check(cudaEventCreate(&end), "cannot create an event");
  cuda::check(cudaEventRecord(begin, stream), "cannot record");
  launch();
  cuda::check(cudaGetLastError(), "cannot launch");
  cuda::check(cudaEventRecord(end, stream), "cannot record");
  cuda::check(cudaStreamSynchronize(stream), "failed");
  float time = 0;
  cuda::check(cudaEventElapsedTime(&time, begin, end), "cannot read a time");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return time;
}

double median_ms(cudaStream_t stream, const std::function<void()>& launch) {
  std::vector<double> times;
  for (int i = 0; i < 6; ++i) {
    const double time = time_ms(stream, launch);
    if (i > 0) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// A spin takes a fixed time; a computation depends on its neighbours on the SM.
void measure_work(cudaStream_t stream, const std::string& what, const Work& work, unsigned threads,
                  double block_us) {
  const unsigned resident = sm_count() * (2048 / threads);
  const auto rounds = static_cast<unsigned>(std::max(10.0, 60'000.0 / block_us));
  const unsigned blocks = resident * rounds;
  const double reference = median_ms(stream, [&] { plain<<<blocks, threads, 0, stream>>>(work); });
  const double block_time = 1000.0 * reference / rounds;
  print_value("throughput", what + ": time of a block in the plain grid", block_time, "us");

  const auto compare = [&](const char* name, bool resets_itself, const auto& kernel) {
    cuda::PreemptibleWork state{dim3{blocks}};
    const double time = median_ms(stream, [&] {
      kernel<<<resident, threads, 0, stream>>>(state.begin_launch(), work);
      if (!resets_itself) state.abandon(stream);
    });
    print_value("throughput", what + ": " + name, 100.0 * reference / time, "% of the plain grid");
  };
  compare("the loop of the library", true, with_loop);
  compare("two barriers", false, two_barriers);
  compare("one word", false, one_word);
  compare("own share", false, own_share);
}

/// Iterations for a block of about this length when the SMs are full.
int iterations_for(cudaStream_t stream, double block_us, unsigned threads) {
  Work work;
  work.iterations = 20000;
  const unsigned resident = sm_count() * (2048 / threads);
  const double time = median_ms(stream, [&] { plain<<<resident * 20, threads, 0, stream>>>(work); });
  return static_cast<int>(20000.0 * block_us / (1000.0 * time / 20));
}

}  // namespace

void measure_throughput() {
  const cuda::Stream stream = cuda::make_stream();
  for (const unsigned threads : {1024U, 256U}) {
    for (const unsigned block : {5U, 20U, 100U, 1000U}) {
      const std::string size = std::to_string(block) + " us, " + std::to_string(threads) + " threads";
      Work spin;
      spin.spin_ns = 1000 * block;
      measure_work(stream.get(), "spin of " + size, spin, threads, block);
      Work compute;
      compute.iterations = iterations_for(stream.get(), block, threads);
      measure_work(stream.get(), "computation of " + size, compute, threads, block);
    }
  }
}

namespace {

/// Records where the blocks of a launch ran.
__global__ void note_places(const __grid_constant__ BlockLoop loop, unsigned spin_ns,
                            unsigned* blocks_on_sm) {
  bool first = true;
  cuda::for_each_block(loop, [&](BlockIndex) {
    if (threadIdx.x == 0) {
      if (first) atomicAdd(&blocks_on_sm[cuda::sm_id()], 1U);
      first = false;
      const unsigned long long begin = cuda::global_time();
      while (cuda::global_time() - begin < spin_ns) {
      }
    }
    __syncthreads();
  });
}

/// Work pinned to some SMs, in a stream of its own.
struct PinnedWork {
  cuda::Stream stream = cuda::make_stream();
  cuda::PreemptibleWork work;
  cuda::DeviceBuffer<unsigned> places{cuda::SmSet::capacity};
  cuda::SmSet sms;
  unsigned virtual_sms;

  static cuda::Placement place(unsigned first_sm, unsigned sms, unsigned virtual_sms) {
    cuda::Placement placement;
    placement.sms = {};
    for (unsigned sm = first_sm; sm < first_sm + sms; ++sm) placement.sms.insert(sm);
    placement.virtual_sms = virtual_sms;
    return placement;
  }
  PinnedWork(unsigned first_sm, unsigned count, unsigned virtual_count)
      : work{dim3{count * virtual_count * 10}, place(first_sm, count, virtual_count)},
        sms{place(first_sm, count, virtual_count).sms},
        virtual_sms{virtual_count} {}

  void launch() {
    cuda::check(cudaMemsetAsync(places.data(), 0, places.size() * sizeof(unsigned), stream.get()),
                "cannot reset");
    note_places<<<sm_count() * virtual_sms, 2048 / virtual_sms, 0, stream.get()>>>(work.begin_launch(),
                                                                                   10'000, places.data());
    cuda::check(cudaGetLastError(), "cannot launch");
  }
  /// Blocks of the last launch on the right SMs, and on others.
  std::pair<unsigned, unsigned> count_blocks() const {
    std::vector<unsigned> counts(places.size());
    cuda::check(
        cudaMemcpy(counts.data(), places.data(), counts.size() * sizeof(unsigned), cudaMemcpyDeviceToHost),
        "cannot read");
    std::pair<unsigned, unsigned> result{0, 0};
    for (unsigned sm = 0; sm < counts.size(); ++sm) {
      (sms.contains(sm) ? result.first : result.second) += counts[sm];
    }
    return result;
  }
};

/// Pieces of work on disjoint SMs, launched back to back. Each has 10 rounds of 10 us.
void measure_places(unsigned works, unsigned sms, unsigned virtual_sms) {
  constexpr int repetitions = 300;
  std::vector<PinnedWork> all;
  for (unsigned i = 0; i < works; ++i) all.emplace_back(i * sms, sms, virtual_sms);
  std::vector<double> at_work;
  std::vector<double> elsewhere;
  std::vector<double> times;
  int undone = 0;
  for (int i = 0; i < repetitions; ++i) {
    const double begin = now_us();
    for (PinnedWork& work : all) work.launch();
    for (const PinnedWork& work : all) {
      while (!work.work.launch_ended()) {
      }
    }
    times.push_back(now_us() - begin);
    for (const PinnedWork& work : all) {
      work.stream.synchronize();
      const auto [inside, outside] = work.count_blocks();
      at_work.push_back(inside);
      elsewhere.push_back(outside);
      undone += work.work.finished() ? 0 : 1;
    }
  }
  const std::string what = std::to_string(works) + " works, each on " + std::to_string(sms) + " SMs with " +
                           std::to_string(virtual_sms) + " virtual SMs";
  print_samples("pinning",
                what + ": blocks at work on the chosen SMs, wanted " + std::to_string(sms * virtual_sms),
                at_work, "blocks");
  print_samples("pinning", what + ": blocks at work elsewhere", elsewhere, "blocks");
  print_samples("pinning", what + ": time until all have ended, 100 us of work each", times);
  print_value("pinning", what + ": launches that left blocks", undone, "launches");
}

}  // namespace

void measure_pinning() {
  const unsigned all = sm_count();
  for (const unsigned virtual_sms : {2U, 4U}) {
    for (const unsigned sms : {1U, 8U, all / 2}) measure_places(1, sms, virtual_sms);
    for (const unsigned works : {2U, 3U, 6U}) measure_places(works, all / works, virtual_sms);
    measure_places(3, 8, virtual_sms);
  }
}

}  // namespace tactus::probe
