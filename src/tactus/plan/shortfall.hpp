// Which task of a server fails under a supply, and by how much.
#pragma once

#include "tactus/plan/plan.hpp"
#include "tactus/plan/server_budget.hpp"

namespace tactus::plan {

/// EDF: the task whose deadline ends the interval in which demand exceeds supply, and the excess.
/// Fixed priorities: the most urgent task that misses in the order of the server, and its bound less its
/// deadline. Nothing where the server holds.
std::optional<Shortfall> find_shortfall(const System& system, const ServerBudget& need,
                                        const analysis::SupplyBound& supply);

}  // namespace tactus::plan
