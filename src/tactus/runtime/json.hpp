// The outcome of a run as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/runtime/outcome.hpp"

namespace tactus::runtime {

/// Adds "reached_ns", "ending", "released", "completed", "pending", "unseen", "dropped", "overruns",
/// "untold", "counts_all", "failure", "not_enforced" and "engine_away" to `json`.
void to_json(nlohmann::ordered_json& json, const Outcome& outcome);

}  // namespace tactus::runtime
