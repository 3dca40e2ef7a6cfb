#include "tactus/sweep/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/random.hpp"

namespace tactus::sweep {

namespace {

std::uint64_t hash(std::string_view text) {
  std::uint64_t state = text.size();
  for (const char c : text) state = mix_bits(state ^ static_cast<unsigned char>(c));
  return state;
}

}  // namespace

bool Experiment::measures_also(Measure measure) const {
  return std::find(measures.begin(), measures.end(), measure) != measures.end();
}

std::string curve_name(const Experiment& experiment, std::size_t analysis) {
  const std::string_view id = experiment.analyses[analysis].id;
  if (experiment.policies.empty()) return std::string{id};
  return fmt::format("{} ({})", id, experiment.policies[experiment.policy_of[analysis]].name);
}

std::vector<Panel> panels(const Experiment& experiment) {
  std::vector<Panel> all;
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    const Point& point = experiment.points[i];
    const std::string value = point.second ? generate::to_text(*point.second) : "";
    if (all.empty() || all.back().value != value) all.push_back({value, i, 0});
    ++all.back().count;
  }
  return all;
}

Rational number_of(const generate::ParameterValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return Rational{*integer};
  if (const auto* duration = std::get_if<Duration>(&value)) return Rational{duration->count()};
  return std::get<Rational>(value);
}

System make_system(const Experiment& experiment, const Point& point, std::int64_t number) {
  const std::string value = generate::to_text(point.value);
  const std::uint64_t seed =
      draw_bits(experiment.seed, Purpose::system, hash(value), static_cast<std::uint64_t>(number));
  System system = experiment.generator.make(point.parameters, seed);
  const std::string second =
      point.second ? fmt::format(" {}={}", experiment.second, generate::to_text(*point.second)) : "";
  system.name = fmt::format("{} {}={}{} {}", experiment.name, experiment.varied, value, second, number);
  return system;
}

}  // namespace tactus::sweep
