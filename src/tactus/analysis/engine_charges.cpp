#include "tactus/analysis/engine_charges.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/server_results.hpp"

namespace tactus::analysis {

namespace {

std::size_t place_of(const EngineLoad& load, TaskIndex task) {
  const auto found = std::find_if(load.tasks.begin(), load.tasks.end(),
                                  [task](const EngineTask& one) { return one.task == task; });
  return static_cast<std::size_t>(found - load.tasks.begin());
}

const EngineTask& task_of(const EngineLoad& load, TaskIndex task) { return load.tasks[place_of(load, task)]; }

/// q; where there is none within the deadline, more than that: then nothing is proven.
Duration queueing(const EngineLoad& load, const GpuTask& task) {
  const std::size_t place = place_of(load, task.task);
  return until_last_submission(load, place, task.deadline).value_or(task.deadline + Duration{1});
}

void lengthen(Duration& time, Duration by) { time = checked_add(time, by); }

bool can_be_stopped(const GpuTask& task) { return task.longest_block == Duration{}; }

/// The longest until a stop request has been made for work whose window ends; nothing where it has no bound.
std::optional<Duration> until_stopped(const EngineLoad& load, Duration limit) {
  Duration longest{};
  for (std::size_t place = 0; place < load.tasks.size(); ++place) {
    if (!load.tasks[place].may_be_stopped) continue;
    const std::optional<Duration> queueing = until_last_submission(load, place, limit);
    if (!queueing) return std::nullopt;
    longest = std::max(longest, checked_add(*queueing, load.stop));
  }
  return longest;
}

/// What a unit of a core costs beside its time: until it is submitted, until a stop request is, until known.
struct UnitCharges {
  Duration submitted{};
  Duration stopped{};
  Duration decided{};
};

/// Edges are seen V later. Work of the other kind of window may have to be stopped, and its end be known;
/// work that was stopped at the end of the last window is submitted again.
void shrink_window(GpuServer& server, const EngineLoad& load, const UnitCharges& charges) {
  if (!server.supply) return;
  Duration lost = charges.decided;
  if (server.other_kind_has_tasks) {
    const std::optional<Duration> stopped = until_stopped(load, server.supply->period);
    lengthen(lost, checked_add(stopped.value_or(server.supply->budget), charges.decided));
  }
  if (std::any_of(server.tasks.begin(), server.tasks.end(), can_be_stopped)) {
    lengthen(lost, checked_add(charges.submitted, charges.decided));
  }
  lost = std::min(lost, server.supply->budget);
  server.supply = Supply{server.supply->offset + lost, server.supply->budget - lost, server.supply->period};
}

/// A core, which shares the engine with others.
void charge_core(GpuServer& server, const EngineLoad& load, Duration decided) {
  Duration longest_queueing{};
  Duration longest_submission{};
  for (const GpuTask& task : server.tasks) {
    longest_queueing = std::max(longest_queueing, queueing(load, task));
    longest_submission = std::max(longest_submission, task_of(load, task.task).last);
  }
  const UnitCharges charges{.submitted = checked_add(longest_queueing, longest_submission),
                            .stopped = checked_add(longest_queueing, load.stop),
                            .decided = decided};
  shrink_window(server, load, charges);
  const Duration unit = checked_add(charges.submitted, decided);
  // What interrupts others asks them to stop, and they are submitted again.
  const bool interrupts = std::any_of(server.tasks.begin(), server.tasks.end(), can_be_stopped);
  for (GpuTask& task : server.tasks) {
    lengthen(task.cost, checked_mul(unit, task.slices));
    if (interrupts) lengthen(task.cost, checked_add(unit, charges.stopped));
    lengthen(task.jitter, decided);
    if (task.longest_block > Duration{}) lengthen(task.longest_block, unit);
  }
  for (BestEffortBlock& block : server.best_effort_blocks) {
    const EngineTask& submitted = task_of(load, block.task);
    lengthen(block.length, checked_add(submitted.submission, decided));
    if (submitted.may_be_stopped) lengthen(block.length, longest_queueing);
  }
}

/// The GPU, which takes whole jobs.
void charge_gpu(GpuServer& server, const EngineLoad& load, Duration decided) {
  for (GpuTask& task : server.tasks) {
    const Duration submitted = checked_add(queueing(load, task), task_of(load, task.task).last);
    lengthen(task.cost, checked_add(submitted, decided));
    lengthen(task.jitter, decided);
    if (task.longest_block > Duration{}) lengthen(task.longest_block, decided);
  }
  for (BestEffortBlock& block : server.best_effort_blocks) {
    lengthen(block.length, checked_add(task_of(load, block.task).submission, decided));
  }
}

}  // namespace

std::optional<GpuServers> charge_engine(GpuServers servers, const EngineLoad& load) {
  const std::optional<Duration> decided = until_decided(load, load.longest);
  if (!decided) return std::nullopt;
  servers.costs_are_tight = false;
  for (GpuServer& server : servers.servers) {
    (servers.share_engine ? charge_core : charge_gpu)(server, load, *decided);
  }
  return servers;
}

std::optional<GpuServers> count_engine(GpuServers servers, const EngineLoad& load, std::int32_t levels) {
  const std::optional<Duration> decided = until_decided(load, load.longest);
  const std::optional<Duration> alone = until_decided(load, Duration{});
  if (!decided || !alone) return std::nullopt;
  servers.costs_are_tight = false;
  for (GpuServer& server : servers.servers) {
    CountedEngine& engine = server.engine.emplace(CountedEngine{.load = load, .earlier = *decided});
    for (GpuTask& task : server.tasks) {
      const EngineTask& submitted = task_of(load, task.task);
      // The burst that handles its end began when the engine waited, or right after its last submission.
      const Duration from_waiting = checked_add(checked_add(submitted.last, task.cost), *alone);
      const Duration from_submission = *until_decided(load, submitted.last);
      engine.finish.push_back(checked_add(queueing(load, task), std::max(from_waiting, from_submission)));
      engine.below.push_back(
          once_below(load, place_of(load, task.task), static_cast<std::size_t>(levels - 1)));
      lengthen(task.cost, engine_work(load, submitted));
    }
    // With several levels a best-effort block is never in the last one: what the engine does for it is in Lo.
    for (BestEffortBlock& block : server.best_effort_blocks) {
      if (levels == 1) lengthen(block.length, engine_work(load, task_of(load, block.task)));
    }
  }
  return servers;
}

namespace {

Result falls_behind(const System& system) {
  Result result = unjudged(system);
  set_answer(result, Verdict::unproven,
             {.reason = "handling events may take the engine all of its time: releases come faster than it "
                        "handles them"});
  return result;
}

/// Both are sound: each task has the smaller bound, and one proof of its deadline is enough.
Result smaller_of(Result result, const Result& other) {
  if (result.verdict != Verdict::schedulable && other.verdict == Verdict::schedulable) {
    return smaller_of(other, result);
  }
  for (std::size_t i = 0; i < result.tasks.size(); ++i) {
    TaskResult& task = result.tasks[i];
    const TaskResult& same = other.tasks[i];
    if (same.bound && (!task.bound || *same.bound < *task.bound)) task = same;
  }
  const bool all_are_ok =
      std::all_of(result.tasks.begin(), result.tasks.end(), [](const TaskResult& task) { return task.ok; });
  if (all_are_ok && result.verdict != Verdict::schedulable) {
    set_answer(result, Verdict::schedulable, {.reason = "every response time stays within its deadline"});
  }
  return result;
}

}  // namespace

Result judge_with_engine(const System& system, const GpuServers& servers,
                         Result (*judge)(const System&, const GpuServers&)) {
  if (!servers.why_not.empty() || !has_engine_time(system)) return judge(system, servers);
  EngineLoad load = engine_load(system, servers.share_engine ? EngineUnit::slice : EngineUnit::job);
  const std::optional<GpuServers> charged = charge_engine(servers, load);
  if (!charged) return falls_behind(system);
  Result simple = judge(system, *charged);
  if (servers.share_engine) {
    if (simple.verdict == Verdict::schedulable) return simple;
    load.all_in_time = false;
    return judge(system, *charge_engine(servers, load));
  }
  const std::int32_t levels = system.policy.strategy->has_levels ? system.policy.levels : 1;
  return smaller_of(judge(system, *count_engine(servers, load, levels)), simple);
}

}  // namespace tactus::analysis
