// Frames of a camera: figures that walk to and fro before a noisy background. Every frame follows from the
// seed of the camera and the frame's number alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "image.hpp"

namespace hog {

/// A walking figure. The height is that of the body; the middle is that of its box, which is as wide and high
/// as a detector's window around it: 2/3 by 4/3 of the height.
struct Figure {
  double middle_x = 0;
  double middle_y = 0;
  double height = 96;
  double phase = 0;  // of its steps, in radians
  int shade = 0;
};

void draw_figure(const Canvas& canvas, const Figure& figure);
Box box_of(const Figure& figure);

/// Houses, poles and sky, in middle shades.
Image make_background(std::uint64_t seed, int width, int height);

/// Noise of up to 8 grey levels on every pixel. Each row takes another part of the same random values.
class Noise {
 public:
  explicit Noise(std::uint64_t seed);

  /// The canvas is at most 8192 pixels wide.
  void add(const Canvas& canvas, std::uint64_t seed) const;

 private:
  std::array<std::int8_t, 65536> values_{};
};

class Scene {
 public:
  /// Figures are as large as levels up to `largest_scale` find them.
  Scene(std::uint64_t seed, int width, int height, double largest_scale);

  void draw(std::uint64_t frame, const Canvas& canvas) const;
  [[nodiscard]] std::vector<Figure> figures(std::uint64_t frame) const;

 private:
  /// Each figure has a strip of the frame to itself, so none hides another.
  struct Walk {
    double left = 0;
    double right = 0;
    double middle_y = 0;
    double height = 0;
    double speed = 0;  // pixels a frame
    double start = 0;
    int shade = 0;
  };
  std::uint64_t seed_;
  Noise noise_;
  Image background_;
  std::vector<Walk> walks_;
};

}  // namespace hog
