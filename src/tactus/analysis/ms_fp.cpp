// ms-fp and ms-fp-immediate: fixed priorities with several streams of rising urgency.
//
// Claim: R_i + J_i bounds the response time of task i, where
//   R_i = least R with R = B_i + C'_i + sum over more urgent j of ceil((R + J_j)/T_j) C'_j,
// as long as it stays within D_i.
//   ms-fp:            C' = C + PCo, B_i = max{C_l + PCo_l : l less urgent, in Top}
//   ms-fp-immediate:  C' = C + x,   B_i = the greater of that and of the longest less urgent block
// PCo, Top and x as in ms-edf, with "less urgent" in the order of priorities.
//
// Source: PRUDA, section 5.2, with the corrections of Lemma 1.
//
// Model: multi-stream, order fp; periodic or sporadic tasks of one kernel or one exclusive segment, D <= T.
// ms-fp holds for both refill modes, ms-fp-immediate only for `immediate`.
//
// Kind: sufficient. With one level it is coarser than np-fp, which knows that a job that has started is not
// delayed any more.
//
// The engine (ms-fp alone: where it takes time no refill is immediate): in the simple form of
// engine_charges.hpp as above. In the counted form, with C' = C'' + PCo,
//   R_i = least R with R = B_i + C'_i + sum over more urgent j of ceil((R + J_j)/T_j) C'_j + E(R) + Lo_i.
// While a job of i or more urgent is visible, either a counted job is served (its launch and completion
// included), or a less urgent block is in its way (PCo), or one holds the last level (B), or the engine acts:
// for a counted job (C''), for a release (E), or for less urgent units that were under way at the start: one
// in each level but the last (Lo). No less urgent unit is submitted meanwhile.
//
// Soundness: sound. At R all work of task i and of more urgent tasks that was seen before is done, so the
// busy period ends there; R_i + J_i <= T_i, so it holds one job of task i.
#include "tactus/analysis/analyses.hpp"

#include "tactus/analysis/engine_charges.hpp"
#include "tactus/analysis/response_judge.hpp"
#include "tactus/analysis/stream_levels.hpp"

namespace tactus::analysis {

namespace {

/// By task of the server.
struct LastLevel {
  std::vector<Blocking> blocking;
  std::vector<Duration> blocks;  // what of it are blocks in the way of the blocker

  void consider(std::size_t i, const Blocking& other) {
    if (!other.by || other.length <= blocking[i].length) return;
    blocking[i] = other;
    blocks[i] = {};
  }
};

/// C_l + PCo_l of less urgent tasks that can hold the last level.
LastLevel last_level_blocking(const GpuServer& server, const StreamLevels& levels, bool one_level) {
  LastLevel last{std::vector<Blocking>(server.tasks.size()), std::vector<Duration>(server.tasks.size())};
  // Best-effort tasks are below every job, so they hold the last level only if there is but one.
  Blocking longest = one_level ? best_effort_blocking(server) : Blocking{};
  Duration block{};
  for (std::size_t i = server.tasks.size(); i > 0; --i) {
    const GpuTask& task = server.tasks[i - 1];
    last.blocking[i - 1] = longest;
    last.blocks[i - 1] = block;
    if (!levels.reaches_last_level[i - 1]) continue;
    longest.consider(checked_add(task.cost, levels.block_below[i - 1]), task.task);
    if (longest.by == task.task) block = levels.block_below[i - 1];
  }
  return last;
}

/// The streams of the system, for the test of streams that are refilled at once or for both kinds.
Result judge(const System& system, const GpuServers& gpu, bool at_once) {
  return judge_servers(system, gpu, "every response time stays within its deadline",
                       [&](const GpuServer& server, ServerResults& results) {
                         const StreamLevels levels = stream_levels(server, system.policy.levels, Order::fp);
                         LastLevel last = last_level_blocking(server, levels, system.policy.levels == 1);
                         const std::vector<Blocking> blocks = less_urgent(server, &GpuTask::longest_block);
                         for (std::size_t i = 0; at_once && i < blocks.size(); ++i)
                           last.consider(i, blocks[i]);
                         const std::vector<Duration>& added =
                             at_once && gpu.costs_are_tight ? levels.block_apart_below : levels.block_below;
                         PreemptiveTerms terms{.costs = {},
                                               .blocking = last.blocking,
                                               .blocks_in_costs = added,
                                               .blocks_in_blocking = last.blocks};
                         for (std::size_t i = 0; i < server.tasks.size(); ++i) {
                           terms.costs.push_back(checked_add(server.tasks[i].cost, added[i]));
                         }
                         judge_preemptive(system, server, terms, SupplyBound::always(), results);
                       });
}

}  // namespace

Result judge_ms_fp(const System& system, const GpuServers& gpu) { return judge(system, gpu, false); }

Result ms_fp(const System& system) {
  GpuServers gpu = multi_stream_servers(system);
  gpu.refuse(find_other_order(system, Order::fp));
  return judge_with_engine(system, gpu, judge_ms_fp);
}

Result ms_fp_immediate(const System& system) {
  GpuServers gpu = multi_stream_servers(system);
  gpu.refuse(find_other_order(system, Order::fp));
  if (system.policy.refill != Refill::immediate) gpu.refuse("needs refill: immediate");
  return judge(system, gpu, true);
}

}  // namespace tactus::analysis
