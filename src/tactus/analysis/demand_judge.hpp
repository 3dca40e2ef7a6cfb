// Shared by the tests that compare demand with supply: the problem of each server, and its result in words.
#pragma once

#include <optional>
#include <vector>

#include "tactus/analysis/demand.hpp"
#include "tactus/analysis/server_results.hpp"

namespace tactus::analysis {

/// One server's tasks as a test sees them. `who` of a blocker is the index of its task in the system.
struct DemandProblem {
  std::vector<DemandTask> tasks;
  std::vector<Blocker> blockers;
  SupplyBound supply = SupplyBound::always();
  Duration shortest{};  // no shorter interval is looked at; 0: than the shortest deadline
};

/// A problem without blockers; the caller gives the extra cost of each task. Nothing where a task
/// may be seen only after its deadline.
std::optional<DemandProblem> demand_problem(const GpuServer& server);

/// Adds the best-effort tasks of a server, which block intervals of any length.
void add_best_effort(DemandProblem& problem, const GpuServer& server);

/// Adds what a counted engine does beside the jobs; after all blockers, which it lengthens.
void add_engine(DemandProblem& problem, const GpuServer& server);

/// Tests one server and adds the result. `refutes`: a failure proves that a deadline can be missed.
void judge_demand(const System& system, const GpuServer& server, const DemandProblem& problem, bool refutes,
                  ServerResults& results);

/// Adds the result of a server without such a problem: a job may be seen only after its deadline.
void judge_late_release(const System& system, const GpuServer& server, ServerResults& results);

}  // namespace tactus::analysis
