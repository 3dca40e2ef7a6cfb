// A kernel that takes its blocks from a loop.
#include <tactus/cuda/kernel.cuh>

template <class Loop>
__global__ void scale(Loop loop, float* values, int count, float factor) {
  tactus::cuda::for_each_block(loop, [&](tactus::cuda::BlockIndex block) {
    const int i = static_cast<int>(block.x * blockDim.x + threadIdx.x);
    if (i < count) values[i] *= factor;
  });
}

template __global__ void scale(tactus::cuda::BlockLoop loop, float* values, int count, float factor);
