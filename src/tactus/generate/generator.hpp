// What a generator is, and the ones Tactus ships. Adding one is a file and a line in the registry.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "tactus/generate/parameters.hpp"
#include "tactus/model/system.hpp"

namespace tactus::generate {

/// Makes systems from parameters and a seed: the same system on every machine, from any thread, whatever was
/// made before.
struct Generator {
  std::string_view id;
  std::string_view title;
  std::string_view source;
  std::span<const Parameter> parameters;
  /// What is wrong with parameters that are each in their bounds. Empty: `make` can be called.
  std::function<std::vector<ParameterProblem>(const Parameters&)> check;
  /// A valid system. FailureError when the method finds none in reasonable time.
  std::function<System(const Parameters&, std::uint64_t seed)> make;
};

Generator gpu_jobs();
Generator pruda();
Generator rtgpu();
Generator shared_gpu();

/// All of these.
std::span<const Generator> generators();

/// Null when there is none of that id.
const Generator* find_generator(std::string_view id);

}  // namespace tactus::generate
