// window-fp: fixed priorities inside windows.
//
// Claim: with R_i the least t for which
//   B_i + C_i + sum over more urgent j of ceil((t + J_j)/T_j) C_j <= sbf(t) with budget Q - G,
// R_i + J_i bounds the response time of task i as long as it stays within D_i. B_i is the longest block of a
// less urgent task, best-effort tasks included; G the longest block of any periodic or sporadic one. With
// work that can be stopped anywhere both are 0.
//
// Source: PRUDA, section 6.3, for fixed priorities.
//
// Model: sm-cores, order fp; periodic or sporadic tasks of one kernel or one exclusive segment, D <= T.
//
// Kind: sufficient.
//
// Soundness: sound. By R_i all work of task i and of more urgent tasks that was seen before is done, wherever
// in the windows the busy period starts; R_i + J_i <= T_i, so it holds one job of task i. Blocks as in
// window-blocks.
#include "tactus/analysis/analyses.hpp"

#include "tactus/analysis/engine_charges.hpp"
#include "tactus/analysis/response_judge.hpp"
#include "tactus/analysis/window_demand.hpp"

namespace tactus::analysis {

Result judge_window_fp(const System& system, const GpuServers& cores) {
  return judge_servers(system, cores, "every response time stays within its deadline",
                       [&](const GpuServer& server, ServerResults& results) {
                         if (fails_to_fit(system, server, results)) return;
                         PreemptiveTerms terms;
                         for (const GpuTask& task : server.tasks) terms.costs.push_back(task.cost);
                         terms.blocking = less_urgent(server, &GpuTask::longest_block);
                         judge_preemptive(system, server, terms, windows_of(server, longest_block(server)),
                                          results);
                       });
}

Result window_fp(const System& system) {
  GpuServers cores = sm_core_servers(system);
  cores.refuse(find_other_order(system, Order::fp));
  return judge_with_engine(system, cores, judge_window_fp);
}

}  // namespace tactus::analysis
