// Why no division of the SMs holds under `federated`: which task fails, and by how much.
#pragma once

#include <cstdint>

#include "tactus/analysis/federated_tasks.hpp"
#include "tactus/plan/plan.hpp"

namespace tactus::plan {

/// The first task in the order of urgency for which, together with all more urgent tasks, `rtgpu` accepts no
/// division, and by how much at least its bound exceeds its deadline: the least time by which a longer
/// deadline (and period) of that task alone would make these tasks hold.
Shortfall federated_shortfall(const System& system, const analysis::FederatedTasks& tasks, std::int64_t sms,
                              const Watch& watch);

}  // namespace tactus::plan
