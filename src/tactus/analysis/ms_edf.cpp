#include "tactus/analysis/ms_edf.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/demand_judge.hpp"
#include "tactus/analysis/stream_levels.hpp"

namespace tactus::analysis {

namespace {

std::string find_obstacle(const System& system, const GpuServers& gpu) {
  return gpu.why_not.empty() ? find_other_order(system, Order::edf) : gpu.why_not;
}

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

constexpr std::string_view holds =
    "in every interval the jobs fit, with the blocks and the last level that may be in their way";

}  // namespace

Result ms_edf(const System& system) {
  const GpuServers gpu = multi_stream_servers(system);
  if (std::string why_not = find_obstacle(system, gpu); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  ServerResults results{system};
  const GpuServer& server = gpu.servers.front();
  if (std::optional<DemandProblem> problem = demand_problem(server)) {
    const StreamLevels levels = stream_levels(server, system.policy.levels, Order::edf);
    for (std::size_t i = 0; i < server.tasks.size(); ++i) {
      problem->tasks[i].cost = checked_add(server.tasks[i].cost, levels.block_below[i]).count();
    }
    add_last_level(*problem, server, levels);
    // Best-effort tasks are below every job, so they hold the last level only if there is but one.
    if (system.policy.levels == 1) add_best_effort(*problem, server);
    constexpr bool refutes = false;  // a sufficient test
    judge_demand(system, server, *problem, refutes, results);
  } else {
    judge_late_release(system, server, results);
  }
  return std::move(results).finish(holds);
}

Result ms_edf_immediate(const System& system) {
  const GpuServers gpu = multi_stream_servers(system);
  if (std::string why_not = find_obstacle(system, gpu); !why_not.empty()) {
    return does_not_apply(std::move(why_not));
  }
  if (system.policy.refill != Refill::immediate) return does_not_apply("needs refill: immediate");
  ServerResults results{system};
  const GpuServer& server = gpu.servers.front();
  if (std::optional<DemandProblem> problem = demand_problem(server)) {
    const StreamLevels levels = stream_levels(server, system.policy.levels, Order::edf);
    const std::vector<Duration>& added = gpu.costs_are_tight ? levels.block_apart_below : levels.block_below;
    for (std::size_t i = 0; i < server.tasks.size(); ++i) {
      const GpuTask& task = server.tasks[i];
      problem->tasks[i].cost = checked_add(task.cost, added[i]).count();
      problem->blockers.push_back({task.longest_block.count(), task.deadline, task.task});
    }
    add_last_level(*problem, server, levels);
    add_best_effort(*problem, server);
    constexpr std::int32_t max_exact_levels = 2;
    const bool is_ideal =
        std::all_of(added.begin(), added.end(), [](Duration extra) { return extra == Duration{}; });
    const bool refutes = all_are_sporadic(system) && sees_releases_at_once(server) && gpu.costs_are_tight &&
                         is_ideal && deadlines_differ(server) && system.policy.levels <= max_exact_levels;
    results.is_exact(refutes);
    judge_demand(system, server, *problem, refutes, results);
  } else {
    judge_late_release(system, server, results);
  }
  return std::move(results).finish(holds);
}

Analysis ms_edf_analysis() {
  return {.id = "ms-edf",
          .title = "EDF in several streams",
          .source = "PRUDA, Lemma 1, corrected",
          .strategy = "multi-stream",
          .needs =
              "multi-stream, order edf; periodic or sporadic tasks of one kernel or one exclusive segment, "
              "deadlines no longer than periods",
          .kind = Kind::sufficient,
          .sound = true,
          .run = ms_edf};
}

Analysis ms_edf_immediate_analysis() {
  return {.id = "ms-edf-immediate",
          .title = "EDF in several streams that are refilled at once",
          .source = "PRUDA, Lemma 1, corrected",
          .strategy = "multi-stream",
          .needs =
              "multi-stream, refill immediate, order edf; periodic or sporadic tasks of one kernel or one "
              "exclusive segment, deadlines no longer than periods",
          .kind = Kind::exact,
          .sound = true,
          .run = ms_edf_immediate};
}

}  // namespace tactus::analysis
