// Virtual SMs, and where needed priorities and rates, under `federated`.
#pragma once

#include "tactus/plan/plan.hpp"

namespace tactus::plan {

/// The SMs of the file are kept, and so are its priorities. Without priorities the order of deadlines is
/// tried first and then others. InputError for scripted jobs whose times depend on what is planned.
void plan_federated(Plan& plan, const System& system, const PlanGoals& options, const Watch& watch);

}  // namespace tactus::plan
