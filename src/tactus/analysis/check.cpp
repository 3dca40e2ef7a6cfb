#include "tactus/analysis/check.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

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

}  // namespace

Result run(const Analysis& analysis, const System& system) {
  if (is_for_other_strategy(analysis, system)) {
    return does_not_apply("needs the strategy " + std::string{analysis.strategy});
  }
  // A strategy of GPU work has no use for them: only where tasks own SMs, or for an analysis of any strategy.
  const bool may_have_places = analysis.strategy.empty() || system.policy.strategy->sms == SmSharing::owned;
  if (may_have_places && !analysis.reads_places && has_places_of_nodes(system)) {
    return does_not_apply("a segment has a core or SMs of its own, which this analysis does not look at");
  }
  try {
    const StepAllowance allowance;
    return analysis.run(system);
  } catch (const OverflowError& overflow) {
    return gave_up(system, std::string{"the numbers are too large: "} + overflow.what());
  } catch (const TooManySteps& limit) {
    return gave_up(system, limit.what());
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
