// Priorities under `single-stream` and `multi-stream`.
#pragma once

#include "tactus/plan/plan.hpp"

namespace tactus::plan {

/// For order `fp`: the priorities of the file if they hold, else deadline-monotonic ones, else those that a
/// search finds. For order `edf` there is nothing to choose.
void plan_streams(Plan& plan, const System& system, const Watch& watch);

}  // namespace tactus::plan
