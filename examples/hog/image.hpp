// Grey images, and image files: binary PGM (P5) and PPM (P6) with 8 bits a value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace hog {

/// Pixels to draw on, row by row.
struct Canvas {
  int width = 0;
  int height = 0;
  std::span<std::uint8_t> pixels;

  [[nodiscard]] std::uint8_t& at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y * width + x)];
  }
};

struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;

  Image(int columns, int rows)
      : width{columns}, height{rows}, pixels(static_cast<std::size_t>(columns * rows)) {}
  [[nodiscard]] Canvas canvas() { return {width, height, pixels}; }
};

/// In frame pixels.
struct Box {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  friend bool operator==(const Box&, const Box&) = default;
};

/// Reads a file; colours become grey. InputError when it is no such image.
Image read_image(const std::filesystem::path& file);

}  // namespace hog
