#include <algorithm>
#include <array>

#include "tactus/generate/generator.hpp"

namespace tactus::generate {

std::span<const Generator> generators() {
  static const std::array<Generator, 4> all{gpu_jobs(), pruda(), rtgpu(), shared_gpu()};
  return all;
}

const Generator* find_generator(std::string_view id) {
  const std::span<const Generator> all = generators();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Generator& generator) { return generator.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tactus::generate
