// What a simulation came to, as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/sim/simulate.hpp"

namespace tactus::sim {

/// Adds "horizon_ns", "reached_ns", "ending", "released", "completed" and "pending" to what `json` holds
/// already.
void to_json(nlohmann::ordered_json& json, const Outcome& outcome);

}  // namespace tactus::sim
