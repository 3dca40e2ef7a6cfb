#include "tactus/report/timeline_colours.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace tactus::report::colours {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

double linear(int component) {
  const double value = component / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

Vector linear_rgb(std::string_view colour) {  // "#rrggbb"
  Vector rgb{};
  for (std::size_t i = 0; i < 3; ++i)
    rgb[i] = linear(std::stoi(std::string{colour.substr(1 + 2 * i, 2)}, nullptr, 16));
  return rgb;
}

Vector times(const Matrix& matrix, const Vector& vector) {
  Vector result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result[i] += matrix[i][j] * vector[j];
    result[i] = std::clamp(result[i], 0.0, 1.1);
  }
  return result;
}

// CIE L*a*b* (white D65), in which distances are about those people see.
Vector lab(const Vector& rgb) {
  constexpr Matrix to_xyz{{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
  constexpr Vector white{0.9505, 1.0, 1.089};
  Vector f = times(to_xyz, rgb);
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = f[i] / white[i];
    f[i] = t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116.0;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

// How eyes without one kind of cone see colours (Machado, Oliveira and Fernandes, 2009, severity 1).
constexpr std::array<Matrix, 4> eyes{
    {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
     {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
     {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};

double distance(std::string_view a, std::string_view b, const Matrix& eye) {
  const Vector x = lab(times(eye, linear_rgb(a)));
  const Vector y = lab(times(eye, linear_rgb(b)));
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}

TEST(TimelineColours, AreToldApartByEveryEye) {
  constexpr double clearly = 15;
  for (const Matrix& eye : eyes) {
    for (TaskIndex a = 0; a < 7; ++a) {
      for (TaskIndex b = 0; b < a; ++b) {
        const SvgPaint one = of_task(a).fill;
        const SvgPaint other = of_task(b).fill;
        EXPECT_GT(distance(one.light, other.light, eye), clearly) << one.light << " " << other.light;
        EXPECT_GT(distance(one.dark, other.dark, eye), clearly) << one.dark << " " << other.dark;
      }
    }
  }
}

double contrast(std::string_view a, std::string_view b) {
  const auto luminance = [](std::string_view colour) {
    const Vector rgb = linear_rgb(colour);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  };
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

TEST(TimelineColours, CarryReadableText) {
  for (TaskIndex task = 0; task < 7; ++task) {
    const TaskPaint paint = of_task(task);
    EXPECT_GT(contrast(paint.text.light, paint.fill.light), 3.0) << paint.fill.light;
    EXPECT_GT(contrast(paint.text.dark, paint.fill.dark), 3.0) << paint.fill.dark;
  }
  for (const SvgPaint& text : {ink, faint, miss}) {
    EXPECT_GT(contrast(text.light, card.light), 4.5) << text.name;
    EXPECT_GT(contrast(text.dark, card.dark), 4.5) << text.name;
  }
}

TEST(TimelineColours, HaveTexturesForFurtherTasks) {
  std::set<std::string> paints;
  for (TaskIndex task = 0; task < 28; ++task) paints.insert(filled(of_task(task)));
  EXPECT_EQ(paints.size(), 28U);
  EXPECT_EQ(filled(of_task(28)), filled(of_task(0))) << "then they come again";
}

}  // namespace
}  // namespace tactus::report::colours
