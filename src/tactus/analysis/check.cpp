#include "tactus/analysis/check.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>
#include <variant>

#include "tactus/analysis/effort.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::analysis {

namespace {

Result gave_up(const System& system, std::string reason) {
  Result result;
  result.verdict = Verdict::gave_up;
  result.reason = std::move(reason);
  for (const Task& task : system.tasks)
    result.tasks.push_back({task.name, task.deadline, std::nullopt, false});
  return result;
}

Result broke_off(const Analysis& analysis, const System& system, const char* what) {
  Result result = gave_up(system, "the analysis '" + std::string{analysis.id} + "' threw: " + what);
  result.threw = true;
  return result;
}

bool has_places_of_nodes(const System& system) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                       [](const Node& node) { return node.core || node.virtual_sms; });
  });
}

/// What an analysis that does not look at single servers overlooks in this system; empty: nothing.
std::string find_overlooked(const Analysis& analysis, const System& system) {
  // A strategy that shares all SMs has no use for places: only where tasks own SMs, or for an analysis of any
  // strategy.
  const bool owned = system.policy.strategy->sms == SmSharing::owned;
  if ((analysis.strategy.empty() || owned) && has_places_of_nodes(system)) {
    return "a segment has a core or SMs of its own, which this analysis does not look at";
  }
  if (!is_by_node(system)) return {};
  if (system.policy.strategy->handed == Handed::jobs_or_nodes) {
    const std::string needs = "needs jobs that have the GPU from their start to their end: ";
    const auto with_cpu = std::find_if(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
      return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                         [](const Node& node) { return server_of(node.segment) == ServerKind::cpu; });
    });
    return with_cpu == system.tasks.end() ? needs + "`policy.copies` parts copies from GPU work"
                                          : needs + "task '" + with_cpu->name + "' has a `cpu` segment";
  }
  if (cpu_policy(system.policy) != CpuPolicy{} || copy_order(system.policy) != CopyOrder::fp) {
    return "needs CPU cores with preemptive fixed priorities and copies by fixed priority";
  }
  const auto busy = std::find_if(system.tasks.begin(), system.tasks.end(),
                                 [](const Task& task) { return task.wait == Waiting::busy; });
  if (busy != system.tasks.end()) return "task '" + busy->name + "' waits busily; needs `wait: suspend`";
  return {};
}

/// GPU work whose time depends on its virtual SMs, under a strategy that gives none. No engine runs it.
std::string find_unknown_time(const System& system) {
  if (system.policy.strategy->sms == SmSharing::owned) return {};
  for (const Task& task : system.tasks) {
    for (const Node& node : task.work.nodes) {
      if (!std::holds_alternative<GpuSegment>(node.segment)) continue;
      return "task '" + task.name +
             "' has a `gpu` segment, whose time is known on virtual SMs alone; write " +
             "`kernel` or `exclusive`";
    }
  }
  return {};
}

/// Jobs that `max_jobs` turns away take no time and miss no deadline, so what follows from too much work may
/// never come.
Result without_overload(Result result, const System& system) {
  const bool has_limit = std::any_of(system.tasks.begin(), system.tasks.end(),
                                     [](const Task& task) { return task.max_jobs.has_value(); });
  if (!has_limit || result.verdict != Verdict::unschedulable) return result;
  result.verdict = Verdict::unproven;
  result.reason += "; jobs may be turned away (`max_jobs`), which take no time";
  return result;
}

}  // namespace

Result run(const Analysis& analysis, const System& system) {
  if (is_for_other_strategy(analysis, system)) {
    return does_not_apply(analysis.by_node
                              ? "needs segments that go to servers of their own: CPU work, or an "
                                "order of `copies`"
                              : "needs the strategy " + std::string{analysis.strategy});
  }
  if (std::string unknown = find_unknown_time(system); !unknown.empty()) {
    return does_not_apply(std::move(unknown));
  }
  if (has_engine_time(system) && !analysis.counts_engine) {
    return does_not_apply(
        "does not count the time of the engine: needs no `platform.overheads.engine` and no `enqueue`");
  }
  if (!analysis.reads_servers && !analysis.by_node) {
    if (std::string overlooked = find_overlooked(analysis, system); !overlooked.empty()) {
      return does_not_apply(std::move(overlooked));
    }
  }
  try {
    const StepAllowance allowance;
    return without_overload(analysis.run(system), system);
  } catch (const OverflowError& overflow) {
    return gave_up(system, std::string{"the numbers are too large: "} + overflow.what());
  } catch (const TooManySteps& limit) {
    return gave_up(system, limit.what());
  } catch (const WorkStopped&) {
    throw;
  } catch (const std::exception& error) {
    return broke_off(analysis, system, error.what());
  } catch (...) {
    return broke_off(analysis, system, "an exception that is no std::exception");
  }
}

CheckResult check(const System& system, std::span<const Analysis> analyses) {
  CheckResult result;
  result.system = system.name;
  for (const Analysis& analysis : analyses) result.analyses.push_back({analysis, run(analysis, system)});
  const auto says = [&](Verdict verdict) {
    return std::any_of(result.analyses.begin(), result.analyses.end(), [&](const CheckedAnalysis& checked) {
      return counts_for_verdict(checked.analysis) && checked.result.applies() &&
             checked.result.verdict == verdict;
    });
  };
  if (says(Verdict::schedulable)) {
    result.verdict = Verdict::schedulable;
  } else if (says(Verdict::unschedulable)) {
    result.verdict = Verdict::unschedulable;
  }
  if (!system.chains.empty()) {
    result.chains = judge_chains(system, smallest_bounds(system, result));
    const Verdict chains = verdict_of(result.chains);
    if (chains == Verdict::unschedulable || result.verdict == Verdict::schedulable) result.verdict = chains;
  }
  return result;
}

CheckResult check(const System& system) {
  std::vector<Analysis> usual;
  std::copy_if(registry().begin(), registry().end(), std::back_inserter(usual), counts_for_verdict);
  return check(system, usual);
}

std::vector<ProvenBound> proven_bounds(const System& system, const CheckResult& result) {
  std::vector<ProvenBound> bounds(system.tasks.size());
  for (const CheckedAnalysis& checked : result.analyses) {
    if (!counts_for_verdict(checked.analysis) || !checked.result.applies()) continue;
    for (std::size_t i = 0; i < checked.result.tasks.size(); ++i) {
      const TaskResult& task = checked.result.tasks[i];
      ProvenBound& best = bounds[i];
      if (!task.bound) continue;
      const bool says_more = best.bound == task.bound && best.deadline_only && !task.deadline_only;
      if (!best.bound || *task.bound < *best.bound || says_more) best = {task.bound, task.deadline_only};
    }
  }
  return bounds;
}

std::vector<std::optional<Duration>> smallest_bounds(const System& system, const CheckResult& result) {
  std::vector<std::optional<Duration>> bounds;
  for (const ProvenBound& proven : proven_bounds(system, result)) bounds.push_back(proven.bound);
  return bounds;
}

std::vector<std::optional<Duration>> response_bounds(std::span<const ProvenBound> proven) {
  std::vector<std::optional<Duration>> bounds;
  bounds.reserve(proven.size());
  for (const ProvenBound& task : proven) bounds.push_back(task.deadline_only ? std::nullopt : task.bound);
  return bounds;
}

}  // namespace tactus::analysis
