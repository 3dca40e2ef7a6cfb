// Searches what is open in a system whose nodes go to servers of their own: priorities, cores, variants,
// virtual SMs, windows.
//
// Audsley's assignment is not exact here: a bound depends on the responses of the other tasks, and so on
// their order. So this is a search with a limit. A candidate is judged by all analyses, as `check` does.
// Where it does not hold and nothing is served by deadlines, it is judged again with longer deadlines: how
// far the bounds are past the deadlines says which candidate is nearer.
//   1. Every policy and variant with open CPU work on cores of its own; then on the cores, first-fit and
//      worst-fit by falling utilisation, and what fits is judged. With the priorities of the file, by
//      deadlines and by slack.
//   2. From the best of them: levels filled from the least urgent up, as Audsley does; then the tasks that
//      fail are moved: up, to other cores, to other variants, more SMs; their neighbours elsewhere.
//   3. All candidates, where there are few.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/plan/node_choices.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

/// What a candidate came to.
struct NodeJudgement {
  bool holds = false;
  bool ruled_out = false;  // by a necessary test, which does not look at priorities
  std::string why_ruled_out{};
  /// How far the bounds are past the deadlines, in thousandths of these; of no bound, a large number.
  std::int64_t excess = 0;
  /// Where the excess is the same: thousandths of the shared GPU, or of what servers lack where nodes are
  /// timed.
  std::int64_t load = 0;
  std::vector<std::int64_t> tasks{};            // the excess of each
  std::vector<std::optional<Duration>> past{};  // the same in time, where it is known
};

struct NodeSearchResult {
  bool found = false;
  bool complete = false;             // not found, and every candidate was tried or ruled out
  bool one_order = false;            // the same, but only with one order for all servers
  bool ruled_out = false;            // and all by a necessary test: nothing can help
  bool has_several_reasons = false;  // why they were ruled out
  std::int64_t tried = 0;
  NodeCandidate best;  // the one that holds, or the nearest
  NodeJudgement judgement;
};

/// Candidates that are tried at most: the fewer the more tasks there are, or where nodes are timed, nodes.
std::int64_t max_node_candidates(const System& system);

/// With a candidate that is tried before all others, where one is given, and so many in all.
struct NodeSearchLimits {
  std::int64_t candidates = 0;
  std::optional<NodeCandidate> first{};
};

NodeSearchResult search_nodes(const NodeChoices& choices, const NodeSearchLimits& limits, const Watch& watch);

}  // namespace tactus::plan
