#include "tactus/analysis/observed_chains.hpp"

#include <optional>

namespace tactus::analysis {

std::vector<BrokenChainBound> broken_chain_bounds(std::span<const EffectResult> chains,
                                                  std::span<const trace::ChainStatistics> seen) {
  std::vector<BrokenChainBound> broken;
  const auto compare = [&](const std::string& chain, const char* what, const std::optional<Duration>& bound,
                           const trace::FlowTimes& times) {
    const std::optional<Duration>& longest = times.longest_known;
    if (bound && longest && *longest > *bound) broken.push_back({chain, what, *longest, *bound});
  };
  for (std::size_t i = 0; i < seen.size(); ++i) {
    compare(chains[i].name, "reaction", chains[i].reaction_bound, seen[i].reaction);
    compare(chains[i].name, "age", chains[i].age_bound, seen[i].age);
  }
  return broken;
}

std::uint64_t chain_misses(std::span<const trace::ChainStatistics> seen) {
  std::uint64_t misses = 0;
  for (const trace::ChainStatistics& chain : seen) misses += chain.reaction.misses + chain.age.misses;
  return misses;
}

}  // namespace tactus::analysis
