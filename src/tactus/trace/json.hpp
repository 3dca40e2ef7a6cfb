// What was counted of tasks, as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/trace/job_tally.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::trace {

/// Adds "jobs", "misses", "response_ns", "completed" and "p99_exact" to what `json` holds already.
void to_json(nlohmann::ordered_json& json, const TaskStatistics& statistics);

/// Adds "longest_known_ns", "overruns", "aborted", "failed", "skipped", "no_room" and "pending" to what
/// `json` holds already.
void to_json(nlohmann::ordered_json& json, const TaskTally& tally);

}  // namespace tactus::trace
