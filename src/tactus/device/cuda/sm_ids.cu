#include <string>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/kernel.cuh"
#include "tactus/device/cuda/memory.hpp"
#include "tactus/device/cuda/partition.hpp"

namespace tactus::cuda {

namespace {

constexpr unsigned threads = 1024;

__global__ void note_sm(unsigned* bits, unsigned long long stay_ns) {
  if (threadIdx.x != 0) return;
  const unsigned sm = sm_id();
  if (sm < SmSet::capacity) atomicOr(&bits[sm / 32], 1U << (sm % 32));
  const unsigned long long begin = global_time();
  while (global_time() - begin < stay_ns) __nanosleep(200);
}

/// The number of such blocks that fill an SM.
unsigned blocks_per_sm() {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, note_sm, threads, 0),
        "cannot read the occupancy");
  return static_cast<unsigned>(blocks);
}

SmSet run_once(cudaStream_t stream, unsigned blocks, unsigned long long stay_ns) {
  const DeviceBuffer<unsigned> bits{SmSet::words};
  note_sm<<<blocks, threads, 0, stream>>>(bits.data(), stay_ns);
  check(cudaGetLastError(), "cannot look for SMs");
  SmSet set;
  check(cudaMemcpyAsync(set.bits, bits.data(), sizeof set.bits, cudaMemcpyDeviceToHost, stream),
        "cannot look for SMs");
  check(cudaStreamSynchronize(stream), "cannot look for SMs");
  return set;
}

}  // namespace

SmSet find_sm_ids(cudaStream_t stream, int expected) {
  const unsigned blocks = blocks_per_sm() * static_cast<unsigned>(expected);
  SmSet seen;
  for (unsigned long long stay_ns = 50'000; stay_ns <= 5'000'000; stay_ns *= 10) {
    seen = run_once(stream, blocks, stay_ns);
    if (seen.size() == expected) return seen;
  }
  throw FailureError{"CUDA: a stream with " + std::to_string(expected) + " SMs ran on " +
                     std::to_string(seen.size())};
}

}  // namespace tactus::cuda
