// The schedule of `sim` or `run` as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/model/system.hpp"
#include "tactus/trace/chain_statistics.hpp"
#include "tactus/trace/event.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::cli {

nlohmann::ordered_json tasks_json(const System& system, std::span<const trace::TaskStatistics> tasks,
                                  std::span<const analysis::ProvenBound> bounds);

/// Null without chains.
nlohmann::ordered_json chains_json(std::span<const analysis::EffectResult> chains,
                                   std::span<const trace::ChainStatistics> seen);

/// Prints an object with "jobs" and "blocks" at its end. These can have millions of entries, so they are
/// written directly instead of being built in memory. Null: not requested.
void print_with_lists(const nlohmann::ordered_json& json, const System& system,
                      const std::vector<trace::JobEnded>* jobs, const std::vector<trace::BlockRan>* blocks);

}  // namespace tactus::cli
