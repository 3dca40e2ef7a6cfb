// From the scores of all windows to detections: of several that overlap only the best stays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry.hpp"
#include "image.hpp"

namespace hog {

struct Detection {
  Box box;
  std::int32_t score = 0;
  friend bool operator==(const Detection&, const Detection&) = default;
};

/// Where a window of a level lies in the frame.
Box window_box(const Level& level, int x, int y);

/// Windows above the threshold, the best first; none overlaps a better one by more than half of the smaller.
std::vector<Detection> collect(const Pyramid& pyramid, std::span<const std::int32_t> scores,
                               std::int32_t threshold);

/// How much of the smaller box the other one covers, in percent; likewise of both together.
int overlap_percent(const Box& a, const Box& b);
int common_percent(const Box& a, const Box& b);

struct Matches {
  int drawn = 0;
  int found = 0;      // drawn ones with a detection that has half of the area of both in common
  int elsewhere = 0;  // detections where nothing was drawn
};
Matches match(std::span<const Detection> detections, std::span<const Box> drawn);

}  // namespace hog
