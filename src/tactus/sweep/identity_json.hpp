// The identity of a sweep: everything that determines its numbers, and nothing else.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tactus/sweep/experiment.hpp"

namespace tactus::sweep {

/// Version and sources of Tactus, generator with all parameters, points, analyses, systems and seed. Name,
/// title, comments and threads are not in it. Analyses of your own are distinguished by their ids only.
nlohmann::ordered_json identity(const Experiment& experiment);

/// The differences as phrases: "seed is 1 there and 2 here".
std::vector<std::string> differences(const nlohmann::ordered_json& there, const nlohmann::ordered_json& here);

}  // namespace tactus::sweep
