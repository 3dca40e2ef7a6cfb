#include <tactus/cuda/device.hpp>
#include <tactus/cuda/kernel.cuh>

#include "kernels.hpp"

namespace hog {

namespace {

/// From the start of the first thread of a block to the end of its last one.
template <bool is_timed>
class BlockClock {
 public:
  __device__ explicit BlockClock(unsigned long long* times) : times_{times} {
    if constexpr (is_timed) begin_ = tactus::cuda::global_time();
  }
  /// All threads of the block call it, at their end.
  __device__ void stop() const {
    if constexpr (is_timed) {
      __syncthreads();
      if (threadIdx.x == 0) {
        times_[blockIdx.y * gridDim.x + blockIdx.x] = tactus::cuda::global_time() - begin_;
      }
    }
  }

 private:
  unsigned long long* times_;
  unsigned long long begin_ = 0;
};

// At most 32 registers a thread, so that eight blocks of 256 threads fill an SM.
#define HOG_KERNEL         \
  template <bool is_timed> \
  __global__ void __launch_bounds__(block_threads, 8)

HOG_KERNEL resize(const __grid_constant__ Level level, const __grid_constant__ FrameData data,
                  unsigned long long* times) {
  const BlockClock<is_timed> clock{times};
  for (int i = static_cast<int>(threadIdx.x); i < tile_width * tile_height; i += block_threads) {
    const int x = static_cast<int>(blockIdx.x) * tile_width + i % tile_width;
    const int y = static_cast<int>(blockIdx.y) * tile_height + i / tile_width;
    if (x < level.width && y < level.height) resize_pixel(level, data, x, y);
  }
  clock.stop();
}

HOG_KERNEL gradient(const __grid_constant__ Level level, const __grid_constant__ FrameData data,
                    unsigned long long* times) {
  const BlockClock<is_timed> clock{times};
  for (int i = static_cast<int>(threadIdx.x); i < tile_width * tile_height; i += block_threads) {
    const int x = static_cast<int>(blockIdx.x) * tile_width + i % tile_width;
    const int y = static_cast<int>(blockIdx.y) * tile_height + i / tile_width;
    if (x < level.width && y < level.height) gradient_pixel(level, data, x, y);
  }
  clock.stop();
}

HOG_KERNEL histogram(const __grid_constant__ Level level, const __grid_constant__ FrameData data,
                     unsigned long long* times) {
  constexpr int across = tile_width / cell_pixels;
  constexpr int down = tile_height / cell_pixels;
  const BlockClock<is_timed> clock{times};
  __shared__ std::uint32_t cells[across * down * bins];
  const int thread = static_cast<int>(threadIdx.x);
  const int first_x = static_cast<int>(blockIdx.x) * across;
  const int first_y = static_cast<int>(blockIdx.y) * down;
  if (thread < across * down * bins) cells[thread] = 0;
  __syncthreads();
  for (int i = thread; i < tile_width * tile_height; i += block_threads) {
    const int x = first_x * cell_pixels + i % tile_width;
    const int y = first_y * cell_pixels + i / tile_width;
    if (x >= level.cells_x * cell_pixels || y >= level.cells_y * cell_pixels) continue;
    const int cell = i / tile_width / cell_pixels * across + i % tile_width / cell_pixels;
    const Votes votes = votes_of(data.gradients[level.first_pixel + y * level.width + x]);
    atomicAdd(&cells[cell * bins + votes.bin[0]], votes.amount[0]);
    atomicAdd(&cells[cell * bins + votes.bin[1]], votes.amount[1]);
  }
  __syncthreads();
  const int x = first_x + thread / bins % across;
  const int y = first_y + thread / bins / across;
  if (thread < across * down * bins && x < level.cells_x && y < level.cells_y) {
    data.histograms[(level.first_cell + y * level.cells_x + x) * bins + thread % bins] = cells[thread];
  }
  clock.stop();
}

HOG_KERNEL normalise(const __grid_constant__ Level level, const __grid_constant__ FrameData data,
                     unsigned long long* times) {
  const BlockClock<is_timed> clock{times};
  const int block = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (block < level.blocks_x * level.blocks_y) normalise_block(level, data, block);
  clock.stop();
}

/// Eight threads share the rows of a window.
HOG_KERNEL classify(const __grid_constant__ Level level, const __grid_constant__ FrameData data,
                    unsigned long long* times) {
  const BlockClock<is_timed> clock{times};
  __shared__ std::int32_t parts[block_threads];
  const int thread = static_cast<int>(threadIdx.x);
  const int x = static_cast<int>(blockIdx.x) * windows_at_once + thread % windows_at_once;
  const int y = static_cast<int>(blockIdx.y);
  std::int32_t score = 0;
  if (x < level.windows_x) {
    for (int row = thread / windows_at_once; row < window_blocks_y; row += slices) {
      score += score_of_row(level, data, x, y, row);
    }
  }
  parts[thread] = score;
  __syncthreads();
  if (thread < windows_at_once && x < level.windows_x) {
    for (int slice = 1; slice < slices; ++slice) score += parts[slice * windows_at_once + thread];
    data.scores[level.first_window + y * level.windows_x + x] = score;
  }
  clock.stop();
}

#undef HOG_KERNEL

using Kernel = void (*)(Level, FrameData, unsigned long long*);

template <bool is_timed>
Kernel kernel_of(Stage stage) {
  switch (stage) {
    case Stage::resize:
      return &resize<is_timed>;
    case Stage::gradient:
      return &gradient<is_timed>;
    case Stage::histogram:
      return &histogram<is_timed>;
    case Stage::normalise:
      return &normalise<is_timed>;
    case Stage::classify:
      break;
  }
  return &classify<is_timed>;
}

}  // namespace

void enqueue_stage(Stage stage, const Level& level, const FrameData& data, cudaStream_t stream,
                   unsigned long long* times) {
  const Kernel kernel = times == nullptr ? kernel_of<false>(stage) : kernel_of<true>(stage);
  const Grid grid = grid_of(stage, level);
  const dim3 blocks{static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y)};
  kernel<<<blocks, block_threads, 0, stream>>>(level, data, times);
  tactus::cuda::check(cudaGetLastError(), "cannot launch a stage");
}

cudaFuncAttributes attributes_of(Stage stage) {
  cudaFuncAttributes attributes{};
  tactus::cuda::check(
      cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel_of<false>(stage))),
      "cannot read the attributes of a stage");
  return attributes;
}

}  // namespace hog
