#include "tactus/sweep/experiment.hpp"

#include <fmt/format.h>

#include "tactus/base/random.hpp"

namespace tactus::sweep {

namespace {

std::uint64_t hash(std::string_view text) {
  std::uint64_t state = text.size();
  for (const char c : text) state = mix(state ^ static_cast<unsigned char>(c));
  return state;
}

}  // namespace

System make_system(const Experiment& experiment, const Point& point, std::int64_t number) {
  const std::string value = generate::to_text(point.value);
  const std::uint64_t seed =
      draw_bits(experiment.seed, Purpose::system, hash(value), static_cast<std::uint64_t>(number));
  System system = experiment.generator.make(point.parameters, seed);
  system.name = fmt::format("{} {}={} {}", experiment.name, experiment.varied, value, number);
  return system;
}

}  // namespace tactus::sweep
