#include "tactus/analysis/analysis.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tactus::analysis {

Result does_not_apply(std::string why_not) {
  Result result;
  result.why_not = std::move(why_not);
  return result;
}

Result unjudged(const System& system) {
  Result result;
  result.tasks.reserve(system.tasks.size());
  for (const Task& task : system.tasks) {
    result.tasks.push_back({task.name, task.deadline, std::nullopt, task.arrival == Arrival::best_effort});
  }
  return result;
}

bool counts_for_verdict(const Analysis& analysis) {
  return analysis.sound && analysis.run_time_model.empty();
}

bool is_bounded(const Result& result) {
  return result.applies() &&
         std::all_of(result.tasks.begin(), result.tasks.end(),
                     [](const TaskResult& task) { return !task.deadline || task.bound.has_value(); });
}

Kind kind_here(const Analysis& analysis, const Result& result) {
  return analysis.kind == Kind::exact && !result.exact ? Kind::sufficient : analysis.kind;
}

bool is_for_other_strategy(const Analysis& analysis, const System& system) {
  return (!analysis.strategy.empty() && analysis.strategy != system.policy.strategy->name) ||
         (analysis.by_node && !is_by_node(system));
}

std::string_view to_string(Kind kind) {
  constexpr std::array<std::string_view, 3> names{"exact", "sufficient", "necessary"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 4> names{"schedulable", "unschedulable", "unproven", "gave-up"};
  return names.at(static_cast<std::size_t>(verdict));
}

}  // namespace tactus::analysis
