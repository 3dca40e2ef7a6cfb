#include "tactus/plan/plan.hpp"

#include <algorithm>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/base/error.hpp"
#include "tactus/model/strategy_text.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/acceptance.hpp"
#include "tactus/plan/searches.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

namespace {

/// Nothing is chosen: it holds as it is, or not at all.
void judge_as_it_is(Plan& plan, const System& system, const std::string& why_nothing, const Watch& watch) {
  if (accept(plan, system, why_nothing + ": the system was checked as it is", watch)) return;
  plan.searched = "nothing: " + why_nothing;
  plan.why_not =
      "it does not hold as it is, or is not proven to; " + objections(system, analysis::check(system));
}

void refuse_options(const System& system, const PlanGoals& options) {
  const auto where = [](bool (*is_meant)(const StrategyFacts&)) {
    return " can be asked for under the strategy " + strategies_text(is_meant) + " only";
  };
  if (options.fewest_sms && !has_own_sms(*system.policy.strategy)) {
    throw InputError{"the fewest SMs" + where(has_own_sms),
                     "under the others tasks have no SMs of their own"};
  }
  if (options.fastest && !can_scale_rates(*system.policy.strategy)) {
    throw InputError{"the fastest rates" + where(can_scale_rates)};
  }
}

[[noreturn]] void refuse_goals() {
  throw InputError{
      "the fewest SMs and the fastest rates can be asked for only where `rtgpu` applies",
      "needs chains with `wait: suspend`, preemptive fixed priorities on the cores, no open cores and "
      "variants"};
}

/// Whether the tests of the search for virtual SMs take the system, when it has some.
bool is_federated_chains(const System& system) {
  System complete = system;
  complete.virtual_sms.resize(system.tasks.size());
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (!uses_gpu(system.tasks[i].work) || complete.virtual_sms[i]) continue;
    complete.virtual_sms[i] = system.platform.gpu.virtual_sms_per_sm;
  }
  return analysis::run(*analysis::find("rtgpu"), complete).applies();
}

/// What `rtgpu` does not accept on any SMs the composed tests may.
void try_composed_tests(Plan& plan, const System& system, const Watch& watch) {
  const analysis::Result necessary = analysis::run(*analysis::find("federated-necessary"), system);
  if (necessary.applies() && necessary.verdict == analysis::Verdict::unschedulable) return;
  Plan composed = plan;
  plan_nodes(composed, system, {}, watch);
  if (composed.found) {
    plan = std::move(composed);
  } else if (!plan.searched.empty()) {
    plan.searched += "; for the composed tests " + composed.searched;
  }
}

bool is_analysed(const System& system) {
  const std::span<const analysis::Analysis> all = analysis::registry();
  return std::any_of(all.begin(), all.end(),
                     [&](const analysis::Analysis& entry) { return !is_for_other_strategy(entry, system); });
}

/// Whether a test that can prove the system counts the time of the engine.
bool is_engine_counted(const System& system) {
  const std::span<const analysis::Analysis> all = analysis::registry();
  return std::any_of(all.begin(), all.end(), [&](const analysis::Analysis& entry) {
    return entry.counts_engine && entry.kind != analysis::Kind::necessary && counts_for_verdict(entry) &&
           !is_for_other_strategy(entry, system) &&
           (entry.by_node || !is_by_node(system) || system.policy.strategy->handed == Handed::nodes);
  });
}

void search(Plan& plan, const System& system, const PlanGoals& options, const Watch& watch) {
  const StrategyFacts& strategy = *system.policy.strategy;
  if (strategy.times_nodes && must_shorten_chains(options)) refuse_shortest_chains();
  if (strategy.times_nodes && options.fastest) {
    refuse_scripts(system);
    plan_node_rates(plan, system, options, watch);
    return;
  }
  const bool is_searched = is_analysed(system);
  const bool is_open = !find_open_choices(system).empty();
  const bool owns_sms = has_own_sms(strategy);
  if (is_open || (is_by_node(system) && !(owns_sms && is_federated_chains(system)))) {
    if (options.fewest_sms || options.fastest) refuse_goals();
    plan_nodes(plan, system, options, watch);
  } else if (must_shorten_chains(options)) {
    refuse_shortest_chains();
  } else if (is_searched && owns_sms) {
    plan_federated(plan, system, options, watch);
    if (!plan.found && !options.fewest_sms && !options.fastest) try_composed_tests(plan, system, watch);
  } else if (is_searched && strategy.sms == SmSharing::cores && has_engine_time(system)) {
    judge_as_it_is(plan, system, "windows and cores are not searched where the engine needs time", watch);
  } else if (is_searched && strategy.sms == SmSharing::cores) {
    plan_cores(plan, system, watch);
  } else if (is_searched && strategy.has_order && system.policy.order == Order::fp) {
    plan_streams(plan, system, watch);
  } else {
    judge_as_it_is(plan, system, "nothing to choose under this strategy and order", watch);
  }
}

}  // namespace

bool can_scale_rates(const StrategyFacts& strategy) { return has_own_sms(strategy) || strategy.times_nodes; }

void refuse_shortest_chains() {
  throw InputError{
      "the shortest chains can be asked for only where each segment goes to a server of its own, "
      "and cores, variants and priorities are all that is open",
      "leave --shortest-chains out"};
}

void refuse_scripts(const System& system) {
  for (const Task& task : system.tasks) {
    if (task.jobs.empty()) continue;
    throw InputError{"task '" + task.name + "' has scripted `jobs`, which belong to one period and to one " +
                         "number of virtual SMs",
                     "leave `jobs` out to plan this system"};
  }
}

Plan plan(const System& system, const Watch& watch, const PlanGoals& options) {
  refuse_options(system, options);
  Plan result;
  result.system = system.name;
  result.tasks = task_plans(system);
  if (has_engine_time(system) && !is_engine_counted(system)) {
    result.why_not = objections(system, analysis::check(system));  // no test applies, whatever is chosen
    return result;
  }
  try {
    search(result, system, options, watch);
  } catch (const SearchStopped&) {
    result.interrupted = true;
    result.why_not = "interrupted before anything was found";
  }
  if (result.rate) {
    for (const TaskIndex task : options.fastest_of) result.rate->tasks.push_back(system.tasks[task].name);
  }
  if (result.found) {
    if (options.measures_shrink) measure_shrink(result, within(watch, options.time_limit));
    result.why_not.clear();
    result.searched.clear();
    result.fails.reset();
  }
  return result;
}

}  // namespace tactus::plan
