#include "stages.hpp"

#include <algorithm>

namespace hog {

namespace {

template <class Function>
void for_tile(const Grid& grid, const Level& level, int block, Function function) {
  const int left = block % grid.x * tile_width;
  const int top = block / grid.x * tile_height;
  for (int y = top; y < std::min(top + tile_height, level.height); ++y) {
    for (int x = left; x < std::min(left + tile_width, level.width); ++x) function(x, y);
  }
}

void count_votes(const Grid& grid, const Level& level, const FrameData& data, int block) {
  constexpr int across = tile_width / cell_pixels;
  constexpr int down = tile_height / cell_pixels;
  const int right = std::min((block % grid.x + 1) * across, level.cells_x);
  const int bottom = std::min((block / grid.x + 1) * down, level.cells_y);
  for (int cell_y = block / grid.x * down; cell_y < bottom; ++cell_y) {
    for (int cell_x = block % grid.x * across; cell_x < right; ++cell_x) {
      std::uint32_t* const cell =
          data.histograms + (level.first_cell + cell_y * level.cells_x + cell_x) * bins;
      std::fill_n(cell, bins, 0U);
      for (int i = 0; i < cell_pixels * cell_pixels; ++i) {
        const int x = cell_x * cell_pixels + i % cell_pixels;
        const int y = cell_y * cell_pixels + i / cell_pixels;
        const Votes votes = votes_of(data.gradients[level.first_pixel + y * level.width + x]);
        cell[votes.bin[0]] += votes.amount[0];
        cell[votes.bin[1]] += votes.amount[1];
      }
    }
  }
}

void classify(const Grid& grid, const Level& level, const FrameData& data, int block) {
  const int y = block / grid.x;
  const int first = block % grid.x * windows_at_once;
  for (int x = first; x < std::min(first + windows_at_once, level.windows_x); ++x) {
    std::int32_t score = 0;
    for (int row = 0; row < window_blocks_y; ++row) score += score_of_row(level, data, x, y, row);
    data.scores[level.first_window + y * level.windows_x + x] = score;
  }
}

}  // namespace

void run_block(Stage stage, const Level& level, const FrameData& data, int block) {
  const Grid grid = grid_of(stage, level);
  switch (stage) {
    case Stage::resize:
      return for_tile(grid, level, block, [&](int x, int y) { resize_pixel(level, data, x, y); });
    case Stage::gradient:
      return for_tile(grid, level, block, [&](int x, int y) { gradient_pixel(level, data, x, y); });
    case Stage::histogram:
      return count_votes(grid, level, data, block);
    case Stage::normalise: {
      const int first = block * block_threads;
      const int end = std::min(first + block_threads, level.blocks_x * level.blocks_y);
      for (int i = first; i < end; ++i) normalise_block(level, data, i);
      return;
    }
    case Stage::classify:
      return classify(grid, level, data, block);
  }
}

void run_stage(Stage stage, const Level& level, const FrameData& data) {
  const Grid grid = grid_of(stage, level);
  for (int block = 0; block < grid.blocks(); ++block) run_block(stage, level, data, block);
}

namespace {

/// Arrays one after the other, each where a cache line begins.
class Arrays {
 public:
  explicit Arrays(void* memory) : memory_{static_cast<std::byte*>(memory)} {}

  template <class Value>
  Value* take(int count) {
    const std::size_t first = used_;
    used_ = (used_ + static_cast<std::size_t>(count) * sizeof(Value) + 127) / 128 * 128;
    return memory_ == nullptr ? nullptr : reinterpret_cast<Value*>(memory_ + first);
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

FrameData take_arrays(const Pyramid& pyramid, Arrays& arrays) {
  FrameData data;
  data.width = pyramid.width;
  data.height = pyramid.height;
  data.frame = arrays.take<std::uint8_t>(pyramid.width * pyramid.height);
  data.pixels = arrays.take<std::uint8_t>(pyramid.pixels);
  data.gradients = arrays.take<Gradient>(pyramid.pixels);
  data.histograms = arrays.take<std::uint32_t>(pyramid.cells * bins);
  data.features = arrays.take<std::int16_t>(pyramid.blocks * block_values);
  data.scores = arrays.take<std::int32_t>(pyramid.windows);
  return data;
}

}  // namespace

std::size_t frame_bytes(const Pyramid& pyramid) {
  Arrays arrays{nullptr};
  take_arrays(pyramid, arrays);
  return arrays.used();
}

FrameData lay_out(const Pyramid& pyramid, void* memory, const std::int16_t* weights) {
  Arrays arrays{memory};
  FrameData data = take_arrays(pyramid, arrays);
  data.weights = weights;
  return data;
}

}  // namespace hog
