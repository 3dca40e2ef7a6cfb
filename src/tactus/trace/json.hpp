// What was counted of tasks and chains, as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/trace/chain_statistics.hpp"
#include "tactus/trace/job_tally.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::trace {

/// Adds "jobs", "misses", "response_ns", "completed", "p99_exact" and "full" to what `json` holds already.
void to_json(nlohmann::ordered_json& json, const TaskStatistics& statistics);

/// Adds "longest_known_ns", "overruns", "aborted", "failed", "skipped", "no_room" and "pending" to what
/// `json` holds already.
void to_json(nlohmann::ordered_json& json, const TaskTally& tally);

/// Adds "reaction_max_ns", "reactions", "reaction_misses", the same for "age" and "outputs", and "complete"
/// to what `json` holds already.
void to_json(nlohmann::ordered_json& json, const ChainStatistics& statistics);

}  // namespace tactus::trace
