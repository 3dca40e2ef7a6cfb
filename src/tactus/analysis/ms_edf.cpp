// ms-edf and ms-edf-immediate: EDF with several streams of rising urgency.
//
// A better job is submitted one level above the running one and takes over at a block boundary. With PL
// levels at most PL - 1 preemptions nest; a job in the last level keeps the GPU to its end.
//   PCo_j = longest block of a less urgent task (0 with one level)
//   Top   = tasks with at least PL - 1 less urgent ones: only they can be in the last level
//
// Claim of ms-edf: sum (C_j + PCo_j)/T_j <= 1, and for every t
//   sum of n_j(t) (C_j + PCo_j) + max{C_l + PCo_l : l in Top, D_l > t} <= t.
// Every job may find one block of a less urgent job running when it reaches the device, because the device
// may start one before the scheduler has refilled a stream.
//
// Claim of ms-edf-immediate, for streams that are refilled before the device goes on:
//   sum of n_j(t) C'_j + max( max{C_l + PCo_l : l in Top, D_l > t}, max{PC_l : D_l > t} ) <= t.
// Then low blocks are in the way only once, at the start. C'_j = C_j + x_j, where x_j is what remains of the
// ideal: PCo_j where launches or completions take time; else the longest block of a less urgent kernel, since
// its blocks need not end together and can start in places that a more urgent kernel leaves free; else 0.
//
// Source: PRUDA, Lemma 1, corrected. As printed t is missing, the range of the blocking is off by two and the
// cost of a preemption belongs to the wrong task. It accepts {(1,4,20), (6,14,20), (4,20,20)} with blocks of
// 1 and two levels; released third, second, first at 0, 1, 2, the first waits until 7, its deadline is 6.
//
// Model: multi-stream, order edf; periodic or sporadic tasks of one kernel or one exclusive segment, D <= T.
// ms-edf holds for both refill modes, ms-edf-immediate only for `immediate`.
//
// Kind: ms-edf is sufficient. ms-edf-immediate is exact for sporadic tasks with different deadlines, no late
// releases, all x_j = 0 and up to two levels. (With three levels the longest block below and the levels
// below need not come together.)
//
// The engine (ms-edf alone): as for ms-fp, with Lo over all tasks. In the counted form, for t from the
// shortest D_j - J_j on,
//   sum of n_j(t) C'_j + max{C'_l : l in Top, D_l > t} + E(t) + Lo <= t,   sum of (C'_j + e_h)/T_j <= 1.
//
// Soundness: sound. Let s and d be as for np-edf. When a job with deadline up to d is seen at s, either the
// last level is free: then it goes above all others and waits for blocks that run; or a job l of Top holds
// it: l was seen before s, so D_l > d - s, and it is done after at most C_l + PCo_l. From then on jobs with
// deadlines up to d are always on top. A job q below j was submitted before j was seen, at most J_j after the
// release of j, and has the later deadline: D_q > D_j - J_j.
#include "tactus/analysis/analyses.hpp"

#include <algorithm>

#include "tactus/analysis/demand_judge.hpp"
#include "tactus/analysis/engine_charges.hpp"
#include "tactus/analysis/stream_levels.hpp"

namespace tactus::analysis {

namespace {

/// C_l + PCo_l of the tasks that can hold the last level.
void add_last_level(DemandProblem& problem, const GpuServer& server, const StreamLevels& levels) {
  for (std::size_t i = 0; i < server.tasks.size(); ++i) {
    if (!levels.reaches_last_level[i]) continue;
    const GpuTask& task = server.tasks[i];
    problem.blockers.push_back(
        {checked_add(task.cost, levels.block_below[i]).count(), task.deadline, task.task});
  }
}

bool deadlines_differ(const GpuServer& server) {
  std::vector<Duration> deadlines;
  for (const GpuTask& task : server.tasks) deadlines.push_back(task.deadline);
  std::sort(deadlines.begin(), deadlines.end());
  return std::adjacent_find(deadlines.begin(), deadlines.end()) == deadlines.end();
}

/// The streams of the system, for the test of streams that are refilled at once or for both kinds.
Result judge(const System& system, const GpuServers& gpu, bool at_once) {
  return judge_servers(
      system, gpu,
      "in every interval the jobs fit, with the blocks and the last level that may be in their way",
      [&](const GpuServer& server, ServerResults& results) {
        std::optional<DemandProblem> problem = demand_problem(server);
        if (!problem) return judge_late_release(system, server, results);
        const StreamLevels levels = stream_levels(server, system.policy.levels, Order::edf);
        const std::vector<Duration>& added =
            at_once && gpu.costs_are_tight ? levels.block_apart_below : levels.block_below;
        for (std::size_t i = 0; i < server.tasks.size(); ++i) {
          const GpuTask& task = server.tasks[i];
          problem->tasks[i].cost = checked_add(task.cost, added[i]).count();
          if (at_once) problem->blockers.push_back({task.longest_block.count(), task.deadline, task.task});
        }
        add_last_level(*problem, server, levels);
        // Best-effort tasks are below every job, so they hold the last level only if there is but one.
        if (at_once || system.policy.levels == 1) add_best_effort(*problem, server);
        add_engine(*problem, server);
        constexpr std::int32_t max_exact_levels = 2;
        const bool is_ideal =
            std::all_of(added.begin(), added.end(), [](Duration extra) { return extra == Duration{}; });
        const bool refutes = at_once && all_are_sporadic(system) && sees_releases_at_once(server) &&
                             gpu.costs_are_tight && is_ideal && deadlines_differ(server) &&
                             system.policy.levels <= max_exact_levels;
        results.is_exact(refutes);
        judge_demand(system, server, *problem, refutes, results);
      });
}

}  // namespace

Result judge_ms_edf(const System& system, const GpuServers& gpu) { return judge(system, gpu, false); }

Result ms_edf(const System& system) {
  GpuServers gpu = multi_stream_servers(system);
  gpu.refuse(find_other_order(system, Order::edf));
  return judge_with_engine(system, gpu, judge_ms_edf);
}

Result ms_edf_immediate(const System& system) {
  GpuServers gpu = multi_stream_servers(system);
  gpu.refuse(find_other_order(system, Order::edf));
  if (system.policy.refill != Refill::immediate) gpu.refuse("needs refill: immediate");
  return judge(system, gpu, true);
}

}  // namespace tactus::analysis
