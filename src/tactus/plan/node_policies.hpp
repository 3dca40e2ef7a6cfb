// The policies that `plan` tries for a system whose nodes go to servers of their own: the windows of
// `sm-cores` on a grid, other numbers of levels, other time slices.
#pragma once

#include <string_view>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::plan {

/// What the file says comes first, where it is complete.
std::vector<Policy> policies_to_try(const System& system);

/// "reservations", "levels" or "the time slice": what differs between them.
std::string_view policy_word(const Policy& policy);

}  // namespace tactus::plan
