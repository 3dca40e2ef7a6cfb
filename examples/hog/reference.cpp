#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hog::reference {

double pixel_between(const FrameData& data, double x, double y) {
  const auto pixel = [&](double column, double row) {
    const int inside_x = std::clamp(static_cast<int>(column), 0, data.width - 1);
    const int inside_y = std::clamp(static_cast<int>(row), 0, data.height - 1);
    return static_cast<double>(data.frame[inside_y * data.width + inside_x]);
  };
  const double left = std::floor(x);
  const double top = std::floor(y);
  const double part_x = x - left;
  const double part_y = y - top;
  return (1 - part_y) * ((1 - part_x) * pixel(left, top) + part_x * pixel(left + 1, top)) +
         part_y * ((1 - part_x) * pixel(left, top + 1) + part_x * pixel(left + 1, top + 1));
}

Gradient gradient_at(const Level& level, const FrameData& data, int x, int y) {
  const auto pixel = [&](int column, int row) {
    const int place =
        std::clamp(row, 0, level.height - 1) * level.width + std::clamp(column, 0, level.width - 1);
    return static_cast<double>(data.pixels[level.first_pixel + place]);
  };
  const double dx = pixel(x + 1, y) - pixel(x - 1, y);
  const double dy = pixel(x, y + 1) - pixel(x, y - 1);
  const double angle = std::atan2(dy, dx) * 180 / std::numbers::pi;
  return {std::hypot(dx, dy), std::fmod(angle + 360, 180)};
}

std::array<double, bins> histogram_of(const Level& level, const FrameData& data, int cell_x, int cell_y) {
  std::array<double, bins> histogram{};
  for (int y = cell_y * cell_pixels; y < (cell_y + 1) * cell_pixels; ++y) {
    for (int x = cell_x * cell_pixels; x < (cell_x + 1) * cell_pixels; ++x) {
      const hog::Gradient gradient = data.gradients[level.first_pixel + y * level.width + x];
      const double share = gradient.share / 256.0;
      histogram[gradient.bin] += gradient.magnitude * (1 - share);
      histogram[(gradient.bin + 1U) % bins] += gradient.magnitude * share;
    }
  }
  return histogram;
}

std::array<double, block_values> features_of(const Level& level, const FrameData& data, int block_x,
                                             int block_y) {
  std::array<double, block_values> values{};
  std::size_t next = 0;
  for (int y = block_y; y < block_y + 2; ++y) {
    for (int x = block_x; x < block_x + 2; ++x) {
      for (int bin = 0; bin < bins; ++bin) {
        values[next++] = data.histograms[(level.first_cell + y * level.cells_x + x) * bins + bin] / 256.0;
      }
    }
  }
  const auto divide = [&](double quiet) {
    double squares = quiet * quiet;
    for (const double value : values) squares += value * value;
    for (double& value : values) value = squares > 0 ? value / std::sqrt(squares) : 0;
  };
  divide(static_cast<double>(quiet_norm));
  for (double& value : values) value = std::min(value, 0.2);
  divide(0);
  return values;
}

double score_of(const Level& level, const FrameData& data, int window_x, int window_y) {
  double score = 0;
  for (int y = 0; y < window_blocks_y; ++y) {
    for (int x = 0; x < window_blocks_x; ++x) {
      for (int value = 0; value < block_values; ++value) {
        const int block = (window_y + y) * level.blocks_x + window_x + x;
        const double feature =
            data.features[level.first_block * block_values + value * level.blocks_x * level.blocks_y + block];
        score += feature * data.weights[(y * block_values + value) * window_blocks_x + x];
      }
    }
  }
  return score;
}

}  // namespace hog::reference
