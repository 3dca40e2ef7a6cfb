// A plain, slow detector: every stage as its definition says, in floating point, pixel by pixel. The fast
// stages are compared with it, each from the same input.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stage_math.hpp"

namespace hog::reference {

/// The grey value at a place of the frame that lies between pixels.
double pixel_between(const FrameData& data, double x, double y);

struct Gradient {
  double magnitude = 0;  // in grey levels
  double angle = 0;      // from 0 to 180 degrees
};
Gradient gradient_at(const Level& level, const FrameData& data, int x, int y);

/// The votes of a cell, from the fast gradients.
std::array<double, bins> histogram_of(const Level& level, const FrameData& data, int cell_x, int cell_y);

/// The values of a block, from the fast histograms.
std::array<double, block_values> features_of(const Level& level, const FrameData& data, int block_x,
                                             int block_y);

/// The score of a window, from the fast features.
double score_of(const Level& level, const FrameData& data, int window_x, int window_y);

}  // namespace hog::reference
