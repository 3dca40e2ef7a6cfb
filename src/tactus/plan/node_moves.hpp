// The neighbours of a candidate: what may help the tasks that fail in it.
#pragma once

#include <vector>

#include "tactus/plan/node_search.hpp"

namespace tactus::plan {

/// For the most urgent tasks that fail: a higher place, other values of their dimensions, and other values
/// for those that share a server with them.
std::vector<NodeCandidate> node_moves(const NodeChoices& choices, const NodeCandidate& candidate,
                                      const NodeJudgement& judgement);

}  // namespace tactus::plan
