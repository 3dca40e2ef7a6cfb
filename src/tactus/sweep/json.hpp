// The results of an experiment as JSON (docs/json.md), and counts as they are kept and sent.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/sweep/results.hpp"

namespace tactus::sweep {

nlohmann::ordered_json to_json(const Experiment& experiment, const SweepResult& result);

/// The manifest: version, seed, command, date, duration, speed, and whether all points are there.
nlohmann::ordered_json manifest(const Experiment& experiment, const SweepResult& result,
                                const Provenance& provenance);

nlohmann::json to_json(const PartCounts& part);

/// Nothing when the JSON is not what `to_json` writes for that many analyses.
std::optional<PartCounts> read_part_counts(const nlohmann::json& json, std::size_t analyses);

}  // namespace tactus::sweep
