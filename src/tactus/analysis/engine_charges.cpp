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

/// Edges are seen V later; work of the other kind of window is known to have ended V later.
void shrink_window(GpuServer& server, Duration decided) {
  if (!server.supply) return;
  const Duration lost =
      std::min(server.other_kind_has_tasks ? checked_mul(decided, 2) : decided, server.supply->budget);
  server.supply = Supply{server.supply->offset + lost, server.supply->budget - lost, server.supply->period};
}

}  // namespace

std::optional<GpuServers> charge_engine(GpuServers servers, const EngineLoad& load) {
  const std::optional<Duration> decided = until_decided(load, load.longest);
  if (!decided) return std::nullopt;
  servers.costs_are_tight = false;
  for (GpuServer& server : servers.servers) {
    shrink_window(server, *decided);
    Duration longest_queueing{};
    Duration longest_submission{};
    for (const GpuTask& task : server.tasks) {
      longest_queueing = std::max(longest_queueing, queueing(load, task));
      longest_submission = std::max(longest_submission, task_of(load, task.task).last);
    }
    for (GpuTask& task : server.tasks) {
      Duration submitted = checked_add(queueing(load, task), task_of(load, task.task).last);
      if (servers.share_engine) submitted = checked_add(longest_queueing, longest_submission);
      const Duration added = checked_add(submitted, *decided);
      lengthen(task.cost, checked_mul(added, task.slices));
      lengthen(task.jitter, *decided);
      if (task.longest_block > Duration{}) {
        lengthen(task.longest_block, servers.share_engine ? added : *decided);
      }
    }
    for (BestEffortBlock& block : server.best_effort_blocks) {
      lengthen(block.length, checked_add(task_of(load, block.task).submission, *decided));
    }
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
          under_way_below(load, place_of(load, task.task), static_cast<std::size_t>(levels - 1)));
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

/// sm-cores: why the engine's time cannot be counted; empty when it can.
std::string find_stops(const System& system) {
  for (const Task& task : system.tasks) {
    if (task.longest_block == Duration{}) {
      return "where the engine needs time, needs work in slices: task '" + task.name +
             "' can be stopped anywhere, and no test counts the stop requests";
    }
  }
  return {};
}

}  // namespace

Result judge_with_engine(const System& system, const GpuServers& servers,
                         Result (*judge)(const System&, const GpuServers&)) {
  if (!servers.why_not.empty() || !has_engine_time(system)) return judge(system, servers);
  if (servers.share_engine) {
    if (std::string stops = find_stops(system); !stops.empty()) return does_not_apply(std::move(stops));
  }
  const EngineLoad load = engine_load(system, servers.share_engine ? EngineUnit::slice : EngineUnit::job);
  const std::optional<GpuServers> charged = charge_engine(servers, load);
  if (!charged) return falls_behind(system);
  Result simple = judge(system, *charged);
  if (servers.share_engine) return simple;
  const std::int32_t levels = system.policy.strategy->has_levels ? system.policy.levels : 1;
  return smaller_of(judge(system, *count_engine(servers, load, levels)), simple);
}

}  // namespace tactus::analysis
