#include "tactus/plan/json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "tactus/analysis/json.hpp"
#include "tactus/io/words.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::plan {

using analysis::in_nanoseconds;
using nlohmann::ordered_json;

namespace {

ordered_json to_json(const std::optional<Window>& window) {
  if (!window) return nullptr;
  return {{"offset_ns", window->offset.count()}, {"budget_ns", window->budget.count()}};
}

/// By name of task: what `value` says of it, where that is something.
template <class Value>
ordered_json by_task(const System& system, const Value& value) {
  ordered_json json = ordered_json::object();
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    ordered_json one = value(i);
    if (!one.is_null()) json[system.tasks[i].name] = std::move(one);
  }
  return json;
}

template <class Number>
ordered_json or_null(const std::optional<Number>& number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

ordered_json policy_of(const Policy& policy) {
  const Way way{policy.strategy, policy.order};
  ordered_json json{{"strategy", strategy_word(way)}};
  if (has_order(way)) json["order"] = order_word(way);
  if (policy.strategy->has_levels) json["levels"] = policy.levels;
  if (policy.strategy->slices_time) json["time_slice_ns"] = policy.time_slice.count();
  if (policy.strategy->times_nodes) {
    json["clusters"] = io::word_of(io::words::cluster_modes, policy.clusters);
    json["parallel_jobs"] = policy.parallel_jobs;
  }
  return json;
}

void add_choices_of_tasks(ordered_json& json, const Plan& plan) {
  const System& system = plan.planned;
  const std::vector<Task>& tasks = system.tasks;
  if (plan.has_priorities) {
    json["priorities"] = by_task(system, [&](std::size_t i) { return or_null(tasks[i].priority); });
  }
  if (plan.has_gpu_priorities) {
    json["gpu_priorities"] = by_task(system, [&](std::size_t i) { return or_null(tasks[i].gpu_priority); });
  }
  if (plan.has_cores) {
    json["sm"] = by_task(system, [&](std::size_t i) {
      return tasks[i].sm.kind == SmAffinity::Kind::one ? ordered_json(tasks[i].sm.core)
                                                       : ordered_json(nullptr);
    });
  }
  if (plan.has_cpu_cores) {
    json["cores"] = by_task(system, [&](std::size_t i) { return ordered_json(tasks[i].core); });
  }
  if (!plan.variants.empty()) {
    json["variants"] = by_task(system, [&](std::size_t i) {
      const bool has_some = i < plan.variants.size() && !plan.variants[i].empty();
      return has_some ? ordered_json(plan.variants[i]) : ordered_json(nullptr);
    });
  }
}

void add_parameters(ordered_json& json, const Plan& plan) {
  const System& system = plan.planned;
  if (plan.has_reservations) {
    const Reservations& reservations = *system.policy.reservations;
    json["reservations"] = {{"period_ns", reservations.period.count()},
                            {"local", to_json(reservations.local)},
                            {"all", to_json(reservations.all)}};
  }
  add_choices_of_tasks(json, plan);
  if (plan.has_strategy || plan.has_policy) json["policy"] = policy_of(system.policy);
  if (plan.has_virtual_sms) {
    json["virtual_sms"] = by_task(system, [&](std::size_t i) {
      return i < system.virtual_sms.size() ? or_null(system.virtual_sms[i]) : ordered_json(nullptr);
    });
  }
  if (plan.sms) {
    json["sms"] = {{"used", plan.sms->used}, {"available", plan.sms->available}};
    if (plan.sms->fewest) json["sms"]["fewest"] = *plan.sms->fewest;
  }
  if (plan.shortest) {
    json["shortest_chains"] = {{"chains", plan.shortest->chains},
                               {"together_ns", plan.shortest->together.count()},
                               {"least", plan.shortest->is_least}};
  }
  if (plan.rate) {
    json["rate"] = {{"factor_thousandths", plan.rate->factor},
                    {"fails_to_thousandths", plan.rate->fails_to},
                    {"largest", plan.rate->largest}};
    if (!plan.rate->tasks.empty()) json["rate"]["tasks"] = plan.rate->tasks;
  }
}

ordered_json to_json(const std::optional<WorstPart>& worst, const std::vector<std::string>& tasks) {
  if (!worst) return nullptr;
  return {{"task", tasks[worst->task]}, {"of_deadline_thousandths", worst->thousandths}};
}

ordered_json to_json(const ComparedWay& way, const Comparison& comparison) {
  const Trial& trial = way.trial;
  ordered_json json{{"strategy", strategy_word(trial.way)}, {"order", nullptr}, {"own", trial.own}};
  if (has_order(trial.way)) json["order"] = order_word(trial.way);
  json["verdict"] = to_string(trial.verdict);
  json["applies"] = trial.applies;
  json["analysis"] = nullptr;
  if (trial.holds()) {
    json["analysis"] = trial.plan.accepted_by;
    json["how"] = trial.plan.how;
    json["any_core"] = trial.any_core;
    json["plan"] = to_json(trial.plan);
  } else {
    json["why_not"] = trial.why_not;
  }
  std::vector<std::optional<Duration>> bounds(comparison.tasks.size());
  json["tasks"] = ordered_json::array();
  for (std::size_t i = 0; i < comparison.tasks.size(); ++i) {
    const analysis::ProvenBound proven = i < trial.bounds.size() ? trial.bounds[i] : analysis::ProvenBound{};
    bounds[i] = proven.bound;
    json["tasks"].push_back(
        {{"name", comparison.tasks[i]},
         {"deadline_ns", in_nanoseconds(comparison.deadlines[i])},
         {"bound_ns", in_nanoseconds(proven.bound)},
         {"deadline_only", proven.deadline_only},
         {"simulated_max_ns", way.simulated ? in_nanoseconds(way.simulated->longest[i]) : ordered_json{}},
         {"simulated_unfinished", way.simulated && way.simulated->unfinished[i]}});
  }
  json["worst_bound"] = to_json(worst_part(bounds, comparison.deadlines), comparison.tasks);
  json["worst_simulated"] = nullptr;
  json["simulated_misses"] = nullptr;
  json["simulated_to_ns"] = nullptr;
  if (way.simulated) {
    json["worst_simulated"] =
        to_json(worst_part(way.simulated->longest, comparison.deadlines), comparison.tasks);
    json["simulated_misses"] = way.simulated->misses;
    json["simulated_to_ns"] = in_ns(way.simulated->reached);
  }
  return json;
}

}  // namespace

ordered_json to_json(const Plan& plan) {
  ordered_json json{{"system", plan.system}, {"found", plan.found}};
  if (plan.found) add_parameters(json, plan);
  json["tasks"] = ordered_json::array();
  for (const TaskPlan& task : plan.tasks) {
    json["tasks"].push_back({{"name", task.name},
                             {"bound_ns", in_nanoseconds(task.bound)},
                             {"deadline_ns", in_nanoseconds(task.deadline)},
                             {"deadline_only", task.deadline_only},
                             {"margin_ns", in_nanoseconds(task.margin)},
                             {"deadline_can_shrink_ns", in_nanoseconds(task.can_shrink)}});
  }
  if (!plan.chains.empty()) {
    json["chains"] = ordered_json::array();
    for (const analysis::EffectResult& chain : plan.chains)
      json["chains"].push_back(analysis::to_json(chain));
  }
  if (plan.found) {
    json["analysis"] = plan.accepted_by;
    json["how"] = plan.how;
  } else {
    json["why_not"] = plan.why_not;
    if (!plan.searched.empty()) json["searched"] = plan.searched;
    if (plan.fails) json["fails"] = {{"task", plan.fails->task}, {"by_ns", in_nanoseconds(plan.fails->by)}};
  }
  json["interrupted"] = plan.interrupted;
  return json;
}

ordered_json to_json(const Comparison& comparison) {
  ordered_json json{{"system", comparison.system}, {"some_holds", comparison.some_holds()}};
  json["strategies"] = ordered_json::array();
  for (const ComparedWay& way : comparison.ways) json["strategies"].push_back(to_json(way, comparison));
  json["interrupted"] = comparison.interrupted;
  return json;
}

ordered_json to_json(const Hints& hints, const System& system) {
  ordered_json list = ordered_json::array();
  if (hints.nearest) {
    ordered_json entry{{"kind", "nearest"}, {"analysis", hints.nearest->analysis}, {"task", nullptr}};
    if (!hints.nearest->task.empty()) entry["task"] = hints.nearest->task;
    entry["by_ns"] = hints.nearest->by.count();
    list.push_back(std::move(entry));
  }
  for (const DeadlineHint& hint : hints.deadlines) {
    list.push_back({{"kind", "deadline"},
                    {"task", system.tasks[hint.task].name},
                    {"deadline_ns", hint.deadline.count()},
                    {"analysis", hint.analysis}});
  }
  if (hints.periods) {
    ordered_json entry{{"kind", "deadlines-at-periods"}, {"tasks", ordered_json::array()}};
    for (const std::size_t task : hints.periods->tasks) {
      entry["tasks"].push_back(
          {{"task", system.tasks[task].name}, {"deadline_ns", system.tasks[task].period->count()}});
    }
    entry["analysis"] = hints.periods->analysis;
    list.push_back(std::move(entry));
  }
  if (hints.speed) {
    list.push_back({{"kind", "speed"},
                    {"speed_thousandths", hints.speed->thousandths},
                    {"analysis", hints.speed->analysis}});
  }
  for (const DispatchHint& hint : hints.dispatches) {
    ordered_json entry{{"kind", "dispatch"}, {"tasks", ordered_json::array()}};
    for (const auto& [task, dispatch, drops_launcher] : hint.changes) {
      ordered_json change{{"task", system.tasks[task].name}, {"dispatch", to_string(dispatch)}};
      if (drops_launcher) change["launcher"] = false;
      entry["tasks"].push_back(std::move(change));
    }
    entry["planned"] = hint.planned;
    entry["analysis"] = hint.analysis;
    list.push_back(std::move(entry));
  }
  if (hints.cores) list.push_back({{"kind", "cores"}, {"analysis", hints.cores->analysis}});
  for (const PolicyHint& hint : hints.policies) {
    ordered_json entry{{"kind", "policy"}};
    if (hint.clusters) entry["clusters"] = io::word_of(io::words::cluster_modes, *hint.clusters);
    if (hint.parallel_jobs) entry["parallel_jobs"] = *hint.parallel_jobs;
    entry["any_core"] = hint.any_core;
    entry["planned"] = hint.planned;
    entry["analysis"] = hint.analysis;
    list.push_back(std::move(entry));
  }
  for (const auto& [trial] : hints.ways) {
    ordered_json entry{{"kind", "strategy"}, {"strategy", strategy_word(trial.way)}, {"order", nullptr}};
    if (has_order(trial.way)) entry["order"] = order_word(trial.way);
    entry["any_core"] = trial.any_core;
    entry["planned"] = trial.changed;
    entry["analysis"] = trial.plan.accepted_by;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace tactus::plan
