// Parameters of generators as an experiment file gives them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/generate/generator.hpp"
#include "tactus/generate/read_parameters.hpp"

namespace tactus::test {

using Settings = std::vector<std::pair<std::string_view, std::string_view>>;

/// The generator's parameters with these settings.
inline generate::Parameters with(const generate::Generator& generator, const Settings& settings) {
  generate::Parameters parameters{generator.parameters};
  for (const auto& [key, text] : settings) {
    parameters.set(key, generate::parse_value(*parameters.find_specification(key), text, "test"));
  }
  return parameters;
}

inline const generate::Generator& named(std::string_view id) { return *generate::find_generator(id); }

/// The parameters that problems are told of, in their order.
inline std::vector<std::string_view> problem_keys(std::string_view id, const Settings& settings) {
  std::vector<std::string_view> keys;
  for (const generate::ParameterProblem& problem : named(id).check(with(named(id), settings))) {
    keys.push_back(problem.key);
  }
  return keys;
}

/// System `seed`; the settings must be possible.
inline System make_system(std::string_view id, const Settings& settings, std::uint64_t seed) {
  return named(id).make(with(named(id), settings), seed);
}

}  // namespace tactus::test
