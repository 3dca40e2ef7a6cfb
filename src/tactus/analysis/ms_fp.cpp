#include "tactus/analysis/ms_fp.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/response_judge.hpp"
#include "tactus/analysis/stream_levels.hpp"

namespace tactus::analysis {

namespace {

constexpr std::string_view holds = "every response time stays within its deadline";

std::string find_obstacle(const System& system, const GpuServers& gpu) {
  return gpu.why_not.empty() ? find_other_order(system, Order::fp) : gpu.why_not;
}

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

void judge(const System& system, const GpuServer& server, const std::vector<Duration>& added,
           const LastLevel& last, ServerResults& results) {
  PreemptiveTerms terms;
  for (std::size_t i = 0; i < server.tasks.size(); ++i) {
    terms.costs.push_back(checked_add(server.tasks[i].cost, added[i]));
  }
  terms.blocking = last.blocking;
  terms.blocks_in_costs = added;
  terms.blocks_in_blocking = last.blocks;
  judge_preemptive(system, server, terms, SupplyBound::always(), results);
}

}  // namespace

Result ms_fp(const System& system) {
  const GpuServers gpu = multi_stream_servers(system);
  if (std::string why_not = find_obstacle(system, gpu); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  ServerResults results{system};
  const GpuServer& server = gpu.servers.front();
  const StreamLevels levels = stream_levels(server, system.policy.levels, Order::fp);
  judge(system, server, levels.block_below, last_level_blocking(server, levels, system.policy.levels == 1),
        results);
  return std::move(results).finish(holds);
}

Result ms_fp_immediate(const System& system) {
  const GpuServers gpu = multi_stream_servers(system);
  if (std::string why_not = find_obstacle(system, gpu); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  if (system.policy.refill != Refill::immediate) return does_not_apply("needs refill: immediate");
  ServerResults results{system};
  const GpuServer& server = gpu.servers.front();
  const StreamLevels levels = stream_levels(server, system.policy.levels, Order::fp);
  LastLevel last = last_level_blocking(server, levels, system.policy.levels == 1);
  const std::vector<Blocking> blocks = less_urgent_blocks(server);
  for (std::size_t i = 0; i < blocks.size(); ++i) last.consider(i, blocks[i]);
  judge(system, server, gpu.costs_are_tight ? levels.block_apart_below : levels.block_below, last, results);
  return std::move(results).finish(holds);
}

Analysis ms_fp_analysis() {
  return {.id = "ms-fp",
          .title = "Fixed priorities in several streams",
          .source = "PRUDA, section 5.2, corrected",
          .strategy = "multi-stream",
          .needs =
              "multi-stream, order fp; periodic or sporadic tasks of one kernel or one exclusive segment, "
              "deadlines no longer than periods",
          .kind = Kind::sufficient,
          .sound = true,
          .run = ms_fp};
}

Analysis ms_fp_immediate_analysis() {
  return {.id = "ms-fp-immediate",
          .title = "Fixed priorities in several streams that are refilled at once",
          .source = "PRUDA, section 5.2, corrected",
          .strategy = "multi-stream",
          .needs =
              "multi-stream, refill immediate, order fp; periodic or sporadic tasks of one kernel or one "
              "exclusive segment, deadlines no longer than periods",
          .kind = Kind::sufficient,
          .sound = true,
          .run = ms_fp_immediate};
}

}  // namespace tactus::analysis
