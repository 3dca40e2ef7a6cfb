#include "tactus/analysis/window_fp.hpp"

#include <utility>

#include "tactus/analysis/response_judge.hpp"
#include "tactus/analysis/window_demand.hpp"

namespace tactus::analysis {

Result window_fp(const System& system) {
  GpuServers cores = sm_core_servers(system);
  if (!cores.why_not.empty()) return does_not_apply(std::move(cores.why_not));
  if (std::string why_not = find_other_order(system, Order::fp); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  ServerResults results{system};
  for (const GpuServer& server : cores.servers) {
    if (fails_to_fit(system, server, results)) continue;
    PreemptiveTerms terms;
    for (const GpuTask& task : server.tasks) terms.costs.push_back(task.cost);
    terms.blocking = less_urgent_blocks(server);
    judge_preemptive(system, server, terms, windows_of(server, longest_block(server)), results);
  }
  return std::move(results).finish("every response time stays within its deadline");
}

Analysis window_fp_analysis() {
  return {.id = "window-fp",
          .title = "Fixed priorities inside windows",
          .source = "PRUDA, section 6.3",
          .strategy = "sm-cores",
          .needs =
              "sm-cores, order fp; periodic or sporadic tasks of one kernel or one exclusive segment, "
              "deadlines no longer than periods",
          .kind = Kind::sufficient,
          .sound = true,
          .run = window_fp};
}

}  // namespace tactus::analysis
