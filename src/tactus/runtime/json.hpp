// The outcome of a run as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/runtime/outcome.hpp"

namespace tactus::runtime {

/// Adds "reached_ns", "ending", "released", "completed", "pending", "unseen", "dropped", "overruns",
/// "untold", "counts_all", "failure", "not_enforced" and "engine_away" to `json`.
void to_json(nlohmann::ordered_json& json, const Outcome& outcome);

/// How often each assumption about times was broken, and which first.
nlohmann::ordered_json assumptions_json(const System& system, const device::AssumptionsSeen& seen);
/// What the segments of a task took, beside what is assumed.
nlohmann::ordered_json segments_json(const std::vector<device::SegmentTimes>& segments);

}  // namespace tactus::runtime
