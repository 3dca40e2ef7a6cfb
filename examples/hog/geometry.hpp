// Sizes: cells, blocks and windows of the method, the levels of a frame, and where the data of a level lies.
#pragma once

#include <cstdint>
#include <vector>

namespace hog {

inline constexpr int cell_pixels = 8;    // a cell is 8 x 8 pixels
inline constexpr int bins = 9;           // of 20 degrees each
inline constexpr int block_values = 36;  // a block is 2 x 2 cells
inline constexpr int window_width = 64;
inline constexpr int window_height = 128;
inline constexpr int window_cells_x = window_width / cell_pixels;
inline constexpr int window_cells_y = window_height / cell_pixels;
inline constexpr int window_blocks_x = window_cells_x - 1;
inline constexpr int window_blocks_y = window_cells_y - 1;
inline constexpr int window_values = window_blocks_x * window_blocks_y * block_values;

/// Pixels of the frame that one pixel of a level stands for, in 1/65536.
using Scale = std::int32_t;
inline constexpr Scale full_scale = 65536;

/// The frame at one scale. Every stage keeps one array for all levels; `first_...` is where a level begins.
struct Level {
  int width = 0;
  int height = 0;
  Scale scale = full_scale;
  int cells_x = 0;
  int cells_y = 0;
  int blocks_x = 0;
  int blocks_y = 0;
  int windows_x = 0;
  int windows_y = 0;
  int first_pixel = 0;
  int first_cell = 0;
  int first_block = 0;
  int first_window = 0;
};

/// A frame at all scales, each 1.1 times as coarse as the one before.
struct Pyramid {
  int width = 0;
  int height = 0;
  std::vector<Level> levels;
  int pixels = 0;  // of all levels; likewise:
  int cells = 0;
  int blocks = 0;
  int windows = 0;
};

/// InputError when the last level is smaller than a window, or the frame too large.
Pyramid make_pyramid(int width, int height, int levels);

/// The stages that the GPU runs for each level.
enum class Stage { resize, gradient, histogram, normalise, classify };
inline constexpr int stages = 5;

/// The blocks of a kernel.
struct Grid {
  int x = 1;
  int y = 1;
  [[nodiscard]] int blocks() const { return x * y; }
};
Grid grid_of(Stage stage, const Level& level);

// What one block of a kernel works on. All have 256 threads, so that no SM has a gap which a block does not
// fit.
inline constexpr int block_threads = 256;
inline constexpr int tile_width = 64;  // pixels: resize, gradient and histogram
inline constexpr int tile_height = 16;
inline constexpr int windows_at_once = 32;                      // side by side
inline constexpr int slices = block_threads / windows_at_once;  // threads that share a window

}  // namespace hog
