// What was seen of effect chains, beside what is proven about them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tactus/analysis/effect_chains.hpp"
#include "tactus/trace/chain_statistics.hpp"

namespace tactus::analysis {

/// A reaction time or an age beyond its bound.
struct BrokenChainBound {
  std::string chain;
  std::string what;  // "reaction" or "age"
  Duration seen{};
  Duration bound{};
};

std::vector<BrokenChainBound> broken_chain_bounds(std::span<const EffectResult> chains,
                                                  std::span<const trace::ChainStatistics> seen);

/// Reactions and ages beyond their limits.
std::uint64_t chain_misses(std::span<const trace::ChainStatistics> seen);

}  // namespace tactus::analysis
