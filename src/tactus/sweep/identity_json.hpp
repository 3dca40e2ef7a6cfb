// What makes two sweeps the same: everything that decides the numbers, and nothing else.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tactus/sweep/experiment.hpp"

namespace tactus::sweep {

/// Version and sources of Tactus, generator with all parameters, points, analyses, systems and seed. Name,
/// title, comments and threads are not in it. Analyses of your own are told apart by their ids only.
nlohmann::ordered_json identity(const Experiment& experiment);

/// What differs, a phrase each: "seed is 1 there and 2 here".
std::vector<std::string> differences(const nlohmann::ordered_json& there, const nlohmann::ordered_json& here);

}  // namespace tactus::sweep
