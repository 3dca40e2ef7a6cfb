// How near a complete system is to holding.
#pragma once

#include "tactus/model/system.hpp"
#include "tactus/plan/node_search.hpp"

namespace tactus::plan {

NodeJudgement judge_nodes(const System& system);

}  // namespace tactus::plan
