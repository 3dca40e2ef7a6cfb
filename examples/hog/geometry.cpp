#include "geometry.hpp"

#include <algorithm>
#include <string>
#include <tactus/system.hpp>

namespace hog {

namespace {

constexpr int largest_side = 8192;

int rounded_up(int value, int unit) { return (value + unit - 1) / unit; }

Level make_level(int width, int height, Scale scale, const Pyramid& before) {
  Level level;
  level.scale = scale;
  level.width = static_cast<int>(std::int64_t{width} * full_scale / scale);
  level.height = static_cast<int>(std::int64_t{height} * full_scale / scale);
  level.cells_x = level.width / cell_pixels;
  level.cells_y = level.height / cell_pixels;
  level.blocks_x = level.cells_x - 1;
  level.blocks_y = level.cells_y - 1;
  level.windows_x = level.cells_x - window_cells_x + 1;
  level.windows_y = level.cells_y - window_cells_y + 1;
  level.first_pixel = before.pixels;
  level.first_cell = before.cells;
  level.first_block = before.blocks;
  level.first_window = before.windows;
  return level;
}

}  // namespace

Pyramid make_pyramid(int width, int height, int levels) {
  if (width < window_width || height < window_height || std::max(width, height) > largest_side) {
    throw tactus::InputError{"a frame of " + std::to_string(width) + "x" + std::to_string(height),
                             "it must be from 64x128 to 8192x8192"};
  }
  if (levels < 1) throw tactus::InputError{"there must be at least one level"};
  Pyramid pyramid;
  pyramid.width = width;
  pyramid.height = height;
  Scale scale = full_scale;
  for (int i = 0; i < levels; ++i) {
    const Level level = make_level(width, height, scale, pyramid);
    if (level.windows_x < 1 || level.windows_y < 1) {
      throw tactus::InputError{"a window of 64x128 does not fit level " + std::to_string(i),
                               "use fewer levels, or larger frames"};
    }
    pyramid.pixels += level.width * level.height;
    pyramid.cells += level.cells_x * level.cells_y;
    pyramid.blocks += level.blocks_x * level.blocks_y;
    pyramid.windows += level.windows_x * level.windows_y;
    pyramid.levels.push_back(level);
    scale = static_cast<Scale>(std::int64_t{scale} * 11 / 10);
  }
  return pyramid;
}

Grid grid_of(Stage stage, const Level& level) {
  switch (stage) {
    case Stage::resize:
    case Stage::gradient:
      return {rounded_up(level.width, tile_width), rounded_up(level.height, tile_height)};
    case Stage::histogram:
      return {rounded_up(level.cells_x, tile_width / cell_pixels),
              rounded_up(level.cells_y, tile_height / cell_pixels)};
    case Stage::normalise:
      return {rounded_up(level.blocks_x * level.blocks_y, block_threads), 1};
    case Stage::classify:
      break;
  }
  return {rounded_up(level.windows_x, windows_at_once), level.windows_y};
}

}  // namespace hog
