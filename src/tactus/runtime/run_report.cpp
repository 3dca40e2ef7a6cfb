// What follows from the report of a run.
#include <algorithm>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/observed_chains.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus {

std::vector<analysis::ProvenBound> RunReport::proven_bounds() const {
  std::vector<analysis::ProvenBound> proven;
  proven.reserve(bounds.size());
  for (TaskIndex i = 0; i < bounds.size(); ++i) {
    proven.push_back({bounds[i], i < deadline_only.size() && deadline_only[i]});
  }
  return proven;
}

std::vector<TaskIndex> RunReport::exceeded_bounds() const {
  std::vector<TaskIndex> exceeded;
  for (TaskIndex i = 0; i < outcome.tasks.size(); ++i) {
    // A pending job counts with its age.
    const std::optional<Duration>& longest = outcome.tasks[i].longest_known;
    if (bounds[i] && longest && *longest > *bounds[i]) exceeded.push_back(i);
  }
  return exceeded;
}

bool RunReport::holds() const {
  const bool ran = outcome.ending == runtime::RunEnd::horizon || outcome.ending == runtime::RunEnd::stopped;
  const bool had_room = std::all_of(outcome.tasks.begin(), outcome.tasks.end(),
                                    [](const trace::TaskTally& tally) { return tally.no_room == 0; });
  const bool bounds_hold =
      exceeded_bounds().empty() && analysis::broken_chain_bounds(chain_bounds, chains).empty();
  return ran && had_room && misses == 0 && analysis::chain_misses(chains) == 0 &&
         (!counts_overheads() || bounds_hold);
}

}  // namespace tactus
