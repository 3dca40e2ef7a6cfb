// The outcome of a simulation as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/sim/simulate.hpp"

namespace tactus::sim {

/// Adds "horizon_ns", "reached_ns", "ending", "released", "completed" and "pending" to `json`.
void to_json(nlohmann::ordered_json& json, const Outcome& outcome);

}  // namespace tactus::sim
