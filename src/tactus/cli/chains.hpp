// Effect chains in the output of `check`, `sim` and `run`.
#pragma once

#include <span>
#include <string>

#include "tactus/analysis/effect_chains.hpp"
#include "tactus/trace/chain_statistics.hpp"

namespace tactus::cli {

/// Limits, bounds and slack, and a line for every chain that does not hold or has no bound; empty without
/// chains.
std::string chain_bounds_text(std::span<const analysis::EffectResult> chains);

/// What was seen of each chain beside limits and bounds, and a line for every limit that was passed; empty
/// without chains.
std::string chain_times_text(std::span<const analysis::EffectResult> chains,
                             std::span<const trace::ChainStatistics> seen);

}  // namespace tactus::cli
