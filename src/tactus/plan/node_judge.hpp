// How near a complete system is to holding.
#pragma once

#include "tactus/base/watch.hpp"
#include "tactus/model/system.hpp"
#include "tactus/plan/node_search.hpp"

namespace tactus::plan {

/// SearchStopped soon after the watch stops.
NodeJudgement judge_nodes(const System& system, const Watch& watch);

}  // namespace tactus::plan
