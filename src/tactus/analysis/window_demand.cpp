#include "tactus/analysis/window_demand.hpp"

#include <algorithm>
#include <utility>

#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

std::string has_blocks(const Task& task, Duration block) {
  return "needs work that can be stopped anywhere (longest_block: 0): task '" + task.name +
         "' has blocks of " + to_text(block) + "; window-blocks takes them";
}

}  // namespace

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
  if (!problem) {
    judge_late_release(system, server, results);
    return;
  }
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
  if (is_overloaded(server)) {
    results.fails(Verdict::unschedulable, overload_witness(server));
    return true;
  }
  const auto longest = std::find_if(server.tasks.begin(), server.tasks.end(),
                                    [&](const GpuTask& task) { return task.longest_block == block; });
  const std::string& name = system.tasks[longest->task].name;
  Witness witness;
  witness.reason = "a block of '" + name + "' takes " + to_text(block) + ", the windows of " + server.name +
                   " have " + to_text(server.supply->budget) + ": nothing is left of them";
  witness.detail = {
      {"server", server.name}, {"task", name}, {"block_ns", block}, {"budget_ns", server.supply->budget}};
  results.fails(Verdict::unproven, std::move(witness));
  return true;
}

}  // namespace tactus::analysis
