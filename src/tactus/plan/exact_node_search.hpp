// All choices of cores, variants and priorities, without those that cannot hold or cannot be the best: a
// search by branch and bound, for systems whose nodes go to servers of their own.
//
// Tasks are placed one after the other: on each core, with each variant of their work, before and after each
// task with which they share a server that serves by priority, and where the GPU's order may be another also
// at each place in that. Those that are placed are checked without the others; for the chains, these take
// what they take at the least with the machine to themselves. What does not hold even so is left out with all
// that follows from it, and so is what has no smaller latency than the best so far.
//
// Claim: if any choice is accepted by `check`, one is found, of the least latency. It rests on this property
// of the analyses: no bound becomes longer when other tasks are left out
// (tests/plan/exact_node_search_test.cpp looks for systems that break it), and no chain's when its tasks take
// less. Two orders that differ only for tasks that share no server by priority are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/plan/node_choices.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

struct ExactGoal {
  /// Chains whose latencies count, as indices into the system's; none: whatever holds will do.
  std::vector<std::size_t> chains{};
  std::int64_t limit = 0;                // systems that are checked at most; 0: no limit
  std::optional<NodeCandidate> first{};  // one that holds
};

struct ExactResult {
  std::optional<NodeCandidate> best;
  Int128 latency = 0;        // of the best, in nanoseconds
  std::int64_t checked = 0;  // systems
  bool is_complete = false;  // nothing else holds, or is better
};

/// Whether the search is about such systems: what is open is cores, variants and priorities, the engine needs
/// no time, and nothing is open of best-effort tasks.
bool has_exact_search(const NodeChoices& choices);

/// Until it is complete, or the watch or the limit ends it.
ExactResult search_exactly(const NodeChoices& choices, const ExactGoal& goal, const Watch& watch);

/// Of a system that has an exact search: the first task, of those that need most, that does not hold even
/// with the machine to itself, alone and with the choices that give it least to do; nothing where all hold.
std::optional<System> find_late_alone(const NodeChoices& choices, const Watch& watch);

}  // namespace tactus::plan
