#include "classifier.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "collect.hpp"
#include "dice.hpp"
#include "scene.hpp"
#include "stages.hpp"

namespace hog {

namespace {

constexpr int margin = cell_pixels;  // around the window, so that its border has neighbours

struct Sample {
  std::vector<std::int16_t> features;  // in the order of the weights; one more that is always 1
  int sign = 1;                        // -1: no figure
};

/// The features of the windows of a frame.
class FeatureReader {
 public:
  FeatureReader(int width, int height, int levels)
      : pyramid_{make_pyramid(width, height, levels)}, memory_{pyramid_} {}

  void add_noise(Image& image, std::uint64_t seed) const { noise_.add(image.canvas(), seed); }
  void read(const Image& image) {
    const FrameData data = memory_.data();
    std::ranges::copy(image.pixels, data.frame);
    for (const Level& level : pyramid_.levels) {
      for (const Stage stage : {Stage::resize, Stage::gradient, Stage::histogram, Stage::normalise}) {
        run_stage(stage, level, data);
      }
    }
  }
  [[nodiscard]] Sample sample(const Level& level, int window_x, int window_y, int sign) const {
    const FrameData data = memory_.data();
    const int plane = level.blocks_x * level.blocks_y;
    Sample sample{{}, sign};
    for (int row = 0; row < window_blocks_y; ++row) {
      for (int value = 0; value < block_values; ++value) {
        for (int column = 0; column < window_blocks_x; ++column) {
          const int block = (window_y + row) * level.blocks_x + window_x + column;
          sample.features.push_back(data.features[level.first_block * block_values + value * plane + block]);
        }
      }
    }
    sample.features.push_back(feature_unit);
    return sample;
  }
  [[nodiscard]] const Pyramid& pyramid() const { return pyramid_; }

 private:
  Noise noise_{3};
  Pyramid pyramid_;
  FrameMemory memory_;
};

/// A figure near the middle of the window, as a grid of windows and levels would meet it, or far from it.
Sample draw_sample(FeatureReader& reader, Dice& dice, int sign) {
  constexpr int width = window_width + 2 * margin;
  constexpr int height = window_height + 2 * margin;
  Image image = make_background(dice.bits(), width, height);
  Figure figure;
  const bool aside = dice.whole(0, 1) == 0;
  const double shift_x = sign > 0 ? dice.real(-5, 5) : (aside ? dice.real(20, 40) : dice.real(-40, -20));
  figure.middle_x = width / 2.0 + shift_x;
  figure.middle_y = height / 2.0 + (sign > 0 ? dice.real(-5, 5) : dice.real(-60, 60));
  figure.height = 96 * (sign > 0 ? dice.real(0.92, 1.08) : dice.real(0.5, 2.0));
  figure.phase = dice.real(0, 2 * std::numbers::pi);
  figure.shade = dice.whole(0, 1) == 0 ? dice.whole(15, 45) : dice.whole(215, 240);
  draw_figure(image.canvas(), figure);
  reader.add_noise(image, dice.bits());
  reader.read(image);
  return reader.sample(reader.pyramid().levels[0], 1, 1, sign);
}

std::vector<Sample> draw_samples() {
  constexpr int figures = 400;
  Dice dice{18};
  std::vector<Sample> samples;
  FeatureReader window{window_width + 2 * margin, window_height + 2 * margin, 1};
  for (int i = 0; i < figures; ++i) {
    samples.push_back(draw_sample(window, dice, 1));
    samples.push_back(draw_sample(window, dice, -1));
  }
  return samples;
}

double score_of(std::span<const double> weights, const Sample& sample) {
  double score = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) score += weights[i] * sample.features[i];
  return score;
}

/// Adds windows of frames that are taken for figures, or nearly, and are none.
void add_mistakes(std::span<const double> weights, std::vector<Sample>& samples) {
  constexpr int scenes = 16;
  constexpr std::uint64_t frame = 5;
  FeatureReader reader{480, 320, 8};
  const Pyramid& pyramid = reader.pyramid();
  Image image{pyramid.width, pyramid.height};
  for (int i = 0; i < scenes; ++i) {
    const Scene scene{static_cast<std::uint64_t>(1000 + i), image.width, image.height,
                      static_cast<double>(pyramid.levels.back().scale) / full_scale};
    scene.draw(frame, image.canvas());
    reader.read(image);
    const std::vector<Figure> figures = scene.figures(frame);
    for (const Level& level : pyramid.levels) {
      for (int window = 0; window < level.windows_x * level.windows_y; ++window) {
        const int x = window % level.windows_x;
        const int y = window / level.windows_x;
        const Box box = window_box(level, x, y);
        if (std::ranges::any_of(
                figures, [&](const Figure& figure) { return common_percent(box, box_of(figure)) > 40; })) {
          continue;
        }
        Sample sample = reader.sample(level, x, y, -1);
        if (score_of(weights, sample) > -0.5 * feature_unit) samples.push_back(std::move(sample));
      }
    }
  }
}

/// Stochastic subgradient descent on the hinge loss (Shalev-Shwartz et al., Pegasos, 2007). All weights
/// shrink a little in each step; a factor that they have in common does that at once.
std::vector<double> fit_weights(std::span<const Sample> samples) {
  constexpr int rounds = 12;
  constexpr double regularisation = 1e-3;
  constexpr double wanted = double{feature_unit} * feature_unit;  // distance from the plane
  Dice dice{11};
  std::vector<double> weights(window_values + 1);
  double factor = 1;
  const auto count = static_cast<int>(samples.size());
  for (int step = count + 1; step <= (rounds + 1) * count; ++step) {
    const Sample& sample = samples[dice.bits() % samples.size()];
    const double score = score_of(weights, sample) * factor;
    factor *= 1 - 1.0 / step;
    if (sample.sign * score >= wanted) continue;
    const double push = sample.sign / (regularisation * step * factor);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += push * sample.features[i];
  }
  for (double& weight : weights) weight *= factor / feature_unit;
  return weights;
}

/// The largest factor with which weights fit 16 bits and scores 31: a block's features have the norm 1, so
/// that its part of a score is at most the norm of its weights.
double scale_of(const std::vector<double>& weights) {
  double largest = 0;
  double norms = 0;
  for (int row = 0; row < window_blocks_y; ++row) {
    for (int column = 0; column < window_blocks_x; ++column) {
      double squares = 0;
      for (int value = 0; value < block_values; ++value) {
        const double weight =
            weights[static_cast<std::size_t>((row * block_values + value) * window_blocks_x + column)];
        squares += weight * weight;
        largest = std::max(largest, std::abs(weight));
      }
      norms += std::sqrt(squares);
    }
  }
  return std::min(30000 / largest, 0x1p29 / (norms * feature_unit));
}

}  // namespace

Classifier train_classifier() {
  std::vector<Sample> samples = draw_samples();
  std::vector<double> weights = fit_weights(samples);
  for (int i = 0; i < 2; ++i) {
    add_mistakes(weights, samples);
    weights = fit_weights(samples);
  }
  const double bias = weights.back() * feature_unit;
  weights.pop_back();
  const double scale = scale_of(weights);
  Classifier classifier;
  for (const double weight : weights) {
    classifier.weights.push_back(static_cast<std::int16_t>(std::lround(weight * scale)));
  }
  // Training asks for a distance of 1. Of the many windows around a figure the best one counts, which lies
  // further away; a background must not be taken for a figure in any of its many more windows.
  classifier.threshold = static_cast<std::int32_t>(std::lround((2 * feature_unit - bias) * scale));
  return classifier;
}

}  // namespace hog
