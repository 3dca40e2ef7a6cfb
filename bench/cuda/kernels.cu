#include "kernels.hpp"
#include "tactus/device/cuda/error.hpp"
#include "tactus/device/cuda/sm_clock.cuh"

namespace tactus::bench {

namespace {

__global__ void empty_kernel() {}

__global__ void __launch_bounds__(1024)
    take_items(unsigned long long* counter, unsigned long long items, unsigned long long item_ns) {
  __shared__ unsigned long long item;
  for (;;) {
    if (threadIdx.x == 0) item = atomicAdd(counter, 1ULL);
    __syncthreads();
    if (item >= items) return;
    if (threadIdx.x == 0) {
      const unsigned long long begin = cuda::global_time();
      while (cuda::global_time() - begin < item_ns) {
      }
    }
    __syncthreads();
  }
}

}  // namespace

void launch_empty(cudaStream_t stream) {
  empty_kernel<<<1, 32, 0, stream>>>();
  cuda::check(cudaGetLastError(), "cannot launch the empty kernel");
}

void PersistentKernel::launch(unsigned blocks, unsigned turn, cudaStream_t stream) const {
  unsigned long long* const counter = counters_.data() + turn;
  cuda::check(cudaMemsetAsync(counter, 0, sizeof *counter, stream), "cannot reset a counter");
  take_items<<<blocks, 1024, 0, stream>>>(counter, items_, static_cast<unsigned long long>(in_ns(item_)));
  cuda::check(cudaGetLastError(), "cannot launch the persistent kernel");
}

}  // namespace tactus::bench
