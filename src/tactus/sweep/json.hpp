// The results of an experiment as JSON (docs/json.md), and counts as they are kept and sent.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tactus/sweep/results.hpp"

namespace tactus::sweep {

nlohmann::ordered_json to_json(const Experiment& experiment, const SweepResult& result);

/// The manifest: version, seed, command, date, duration, speed, and whether all points are there.
nlohmann::ordered_json manifest(const Experiment& experiment, const SweepResult& result,
                                const Provenance& provenance);

nlohmann::json to_json(const PartCounts& part);

/// Nothing when the JSON is not what `to_json` writes for that many analyses.
std::optional<PartCounts> read_part_counts(const nlohmann::json& json, std::size_t analyses);

/// The identity of a sweep, all that determines its numbers: version and sources of Tactus, generator with
/// all parameters, points, analyses, systems and seed. Name, title, comments and threads are not in it.
/// Analyses of your own are distinguished by their ids only.
nlohmann::ordered_json identity(const Experiment& experiment);

/// The differences as phrases: "seed is 1 there and 2 here".
std::vector<std::string> differences(const nlohmann::ordered_json& there, const nlohmann::ordered_json& here);

}  // namespace tactus::sweep
