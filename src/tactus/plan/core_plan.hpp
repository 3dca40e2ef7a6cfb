// Cores, reservations and priorities under `sm-cores`.
#pragma once

#include "tactus/plan/plan.hpp"

namespace tactus::plan {

void plan_cores(Plan& plan, const System& system, const Watch& watch);

}  // namespace tactus::plan
