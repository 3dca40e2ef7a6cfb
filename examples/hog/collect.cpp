#include "collect.hpp"

#include <algorithm>

namespace hog {

namespace {

std::int64_t area(const Box& box) { return std::int64_t{box.width} * box.height; }

std::int64_t common_area(const Box& a, const Box& b) {
  const std::int64_t width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const std::int64_t height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

}  // namespace

Box window_box(const Level& level, int x, int y) {
  const auto in_frame = [&](int pixels) {
    return static_cast<int>(std::int64_t{pixels} * level.scale / full_scale);
  };
  return {in_frame(x * cell_pixels), in_frame(y * cell_pixels), in_frame(window_width),
          in_frame(window_height)};
}

int overlap_percent(const Box& a, const Box& b) {
  return static_cast<int>(100 * common_area(a, b) / std::min(area(a), area(b)));
}

int common_percent(const Box& a, const Box& b) {
  return static_cast<int>(100 * common_area(a, b) / (area(a) + area(b) - common_area(a, b)));
}

std::vector<Detection> collect(const Pyramid& pyramid, std::span<const std::int32_t> scores,
                               std::int32_t threshold) {
  std::vector<Detection> candidates;
  for (const Level& level : pyramid.levels) {
    for (int i = 0; i < level.windows_x * level.windows_y; ++i) {
      const std::int32_t score = scores[static_cast<std::size_t>(level.first_window + i)];
      if (score <= threshold) continue;
      candidates.push_back({window_box(level, i % level.windows_x, i / level.windows_x), score});
    }
  }
  std::ranges::stable_sort(candidates, std::ranges::greater{}, &Detection::score);
  std::vector<Detection> best;
  for (const Detection& candidate : candidates) {
    if (std::ranges::none_of(
            best, [&](const Detection& better) { return overlap_percent(candidate.box, better.box) > 50; })) {
      best.push_back(candidate);
    }
  }
  return best;
}

Matches match(std::span<const Detection> detections, std::span<const Box> drawn) {
  const auto is_same = [](const Box& a, const Box& b) { return common_percent(a, b) >= 50; };
  Matches matches;
  matches.drawn = static_cast<int>(drawn.size());
  for (const Box& box : drawn) {
    if (std::ranges::any_of(detections, [&](const Detection& one) { return is_same(one.box, box); })) {
      ++matches.found;
    }
  }
  for (const Detection& detection : detections) {
    if (std::ranges::none_of(drawn, [&](const Box& box) { return is_same(detection.box, box); })) {
      ++matches.elsewhere;
    }
  }
  return matches;
}

}  // namespace hog
