// Where work goes that may go anywhere: CPU work to cores, GPU work to cores of SMs or SMs of its own.
#pragma once

#include <cstdint>

#include "tactus/plan/node_trials.hpp"

namespace tactus::plan {

enum class Fit : std::uint8_t { first, worst };

/// Open CPU work by falling utilisation: on the first core, or the first of those with the least load, where
/// nothing that has a core is late, or where least is. What has none yet stays on cores of its own.
NodeCandidate placed_on_cores(NodeTrials& trials, NodeCandidate candidate, Fit fit);

/// Open CPU work by falling utilisation, where clusters share their work: each task on the cluster that then
/// has the least load a core. Where all cores share it there is one place.
NodeCandidate spread_over_clusters(const NodeChoices& choices, NodeCandidate candidate);

/// SMs of their own in equal shares, and cores of SMs with about the same work.
NodeCandidate placed_on_gpu(const NodeChoices& choices, NodeCandidate candidate);

}  // namespace tactus::plan
