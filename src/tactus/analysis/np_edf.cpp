#include "tactus/analysis/np_edf.hpp"

#include <utility>

#include "tactus/analysis/demand_judge.hpp"

namespace tactus::analysis {

Result np_edf(const System& system) {
  GpuServers gpu = single_stream_servers(system);
  if (!gpu.why_not.empty()) return does_not_apply(std::move(gpu.why_not));
  if (std::string why_not = find_other_order(system, Order::edf); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  ServerResults results{system};
  const GpuServer& server = gpu.servers.front();
  if (std::optional<DemandProblem> problem = demand_problem(server)) {
    for (const GpuTask& task : server.tasks) {
      problem->blockers.push_back({task.cost.count(), task.deadline, task.task});
    }
    add_best_effort(*problem, server);
    const bool refutes = all_are_sporadic(system) && sees_releases_at_once(server) && gpu.costs_are_tight;
    results.is_exact(refutes);
    judge_demand(system, server, *problem, refutes, results);
  } else {
    judge_late_release(system, server, results);
  }
  return std::move(results).finish(
      "in every interval the jobs fit, with the longest one that may be in their way");
}

Analysis np_edf_analysis() {
  return {.id = "np-edf",
          .title = "Non-preemptive EDF in one stream",
          .source = "PRUDA, Theorem 1, corrected; Jeffay, Stanat and Martel (1991)",
          .strategy = "single-stream",
          .needs =
              "single-stream, order edf; periodic or sporadic tasks of copies, kernels and exclusive work, "
              "deadlines no longer than periods",
          .kind = Kind::exact,
          .sound = true,
          .run = np_edf};
}

}  // namespace tactus::analysis
