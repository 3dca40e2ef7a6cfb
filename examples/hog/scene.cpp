#include "scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "dice.hpp"
#include "geometry.hpp"

namespace hog {

namespace {

struct Point {
  double x = 0;
  double y = 0;
};

/// A part of the body: all points within `radius` of a line.
struct Limb {
  Point from;
  Point to;
  double radius = 0;

  /// The distance of a point from its surface; negative inside.
  [[nodiscard]] double distance(Point point) const {
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    const double length = dx * dx + dy * dy;
    double along = length > 0 ? ((point.x - from.x) * dx + (point.y - from.y) * dy) / length : 0;
    along = std::clamp(along, 0.0, 1.0);
    const double away_x = point.x - from.x - along * dx;
    const double away_y = point.y - from.y - along * dy;
    return std::sqrt(away_x * away_x + away_y * away_y) - radius;
  }
};

Point swung(Point joint, double angle, double length) {
  return {joint.x + length * std::sin(angle), joint.y + length * std::cos(angle)};
}

/// The body in units of its height, from the top of the head at 0 to the feet at 1.
std::array<Limb, 6> limbs_of(double phase) {
  constexpr Point shoulders{0, 0.24};
  constexpr Point hips{0, 0.52};
  const double leg = 0.42 * std::sin(phase);
  const double arm = -0.5 * std::sin(phase);
  return {{{{0, 0.075}, {0, 0.075}, 0.075},
           {shoulders, hips, 0.105},
           {{-0.035, hips.y}, swung({-0.035, hips.y}, leg, 0.43), 0.05},
           {{0.035, hips.y}, swung({0.035, hips.y}, -leg, 0.43), 0.05},
           {{-0.10, shoulders.y}, swung({-0.10, shoulders.y}, arm, 0.30), 0.03},
           {{0.10, shoulders.y}, swung({0.10, shoulders.y}, -arm, 0.30), 0.03}}};
}

void fill(const Canvas& canvas, const Box& box, int shade) {
  for (int y = std::max(box.y, 0); y < std::min(box.y + box.height, canvas.height); ++y) {
    for (int x = std::max(box.x, 0); x < std::min(box.x + box.width, canvas.width); ++x) {
      canvas.at(x, y) = static_cast<std::uint8_t>(shade);
    }
  }
}

}  // namespace

Box box_of(const Figure& figure) {
  const double height = figure.height * window_height / 96;
  return {static_cast<int>(std::lround(figure.middle_x - height / 4)),
          static_cast<int>(std::lround(figure.middle_y - height / 2)),
          static_cast<int>(std::lround(height / 2)), static_cast<int>(std::lround(height))};
}

void draw_figure(const Canvas& canvas, const Figure& figure) {
  const double top = figure.middle_y - figure.height / 2;
  for (const Limb& limb : limbs_of(figure.phase)) {
    const double reach = limb.radius + 1 / figure.height;
    const auto column = [&](double x) { return static_cast<int>(figure.middle_x + x * figure.height); };
    const auto row = [&](double y) { return static_cast<int>(top + y * figure.height); };
    const int left = std::max(column(std::min(limb.from.x, limb.to.x) - reach), 0);
    const int right = std::min(column(std::max(limb.from.x, limb.to.x) + reach) + 1, canvas.width);
    const int end = std::min(row(std::max(limb.from.y, limb.to.y) + reach) + 1, canvas.height);
    for (int y = std::max(row(std::min(limb.from.y, limb.to.y) - reach), 0); y < end; ++y) {
      for (int x = left; x < right; ++x) {
        const Point point{(x + 0.5 - figure.middle_x) / figure.height, (y + 0.5 - top) / figure.height};
        const double covered =
            std::clamp(0.5 - limb.distance(point) * figure.height, 0.0, 1.0);  // smooth edges
        std::uint8_t& pixel = canvas.at(x, y);
        pixel = static_cast<std::uint8_t>(pixel + covered * (figure.shade - pixel) + 0.5);
      }
    }
  }
}

Image make_background(std::uint64_t seed, int width, int height) {
  Dice dice{seed};
  Image image{width, height};
  const Canvas canvas = image.canvas();
  for (int y = 0; y < height; ++y) fill(canvas, {0, y, width, 1}, 150 - 50 * y / height);
  const int houses = 2 + width / 100;
  for (int i = 0; i < houses; ++i) {
    const int house_height = dice.whole(height / 5, height * 3 / 4);
    fill(canvas, {dice.whole(-40, width), height - house_height, dice.whole(20, width / 4), house_height},
         dice.whole(95, 160));
  }
  for (int i = 0; i < 2 * houses; ++i) {  // windows, signs and poles
    fill(canvas, {dice.whole(0, width), dice.whole(0, height), dice.whole(3, 30), dice.whole(3, 120)},
         dice.whole(90, 165));
  }
  return image;
}

Noise::Noise(std::uint64_t seed) {
  Dice dice{seed};
  for (std::int8_t& value : values_) value = static_cast<std::int8_t>(dice.whole(-8, 7));
}

void Noise::add(const Canvas& canvas, std::uint64_t seed) const {
  Dice dice{seed};
  const auto width = static_cast<std::size_t>(canvas.width);
  for (std::size_t row = 0; row < static_cast<std::size_t>(canvas.height); ++row) {
    const std::int8_t* const noise = values_.data() + dice.bits() % (values_.size() - width);
    std::uint8_t* const pixels = canvas.pixels.data() + row * width;
    for (std::size_t i = 0; i < width; ++i) {
      pixels[i] = static_cast<std::uint8_t>(std::clamp(pixels[i] + noise[i], 0, 255));
    }
  }
}

Scene::Scene(std::uint64_t seed, int width, int height, double largest_scale)
    : seed_{seed}, noise_{seed + 2}, background_{make_background(seed, width, height)} {
  Dice dice{seed + 1};
  const int count = std::clamp(width / 240, 1, 6);
  const double strip = static_cast<double>(width) / count;
  // The box must fit into the strip and the frame, and the body into the windows of some level.
  const double highest = std::min({94 * largest_scale, 0.74 * height, 1.4 * strip});
  for (int i = 0; i < count; ++i) {
    Walk walk;
    walk.height = dice.real(std::min(97.0, highest), highest);
    const double half_box = walk.height / 3;
    walk.left = i * strip + half_box;
    walk.right = std::max((i + 1) * strip - half_box, walk.left);
    const double half_height = walk.height * 2 / 3;
    walk.middle_y = dice.real(half_height, height - half_height);
    walk.speed = dice.real(0.5, 3.0) * walk.height / 96;
    walk.start = dice.real(0, 2 * strip);
    walk.shade = dice.whole(0, 1) == 0 ? dice.whole(15, 45) : dice.whole(215, 240);
    walks_.push_back(walk);
  }
}

std::vector<Figure> Scene::figures(std::uint64_t frame) const {
  std::vector<Figure> figures;
  for (const Walk& walk : walks_) {
    const double room = walk.right - walk.left;
    const double way = walk.start + static_cast<double>(frame) * walk.speed;
    const double place = room > 0 ? std::fmod(way, 2 * room) : 0;
    figures.push_back({.middle_x = walk.left + (place < room ? place : 2 * room - place),
                       .middle_y = walk.middle_y,
                       .height = walk.height,
                       .phase = way / walk.height * 2 * std::numbers::pi,
                       .shade = walk.shade});
  }
  return figures;
}

void Scene::draw(std::uint64_t frame, const Canvas& canvas) const {
  std::ranges::copy(background_.pixels, canvas.pixels.begin());
  for (const Figure& figure : figures(frame)) draw_figure(canvas, figure);
  noise_.add(canvas, (seed_ << 32U) ^ frame);
}

}  // namespace hog
