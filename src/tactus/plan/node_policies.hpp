// The policies that `plan` tries for a system whose nodes go to servers of their own: the windows of
// `sm-cores` on a grid, other numbers of levels, other time slices; where nodes are timed, what the file does
// not say of order, clusters and parallel jobs.
#pragma once

#include <string>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::plan {

/// What the file says comes first, where it is complete.
std::vector<Policy> policies_to_try(const System& system);

/// What differs between them: "reservations", "levels", "the time slice", or what is open of "the order",
/// "clusters" and "parallel jobs".
std::vector<std::string> policy_words(const System& system);

/// What was chosen: "levels: 2", "time slice: 1ms", "order: fl, clusters: global, parallel_jobs: true".
std::string chosen_policy_text(const Policy& policy);

}  // namespace tactus::plan
