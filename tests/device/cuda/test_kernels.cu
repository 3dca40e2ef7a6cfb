#include "test_kernels.hpp"

#include "tactus/cuda/kernel.cuh"
#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

namespace {

template <class Loop>
__global__ void counted(const __grid_constant__ Loop loop, CountedLaunch launch) {
  __shared__ unsigned long long seen;
  for_each_block(loop, [&](BlockIndex block) {
    if (threadIdx.x == 0) {
      seen = block.linear;
      const unsigned long long begin = global_time();
      while (global_time() - begin < launch.stay_ns) {
      }
      atomicAdd(&launch.counts[block.linear], 1U);
      if (launch.sms != nullptr) launch.sms[block.linear] = sm_id();
    }
    __syncthreads();
    if (seen != block.linear) atomicAdd(launch.disagreements, 1U);
    if (threadIdx.x % 2 == 0) return;  // allowed: no barrier follows in the body
    if (block.linear >= block.grid.x * 1ULL * block.grid.y * block.grid.z)
      atomicAdd(launch.disagreements, 1U);
  });
  // A tool that looks for races takes the next job of a loop on the device for the same launch.
  __syncthreads();
}

template <class Loop>
__global__ void sum_of_indices(const __grid_constant__ Loop loop, unsigned long long* sums) {
  for_each_block(loop, [&](BlockIndex block) {
    if (threadIdx.x != 0) return;
    // Weights, so that mixed up coordinates change the sums.
    atomicAdd(&sums[0], 1ULL * block.x * (block.linear + 1));
    atomicAdd(&sums[1], 1ULL * block.y * (block.linear + 1));
    atomicAdd(&sums[2], 1ULL * block.z * (block.linear + 1));
    atomicAdd(&sums[3], 1ULL * block.grid.x + 1000ULL * block.grid.y + 1'000'000ULL * block.grid.z);
  });
}

__device__ void append_value(unsigned value, const AppendedList& list) {
  const unsigned place = atomicAdd(list.count, 1U);
  if (place < list.room) list.values[place] = value;
}

__global__ void append(unsigned value, AppendedList list) { append_value(value, list); }

__global__ void append_job(const JobFacts* facts, AppendedList list) {
  append_value(static_cast<unsigned>(facts->number), list);
}

__global__ void bad_access(int* nowhere) { *nowhere = 1; }

}  // namespace

void launch_counted(const CountedLaunch& launch, const BlockLoop& loop, cudaStream_t stream) {
  counted<<<launch.blocks, launch.threads, 0, stream>>>(loop, launch);
  check(cudaGetLastError(), "cannot launch");
}

void launch_counted(const CountedLaunch& launch, dim3 grid, cudaStream_t stream) {
  counted<<<grid, launch.threads, 0, stream>>>(PlainGrid{}, launch);
  check(cudaGetLastError(), "cannot launch");
}

void launch_sum_of_indices(unsigned blocks, const BlockLoop& loop, unsigned long long* sums,
                           cudaStream_t stream) {
  sum_of_indices<<<blocks, 64, 0, stream>>>(loop, sums);
  check(cudaGetLastError(), "cannot launch");
}

void launch_sum_of_indices(dim3 grid, unsigned long long* sums, cudaStream_t stream) {
  sum_of_indices<<<grid, 64, 0, stream>>>(PlainGrid{}, sums);
  check(cudaGetLastError(), "cannot launch");
}

void launch_append(unsigned value, const AppendedList& list, cudaStream_t stream) {
  append<<<1, 1, 0, stream>>>(value, list);
  check(cudaGetLastError(), "cannot launch");
}

void launch_append_job(const JobFacts* facts, const AppendedList& list, cudaStream_t stream) {
  append_job<<<1, 1, 0, stream>>>(facts, list);
  check(cudaGetLastError(), "cannot launch");
}

void launch_bad_access(cudaStream_t stream) {
  bad_access<<<1, 1, 0, stream>>>(reinterpret_cast<int*>(8));
  check(cudaGetLastError(), "cannot launch");
}

}  // namespace tactus::cuda
