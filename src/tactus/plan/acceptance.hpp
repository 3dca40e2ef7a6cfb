// Whether a complete system is proven schedulable, by which analysis, and with which margins.
#pragma once

#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/model/system.hpp"
#include "tactus/plan/plan.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

/// The first sound analysis of the registry that proves the system schedulable; null where none does.
const analysis::Analysis* accepting_analysis(const analysis::CheckResult& result);

/// Every task with its bound and margin.
std::vector<TaskPlan> task_plans(const System& system, const analysis::CheckResult& result);

/// The same tasks where only their deadlines are known.
std::vector<TaskPlan> task_plans(const System& system);

/// Checks the system; where it is schedulable, enters it into the plan as found.
bool accept(Plan& plan, const System& complete, const std::string& how, const Watch& watch);

/// Enters by how much each deadline can shrink, into a plan that was found. Left out where that would take
/// too long, and from where the watch stops.
void measure_shrink(Plan& plan, const Watch& watch);

/// Why the analyses of the strategy do not prove a system, one sentence each: those that apply, or else why
/// none does.
std::string objections(const System& system, const analysis::CheckResult& result);

}  // namespace tactus::plan
