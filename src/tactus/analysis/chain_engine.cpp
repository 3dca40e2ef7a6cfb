#include "tactus/analysis/chain_engine.hpp"

#include <algorithm>

#include "tactus/analysis/engine_delays.hpp"
#include "tactus/analysis/federated_engine.hpp"

namespace tactus::analysis {

namespace {

/// Whether every server takes tasks in the order in which the engine submits for them.
bool is_one_order(const System& system) {
  return system.policy.order == Order::fp && cpu_policy(system.policy).order == Order::fp &&
         copy_order(system.policy) == CopyOrder::fp && gpu_urgency_order(system) == urgency_order(system);
}

bool is_graph(const System& system, const EngineTask& task) {
  return system.tasks[task.task].work.form == WorkForm::graph;
}

/// Nodes of a graph may be submitted side by side: all of a job together count as one unit.
void take_graphs_whole(const System& system, EngineLoad& load) {
  for (EngineTask& task : load.tasks) {
    if (!is_graph(system, task)) continue;
    task.operations = static_cast<std::int64_t>(system.tasks[task.task].work.nodes.size());
    task.submission = checked_mul(task.submission, task.units);
    task.units = 1;
    task.least_time = {};
  }
}

/// Its nodes in their best cases, as far as they are submitted.
Stages stages_of(const System& system, TaskIndex index) {
  Stages stages;
  const Work& work = system.tasks[index].work;
  for (std::size_t segment = 0; segment < work.nodes.size(); ++segment) {
    if (is_skipped(work.nodes[segment])) continue;
    Stage stage = Stage::whole(ServerKind::gpu, Interval::exactly(whole_time(system, index, segment).best));
    stage.submission = submission_time(system, index, server_of(work.nodes[segment].segment));
    stages.push_back(stage);
  }
  return stages;
}

/// All that the engine does for a task in an interval, if its jobs are in time. Of a graph, and where several
/// jobs may have gathered, all of a job at once.
ChainWorkload all_work(const System& system, const EngineLoad& load, const EngineTask& task) {
  if (is_graph(system, task) || task.deadline > task.period) {
    const Duration units = checked_mul(engine_work(load, task), task.units);
    const Duration job = checked_add(units, load.event);
    return events_each(job, task.period, checked_add(task.jitter, task.deadline));
  }
  return engine_work(stages_of(system, task.task), load.event, task.period, task.deadline);
}

/// q of a task: what the engine does for tasks that may be more urgent, and the events of all others.
std::optional<Duration> waiting_of(const System& system, const EngineLoad& load, std::size_t place) {
  const EngineTask& own = load.tasks[place];
  Duration known = own.submission - own.last;
  bool is_pushed_back = known > Duration{};
  known = checked_add(known, checked_mul(load.event, own.operations));
  std::vector<ChainWorkload> chains;
  for (std::size_t i = 0; i < load.tasks.size(); ++i) {
    const EngineTask& task = load.tasks[i];
    const bool goes_first = i != place && !task.best_effort && (!load.by_priority || i < place);
    if (goes_first) {
      chains.push_back(all_work(system, load, task));
      is_pushed_back = is_pushed_back || task.submission > Duration{};
    } else if (i != place) {
      known = checked_add(known, checked_mul(load.event, task.operations));
    }
    if (task.best_effort) continue;
    if (!goes_first) chains.push_back(events_each(load.event, task.period, task.jitter));
    const Task& given = system.tasks[task.task];
    const std::int64_t watched = (given.budget ? 1 : 0) + (given.on_miss == OnMiss::skip_next ? 1 : 0);
    chains.push_back(
        events_each(checked_mul(load.event, watched), task.period, checked_add(task.jitter, task.deadline)));
  }
  if (!is_pushed_back) return Duration{};
  std::vector<const ChainWorkload*> all;
  for (const ChainWorkload& chain : chains) {
    if (!chain.is_empty()) all.push_back(&chain);
  }
  const FixedPoint point = min_length(all, known, own.deadline);
  return point.found() ? std::optional{Duration{point.length}} : std::nullopt;
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
    const std::optional<Duration> waiting = waiting_of(system, load, place);
    if (!waiting) return std::nullopt;
    result.waiting[task.task] = *waiting;
    result.pause = std::max(result.pause, *waiting);
  }
  return result;
}

}  // namespace tactus::analysis
