#include "check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference.hpp"
#include "stages.hpp"

namespace hog {

namespace {

/// The largest differences from the reference, over all levels.
struct Differences {
  double pixel = 0;      // grey levels
  double magnitude = 0;  // grey levels
  double angle = 0;      // degrees
  double histogram = 0;  // grey levels
  double feature = 0;    // of 1
  double score = 0;
};

void compare(double& largest, double difference) { largest = std::max(largest, std::abs(difference)); }

void compare_pixels(const Level& level, const FrameData& data, Differences& seen) {
  const double scale = static_cast<double>(level.scale) / full_scale;
  for (int y = 0; y < level.height; ++y) {
    for (int x = 0; x < level.width; ++x) {
      const int place = level.first_pixel + y * level.width + x;
      const double pixel = reference::pixel_between(data, (x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5);
      compare(seen.pixel, data.pixels[place] - pixel);
      const reference::Gradient slow = reference::gradient_at(level, data, x, y);
      const Gradient fast = data.gradients[place];
      compare(seen.magnitude, fast.magnitude / 16.0 - slow.magnitude);
      const double turned = std::abs(20 * (fast.bin + fast.share / 256.0) - slow.angle);
      if (slow.magnitude > 0) compare(seen.angle, std::min(turned, 180 - turned));
    }
  }
}

void compare_cells(const Level& level, const FrameData& data, Differences& seen) {
  for (int i = 0; i < level.cells_x * level.cells_y; ++i) {
    const auto slow = reference::histogram_of(level, data, i % level.cells_x, i / level.cells_x);
    for (int bin = 0; bin < bins; ++bin) {
      const std::uint32_t fast = data.histograms[(level.first_cell + i) * bins + bin];
      compare(seen.histogram, (fast / 256.0 - slow[static_cast<std::size_t>(bin)]) / 16);
    }
  }
  const int blocks = level.blocks_x * level.blocks_y;
  for (int i = 0; i < blocks; ++i) {
    const auto slow = reference::features_of(level, data, i % level.blocks_x, i / level.blocks_x);
    for (int value = 0; value < block_values; ++value) {
      const double fast = data.features[level.first_block * block_values + value * blocks + i];
      compare(seen.feature, fast / feature_unit - slow[static_cast<std::size_t>(value)]);
    }
  }
  for (int i = 0; i < level.windows_x * level.windows_y; ++i) {
    compare(seen.score, data.scores[level.first_window + i] -
                            reference::score_of(level, data, i % level.windows_x, i / level.windows_x));
  }
}

/// All stages of a frame on the CPU, the blocks of each from the last to the first: their order is nothing
/// that a result depends on.
void run_backwards(const Pyramid& pyramid, const FrameData& data) {
  for (const Level& level : pyramid.levels) {
    for (int stage = 0; stage < stages; ++stage) {
      const Grid grid = grid_of(static_cast<Stage>(stage), level);
      for (int block = grid.blocks() - 1; block >= 0; --block) {
        run_block(static_cast<Stage>(stage), level, data, block);
      }
    }
  }
}

void judge(CheckResult& result, const char* what, double difference, double allowed) {
  const bool holds = difference <= allowed;
  result.text +=
      fmt::format("{:<34} {:>12.6f} {:>12.6f}  {}\n", what, difference, allowed, holds ? "ok" : "WRONG");
  result.holds = result.holds && holds;
}

template <class Value>
void judge_equal(CheckResult& result, const char* what, Accelerator& accelerator, const Value* there,
                 const Value* here, int count) {
  std::vector<Value> found(static_cast<std::size_t>(count));
  accelerator.read(there, std::as_writable_bytes(std::span{found}));
  int different = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::memcmp(&found[i], here + i, sizeof(Value)) != 0) ++different;
  }
  judge(result, what, different, 0);
}

}  // namespace

CheckResult check_stages(Accelerator& accelerator, const Vision& vision) {
  const Pyramid& pyramid = vision.pyramid;
  Camera camera{accelerator, vision, 1, 1};
  const Graph graph = make_graph(static_cast<int>(pyramid.levels.size()), Grain::monolithic);
  constexpr std::uint64_t frame = 7;
  camera.perform(graph.nodes[0].steps, frame);
  const FrameBuffers& buffers = camera.buffers(frame);

  FrameMemory memory{pyramid, vision.classifier.weights.data()};
  const FrameData& data = memory.data();
  std::ranges::copy(buffers.drawn, data.frame);
  run_backwards(pyramid, data);

  CheckResult result{"largest difference from the reference      found      allowed\n"};
  Differences seen;
  for (const Level& level : pyramid.levels) {
    compare_pixels(level, data, seen);
    compare_cells(level, data, seen);
  }
  judge(result, "resize, grey levels", seen.pixel, 2);
  judge(result, "gradient, grey levels", seen.magnitude, 1.0 / 16);
  judge(result, "gradient, degrees", seen.angle, 0.2);
  judge(result, "histogram, grey levels", seen.histogram, 0);
  judge(result, "normalise, of 1", seen.feature, 0.01);
  judge(result, "classify", seen.score, 0);

  result.text +=
      fmt::format("\nvalues that differ between the {} accelerator and the CPU\n", accelerator.name());
  const FrameData& there = buffers.data;
  judge_equal(result, "resize", accelerator, there.pixels, data.pixels, pyramid.pixels);
  judge_equal(result, "gradient", accelerator, there.gradients, data.gradients, pyramid.pixels);
  judge_equal(result, "histogram", accelerator, there.histograms, data.histograms, pyramid.cells * bins);
  judge_equal(result, "normalise", accelerator, there.features, data.features, pyramid.blocks * block_values);
  judge_equal(result, "classify", accelerator, there.scores, data.scores, pyramid.windows);
  const auto detections = [&](std::span<const std::int32_t> scores) {
    return collect(pyramid, scores, vision.classifier.threshold);
  };
  const bool same = detections(buffers.scores_on_host) ==
                    detections({data.scores, static_cast<std::size_t>(pyramid.windows)});
  judge(result, "detections", same ? 0 : 1, 0);
  const Found found = camera.found();
  judge(result, "figures not found", static_cast<double>(found.drawn - found.found), 0);
  return result;
}

}  // namespace hog
