// What the tests that compare demand with supply share: a problem for each server, and its answer in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/demand.hpp"
#include "tactus/analysis/server_results.hpp"

namespace tactus::analysis {

/// One server's tasks as a test sees them. `who` of a blocker is the index of its task in the system.
struct DemandProblem {
  std::vector<DemandTask> tasks;
  std::vector<Blocker> blockers;
  SupplyBound supply = SupplyBound::always();
};

/// A problem without blockers: what each task adds to its cost comes from the caller. Nothing where a task
/// may be seen only after its deadline; then the caller has no problem to solve.
std::optional<DemandProblem> demand_problem(const GpuServer& server);

/// The best-effort tasks of a server block whatever the length of the interval.
void add_best_effort(DemandProblem& problem, const GpuServer& server);

/// Tests one server and files what was found. `refutes`: a failure shows that a deadline can be missed.
void judge_demand(const System& system, const GpuServer& server, const DemandProblem& problem, bool refutes,
                  ServerResults& results);

/// Files a server without a problem to solve: a job may be seen only after its deadline.
void judge_late_release(const System& system, const GpuServer& server, ServerResults& results);

}  // namespace tactus::analysis
