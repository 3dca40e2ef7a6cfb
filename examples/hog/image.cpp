#include "image.hpp"

#include <fstream>
#include <string>
#include <tactus/system.hpp>

namespace hog {

namespace {

/// The next number of the header; comments begin with # and end with their line.
int read_number(std::istream& in) {
  while (in >> std::ws && in.peek() == '#') in.ignore(1 << 16, '\n');
  int number = 0;
  in >> number;
  return in ? number : 0;
}

}  // namespace

Image read_image(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::string kind(2, ' ');
  in.read(kind.data(), 2);
  if (!in) throw tactus::InputError{"cannot read the image " + file.string()};
  const int width = read_number(in);
  const int height = read_number(in);
  const int largest = read_number(in);
  in.get();  // the one white space after the header
  const bool colours = kind == "P6";
  if ((kind != "P5" && !colours) || width < 1 || height < 1 || width > 8192 || height > 8192 ||
      largest != 255) {
    throw tactus::InputError{file.string() + " is no binary PGM or PPM image with values up to 255"};
  }
  Image image{width, height};
  if (!colours) {
    in.read(reinterpret_cast<char*>(image.pixels.data()), static_cast<std::streamsize>(image.pixels.size()));
  } else {
    std::vector<std::uint8_t> values(3 * image.pixels.size());
    in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size()));
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {  // the weights of ITU-R BT.601, in 1/256
      image.pixels[i] = static_cast<std::uint8_t>(
          (77U * values[3 * i] + 150U * values[3 * i + 1] + 29U * values[3 * i + 2]) >> 8U);
    }
  }
  if (!in) throw tactus::InputError{file.string() + " ends before its last pixel"};
  return image;
}

}  // namespace hog
