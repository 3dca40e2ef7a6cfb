#include "tactus/plan/server_catalog.hpp"

#include <algorithm>
#include <utility>

namespace tactus::plan {

namespace {

bool is_gang_task(const Task& task) { return task.sm.kind == SmAffinity::Kind::all; }

/// Windows so long that overheads never use them up: the difference shows how much of a window is lost.
Reservations huge_windows() {
  const Duration half{std::int64_t{1} << 60U};
  return {.period = 2 * half, .local = Window{Duration{}, half}, .all = Window{half, half}};
}

}  // namespace

ServerBudget* ServerCatalog::core(const Group& tasks) {
  const auto known = cores_.find(tasks);
  if (known != cores_.end()) return known->second.get();
  return cores_.emplace(tasks, build(tasks, false)).first->second.get();
}

ServerBudget* ServerCatalog::gang() {
  if (!gang_is_built_) {
    Group tasks;
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i) {
      if (is_gang_task(system_.tasks[i])) tasks.push_back(i);
    }
    gang_ = build(tasks, true);
    gang_is_built_ = true;
  }
  return gang_.get();
}

std::unique_ptr<ServerBudget> ServerCatalog::build(const Group& tasks, bool is_gang) const {
  System part;
  part.platform = system_.platform;
  part.policy = system_.policy;
  part.policy.reservations = huge_windows();
  const SmAffinity here{is_gang ? SmAffinity::Kind::all : SmAffinity::Kind::one, 0};
  for (const TaskIndex index : tasks) part.tasks.emplace_back(system_.tasks[index]).sm = here;
  // Work of the other kind of window may still occupy the SMs when a window begins: one such task represents
  // all.
  const auto other = std::find_if(system_.tasks.begin(), system_.tasks.end(),
                                  [&](const Task& task) { return is_gang_task(task) != is_gang; });
  if (other != system_.tasks.end()) {
    const SmAffinity there{is_gang ? SmAffinity::Kind::one : SmAffinity::Kind::all, 0};
    part.tasks.emplace_back(*other).sm = there;
  }
  analysis::GpuServers servers = analysis::sm_core_tasks(part);
  for (analysis::GpuServer& server : servers.servers) {
    const bool is_of_gang = is_gang_task(part.tasks[server.tasks.front().task]);
    if (is_of_gang != is_gang) continue;
    for (analysis::GpuTask& task : server.tasks) task.task = tasks[task.task];
    for (analysis::BestEffortBlock& block : server.best_effort_blocks) block.task = tasks[block.task];
    const Duration late = server.window->budget - server.supply->budget;
    return std::make_unique<ServerBudget>(std::move(server), late, order_);
  }
  return nullptr;
}

}  // namespace tactus::plan
