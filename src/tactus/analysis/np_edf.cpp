// np-edf: non-preemptive EDF in one stream.
//
// Claim: if the tasks need no more than all of the time, and in every interval of length t the jobs that have
// release and deadline inside, and one job that started just before and has its deadline behind, fit:
//   sum of n_j(t) C_j + max{C_l : D_l > t} <= t,   n_j(t) = floor((t - (D_j - J_j))/T_j) + 1,
// then every deadline is met.
//
// Source: PRUDA, Theorem 1, corrected; the test is that of Jeffay, Stanat and Martel (1991) and of George,
// Rivierre and Spuri (1996). As printed the left side has no t. Read at t = D_i alone it accepts
// {(2,3,3), (3,19,20)}, which misses when the second task starts an instant before the first is released.
//
// Model: single-stream, order edf; periodic or sporadic tasks with D <= T; chains of copies, kernels and
// exclusive work. A best-effort task is a blocker without a deadline.
//
// Kind: exact for sporadic tasks that are seen at their release; sufficient otherwise.
//
// The engine: in the simple form of engine_charges.hpp as above. In the counted form, for t from the shortest
// D_j - J_j on,
//   sum of n_j(t) C''_j + max{C''_l : D_l > t} + E(t) <= t,   sum of (C''_j + e_h)/T_j <= 1,
// with the interval of the proof from the instant at which the first of its jobs becomes visible.
//
// Soundness: sound. Let a job miss its deadline d, and let s be the last instant before d at which no job
// with a deadline up to d waits or runs. From s to d only such jobs start, so at most one job with a later
// deadline is in the way, and it started before s: its D is greater than d - s. A job seen from s on was
// released no earlier than s - J_j, which is what D_j - J_j counts.
#include "tactus/analysis/analyses.hpp"

#include "tactus/analysis/demand_judge.hpp"
#include "tactus/analysis/engine_charges.hpp"

namespace tactus::analysis {

Result judge_np_edf(const System& system, const GpuServers& gpu) {
  return judge_servers(
      system, gpu, "in every interval the jobs fit, with the longest one that may be in their way",
      [&](const GpuServer& server, ServerResults& results) {
        std::optional<DemandProblem> problem = demand_problem(server);
        if (!problem) return judge_late_release(system, server, results);
        for (const GpuTask& task : server.tasks) {
          problem->blockers.push_back({task.cost.count(), task.deadline, task.task});
        }
        add_best_effort(*problem, server);
        add_engine(*problem, server);
        const bool refutes = all_are_sporadic(system) && sees_releases_at_once(server) && gpu.costs_are_tight;
        results.is_exact(refutes);
        judge_demand(system, server, *problem, refutes, results);
      });
}

Result np_edf(const System& system) {
  GpuServers gpu = single_stream_servers(system);
  gpu.refuse(find_other_order(system, Order::edf));
  return judge_with_engine(system, gpu, judge_np_edf);
}

}  // namespace tactus::analysis
