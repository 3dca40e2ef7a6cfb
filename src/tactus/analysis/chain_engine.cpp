#include "tactus/analysis/chain_engine.hpp"

#include <algorithm>

#include "tactus/analysis/engine_delays.hpp"

namespace tactus::analysis {

namespace {

/// Whether every server takes tasks in the order in which the engine submits for them.
bool is_one_order(const System& system) {
  return system.policy.order == Order::fp && cpu_policy(system.policy).order == Order::fp &&
         copy_order(system.policy) == CopyOrder::fp && gpu_urgency_order(system) == urgency_order(system);
}

/// Nodes of a graph may be submitted side by side: all of a job together count as one unit.
void take_graphs_whole(const System& system, EngineLoad& load) {
  for (EngineTask& task : load.tasks) {
    if (system.tasks[task.task].work.form != WorkForm::graph) continue;
    task.operations = checked_mul(task.operations, task.units);
    task.submission = checked_mul(task.submission, task.units);
    task.units = 1;
    task.least_time = {};
  }
}

}  // namespace

std::optional<ChainEngine> chain_engine(const System& system) {
  ChainEngine result{.waiting = std::vector<Duration>(system.tasks.size())};
  if (!has_engine_time(system)) return result;
  EngineLoad load = engine_load(system, EngineUnit::segment);
  const std::optional<Duration> decision = until_decided(load, load.longest);
  if (!decision) return std::nullopt;
  result.decision = *decision;
  load.by_priority = load.by_priority && is_one_order(system);
  take_graphs_whole(system, load);
  for (std::size_t place = 0; place < load.tasks.size(); ++place) {
    const EngineTask& task = load.tasks[place];
    if (task.best_effort) continue;
    const std::optional<Duration> waiting = until_last_submission(load, place, task.deadline);
    if (!waiting) return std::nullopt;
    result.waiting[task.task] = *waiting;
    result.pause = std::max(result.pause, *waiting);
  }
  return result;
}

}  // namespace tactus::analysis
