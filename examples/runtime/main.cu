// Three tasks on a GPU, as in main.cpp: a lidar filter and a detector with deadlines, and a best-effort
// mapper that can be stopped between its blocks.
//
//   tactus_example_runtime_cuda [SYSTEM FILE [SECONDS]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <tactus/cuda/device.hpp>
#include <tactus/cuda/kernel.cuh>
#include <tactus/runtime.hpp>

#include "print_report.hpp"

namespace {

constexpr unsigned threads = 256;

/// A plain kernel without any Tactus code.
__global__ void smooth(float* values, int rounds) {
  float* const own = values + blockIdx.x * blockDim.x;
  float value = own[threadIdx.x];
  for (int i = 0; i < rounds; ++i) value = 0.5F * value + 0.001F;
  own[threadIdx.x] = value;
}

/// A kernel that takes its blocks from a loop: it can be stopped between two of them and resumed.
template <class Loop>
__global__ void count_blocks(const __grid_constant__ Loop loop, unsigned long long* counted) {
  tactus::cuda::for_each_block(loop, [&](tactus::cuda::BlockIndex /*block*/) {
    if (threadIdx.x != 0) return;
    const unsigned long long begin = tactus::cuda::global_time();
    while (tactus::cuda::global_time() - begin < 10'000) {
    }
    atomicAdd(counted, 1ULL);
  });
}

int run(const char* file, std::chrono::seconds length) {
  constexpr unsigned lidar_blocks = 264;
  constexpr unsigned detector_blocks = 1056;
  const tactus::cuda::DeviceBuffer<float> scan{lidar_blocks * threads};
  const tactus::cuda::DeviceBuffer<float> image{detector_blocks * 2 * threads};
  const tactus::cuda::DeviceBuffer<unsigned long long> mapped{1};
  tactus::cuda::load(smooth);
  tactus::cuda::load(count_blocks<tactus::cuda::BlockLoop>);

  tactus::Runtime runtime{tactus::cuda_device(), tactus::load(file)};
  runtime.bind("lidar", [&](tactus::cuda::Job& job) {
    smooth<<<lidar_blocks, threads, 0, job.stream()>>>(scan.data(), 1000);
  });
  runtime.bind("detector", [&](tactus::cuda::Job& job) {
    smooth<<<detector_blocks, 2 * threads, 0, job.stream()>>>(image.data(), 2000);
  });
  runtime.bind("mapper", [&](tactus::cuda::Job& job) {
    const unsigned blocks = job.resident_blocks(count_blocks<tactus::cuda::BlockLoop>, threads);
    count_blocks<<<blocks, threads, 0, job.stream()>>>(job.loop(), mapped.data());
  });
  const tactus::RunReport report = runtime.run_for(length);
  const int status = example::print_report(report);
  unsigned long long blocks = 0;
  tactus::cuda::check(cudaMemcpy(&blocks, mapped.data(), sizeof blocks, cudaMemcpyDeviceToHost),
                      "cannot read the number of blocks");
  std::printf("%llu blocks mapped\n", blocks);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "examples/runtime/robot-gpu.yaml",
               std::chrono::seconds{argc > 2 ? std::atoi(argv[2]) : 5});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
