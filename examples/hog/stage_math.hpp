// The arithmetic of every stage, for one pixel, block of cells or window, on the CPU and on the GPU alike.
//
// All numbers between stages are integers, and the two square roots have exact arguments, so a GPU finds bit
// by bit what a CPU finds: no tolerance is needed, in whatever order sums are made.
#pragma once

#include <cmath>
#include <cstdint>

#include "geometry.hpp"

#ifdef __CUDACC__
#define HOG_BOTH __host__ __device__
#else
#define HOG_BOTH
#endif

namespace hog {

/// The gradient at a pixel. Orientations go from 0 to 180 degrees; bins lie at 0, 20, ..., 160 degrees, and a
/// vote is shared by the two nearest.
struct Gradient {
  std::uint16_t magnitude = 0;  // in 1/16 of a grey level
  std::uint8_t bin = 0;         // the one below
  std::uint8_t share = 0;       // of the bin above, in 1/256
};

/// The data of a frame where the stages find it: in the memory of the GPU, if there is one.
struct FrameData {
  int width = 0;
  int height = 0;
  std::uint8_t* frame = nullptr;          // grey, row by row
  std::uint8_t* pixels = nullptr;         // of all levels
  Gradient* gradients = nullptr;          // of all levels
  std::uint32_t* histograms = nullptr;    // of all cells, 9 each
  std::int16_t* features = nullptr;       // 36 planes for each level, a value of every block in each
  std::int32_t* scores = nullptr;         // of all windows
  const std::int16_t* weights = nullptr;  // of the classifier
};

inline constexpr int feature_unit = 4096;               // stands for 1.0
inline constexpr int feature_limit = feature_unit / 5;  // L2-Hys: no value above 0.2 before the second norm
inline constexpr std::int64_t quiet_norm = 1024;        // keeps noise in empty blocks from being amplified

HOG_BOTH inline int between(int low, int value, int high) {
  return value < low ? low : (value > high ? high : value);
}

/// Bilinear interpolation in the frame, in 1/65536 of a pixel, from centre to centre.
HOG_BOTH inline void resize_pixel(const Level& level, const FrameData& data, int x, int y) {
  const std::int64_t half = (level.scale - full_scale) / 2;
  const std::int64_t fx = std::int64_t{x} * level.scale + half;
  const std::int64_t fy = std::int64_t{y} * level.scale + half;
  const int left = between(0, static_cast<int>(fx >> 16), data.width - 1);
  const int top = between(0, static_cast<int>(fy >> 16), data.height - 1);
  const int right = between(0, left + 1, data.width - 1);
  const int below = between(0, top + 1, data.height - 1);
  const std::uint32_t part_x = static_cast<std::uint32_t>(fx & 0xFFFF) >> 8U;
  const std::uint32_t part_y = static_cast<std::uint32_t>(fy & 0xFFFF) >> 8U;
  const std::uint8_t* const upper = data.frame + std::int64_t{top} * data.width;
  const std::uint8_t* const lower = data.frame + std::int64_t{below} * data.width;
  const std::uint32_t a = upper[left] * (256 - part_x) + upper[right] * part_x;
  const std::uint32_t b = lower[left] * (256 - part_x) + lower[right] * part_x;
  const std::uint32_t value = (a * (256 - part_y) + b * part_y + 32768) >> 16U;
  data.pixels[level.first_pixel + y * level.width + x] = static_cast<std::uint8_t>(value);
}

/// The gradient (dx, dy). The orientation lies between the directions of two bins; each gets a share as the
/// gradient's distance from the other one: lower / (lower + upper), which is the angle's share within 1 %.
HOG_BOTH inline Gradient make_gradient(int dx, int dy) {
  constexpr int cosine[9] = {16384, 15396, 12551, 8192, 2845, -2845, -8192, -12551, -15396};  // in 1/16384
  constexpr int sine[9] = {0, 5604, 10531, 14189, 16135, 16135, 14189, 10531, 5604};
  if (dy < 0 || (dy == 0 && dx < 0)) {
    dx = -dx;
    dy = -dy;
  }
  int bin = 0;
  int lower = 16384 * dy;  // distance from the direction of the bin below, times the gradient
  int upper = 16384 * dy;  // and from the bin above; here that at 180 degrees, which is bin 0 again
  bool passed = false;
  for (int i = 1; i < bins; ++i) {
    const int distance = cosine[i] * dy - sine[i] * dx;
    if (distance >= 0) {
      bin = i;
      lower = distance;
    } else if (!passed) {
      passed = true;
      upper = -distance;
    }
  }
  const int sum = lower + upper;
  if (sum == 0) return {};
  const int square = 256 * (dx * dx + dy * dy);  // at most 17 significant bits: exact in a float
  return {static_cast<std::uint16_t>(sqrtf(static_cast<float>(square))), static_cast<std::uint8_t>(bin),
          static_cast<std::uint8_t>(lower * 256 / sum)};
}

HOG_BOTH inline void gradient_pixel(const Level& level, const FrameData& data, int x, int y) {
  const std::uint8_t* const image = data.pixels + level.first_pixel;
  const auto pixel = [&](int column, int row) {
    return static_cast<int>(
        image[between(0, row, level.height - 1) * level.width + between(0, column, level.width - 1)]);
  };
  data.gradients[level.first_pixel + y * level.width + x] =
      make_gradient(pixel(x + 1, y) - pixel(x - 1, y), pixel(x, y + 1) - pixel(x, y - 1));
}

/// What a pixel adds to its cell.
struct Votes {
  int bin[2];
  std::uint32_t amount[2];
};

HOG_BOTH inline Votes votes_of(Gradient gradient) {
  const std::uint32_t above = std::uint32_t{gradient.magnitude} * gradient.share;
  const std::uint32_t below = std::uint32_t{gradient.magnitude} * 256U - above;
  return {{gradient.bin, gradient.bin + 1 == bins ? 0 : gradient.bin + 1}, {below, above}};
}

HOG_BOTH inline std::uint32_t whole_root(std::int64_t value) {
  return static_cast<std::uint32_t>(sqrt(static_cast<double>(value)));
}

/// L2-Hys: a block of 2 x 2 cells divided by its norm, large values cut off, and divided again.
HOG_BOTH inline void normalise_block(const Level& level, const FrameData& data, int block) {
  const int x = block % level.blocks_x;
  const int y = block / level.blocks_x;
  const std::uint32_t* const cells = data.histograms + std::int64_t{level.first_cell} * bins;
  const auto value = [&](int i) {
    const int cell = i / bins;  // of four, row by row
    return cells[((y + cell / 2) * level.cells_x + x + cell % 2) * bins + i % bins] >> 8U;
  };
  std::int64_t squares = quiet_norm * quiet_norm;
  for (int i = 0; i < block_values; ++i) squares += std::int64_t{value(i)} * value(i);
  const std::uint32_t norm = whole_root(squares);
  const auto limited = [&](int i) {
    const std::uint32_t part = value(i) * feature_unit / norm;
    return part < feature_limit ? part : std::uint32_t{feature_limit};
  };
  squares = 1;
  for (int i = 0; i < block_values; ++i) squares += std::int64_t{limited(i)} * limited(i);
  const std::uint32_t second = whole_root(squares);
  const int blocks = level.blocks_x * level.blocks_y;
  std::int16_t* const features = data.features + std::int64_t{level.first_block} * block_values;
  for (int i = 0; i < block_values; ++i) {
    features[i * blocks + block] = static_cast<std::int16_t>(limited(i) * feature_unit / second);
  }
}

/// One row of blocks of a window, of which there are 15: its part of the score.
HOG_BOTH inline std::int32_t score_of_row(const Level& level, const FrameData& data, int window_x,
                                          int window_y, int row) {
  const int blocks = level.blocks_x * level.blocks_y;
  const std::int16_t* const features = data.features + std::int64_t{level.first_block} * block_values +
                                       (window_y + row) * level.blocks_x + window_x;
  const std::int16_t* const weights = data.weights + row * window_blocks_x * block_values;
  std::int32_t score = 0;
  for (int i = 0; i < block_values; ++i) {
    for (int column = 0; column < window_blocks_x; ++column) {
      score += features[i * blocks + column] * weights[i * window_blocks_x + column];
    }
  }
  return score;
}

}  // namespace hog
