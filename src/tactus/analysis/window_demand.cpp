#include "tactus/analysis/window_demand.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

bool can_be_preempted_anywhere(const Task& task) {
  return task.work.nodes.size() == 1 &&
         std::holds_alternative<ExclusiveSegment>(task.work.nodes.front().segment) &&
         task.longest_block == Duration{};
}

std::string has_blocks(const Task& task, Duration block) {
  return "needs work that can be stopped anywhere (longest_block: 0): task '" + task.name +
         "' has blocks of " + to_text(block) + "; window-blocks takes them";
}

}  // namespace

std::string ideal_windows_obstacle(const System& system) {
  if (system.policy.order != Order::edf) return "needs the order edf";
  for (const Task& task : system.tasks) {
    if (task.arrival == Arrival::best_effort || can_be_preempted_anywhere(task)) continue;
    return "needs work that can be preempted anywhere: task '" + task.name +
           "' is not one exclusive segment with longest_block 0";
  }
  return {};
}

std::string in_phase_obstacle(const System& system) {
  if (std::string obstacle = ideal_windows_obstacle(system); !obstacle.empty()) return obstacle;
  if (system.platform.overheads.release > Duration{})
    return "needs releases without overhead: platform.overheads.release is not 0";
  for (const Task& task : system.tasks) {
    if (task.arrival == Arrival::best_effort) continue;
    if (task.arrival != Arrival::periodic) return "needs periodic tasks: task '" + task.name + "' is not";
    if (task.jitter > Duration{}) {
      return "needs releases without jitter: task '" + task.name + "' has " + to_text(task.jitter);
    }
  }
  return {};
}

std::string in_phase_from_zero_obstacle(const System& system) {
  if (std::string obstacle = in_phase_obstacle(system); !obstacle.empty()) return obstacle;
  for (const Task& task : system.tasks) {
    if (task.arrival == Arrival::periodic && task.offset != Duration{}) {
      return "needs releases in phase with the reservation: task '" + task.name + "' has offset " +
             to_text(task.offset);
    }
  }
  return {};
}

GpuServers cores_unless(std::string obstacle, const System& system) {
  return obstacle.empty() ? sm_core_servers(system) : GpuServers{std::move(obstacle)};
}

std::string find_blocks(const System& system, const GpuServers& cores) {
  for (const GpuServer& server : cores.servers) {
    for (const GpuTask& task : server.tasks) {
      if (task.longest_block > Duration{}) return has_blocks(system.tasks[task.task], task.longest_block);
    }
    for (const BestEffortBlock& block : server.best_effort_blocks) {
      const Task& task = system.tasks[block.task];
      if (task.longest_block != Duration{}) return has_blocks(task, block.length);
    }
  }
  return {};
}

Duration longest_block(const GpuServer& server) {
  Duration longest{};
  for (const GpuTask& task : server.tasks) longest = std::max(longest, task.longest_block);
  return longest;
}

SupplyBound windows_of(const GpuServer& server, Duration lost) {
  if (!server.supply) return SupplyBound::always();
  return SupplyBound::windows(server.supply->budget - std::min(lost, server.supply->budget),
                              server.supply->period);
}

SupplyBound line_of(const GpuServer& server) {
  if (!server.supply) return SupplyBound::always();
  return SupplyBound::line(server.supply->budget, server.supply->period);
}

void judge_windows(const System& system, const GpuServer& server, const SupplyBound& supply, bool refutes,
                   ServerResults& results) {
  std::optional<DemandProblem> problem = demand_problem(server);
  if (!problem) return judge_late_release(system, server, results);
  for (const GpuTask& task : server.tasks) {
    problem->blockers.push_back({task.longest_block.count(), task.deadline, task.task});
  }
  add_best_effort(*problem, server);
  problem->supply = supply;
  judge_demand(system, server, *problem, refutes, results);
}

bool fails_to_fit(const System& system, const GpuServer& server, ServerResults& results) {
  const Duration block = longest_block(server);
  if (!server.supply || block == Duration{} || block < server.supply->budget) return false;
  if (results.fails_overloaded(server)) return true;
  const auto longest = std::find_if(server.tasks.begin(), server.tasks.end(),
                                    [&](const GpuTask& task) { return task.longest_block == block; });
  const std::string& name = system.tasks[longest->task].name;
  results.fails(
      Verdict::unproven,
      {"a block of '" + name + "' takes " + to_text(block) + ", the windows of " + server.name + " have " +
           to_text(server.supply->budget) + ": nothing is left of them",
       {{"server", server.name}, {"task", name}, {"block_ns", block}, {"budget_ns", server.supply->budget}}});
  return true;
}

}  // namespace tactus::analysis
