#include "tactus/plan/plan.hpp"

#include "tactus/base/error.hpp"
#include "tactus/plan/acceptance.hpp"
#include "tactus/plan/core_plan.hpp"
#include "tactus/plan/federated_plan.hpp"
#include "tactus/plan/stream_plan.hpp"

namespace tactus::plan {

namespace {

using nlohmann::ordered_json;

/// There are no parameters to choose: the system holds as it is, or not at all.
void judge_as_it_is(Plan& plan, const System& system, const Watch& watch) {
  if (accept(plan, system, "nothing to choose under this strategy and order: the system was checked as it is",
             watch)) {
    return;
  }
  plan.searched = "nothing: there is no parameter to choose under this strategy and order";
  plan.why_not =
      "it does not hold as it is, or is not proven to; " + objections(system, analysis::check(system));
}

void refuse_options(const System& system, const Options& options) {
  if (system.policy.strategy->sms == SmSharing::owned) return;
  if (options.fewest_sms) {
    throw InputError{"the fewest SMs can be asked for under the strategy `federated` only",
                     "under the others tasks have no SMs of their own"};
  }
  if (options.fastest) {
    throw InputError{"the fastest rates can be asked for under the strategy `federated` only"};
  }
}

void search(Plan& plan, const System& system, const Options& options, const Watch& watch) {
  const StrategyFacts& strategy = *system.policy.strategy;
  if (strategy.is_planned) {
    throw InputError{"the strategy `" + std::string{strategy.name} + "` cannot be planned yet",
                     "single-stream, multi-stream, sm-cores and federated can"};
  }
  if (strategy.sms == SmSharing::owned) {
    plan_federated(plan, system, options, watch);
  } else if (strategy.sms == SmSharing::cores) {
    plan_cores(plan, system, watch);
  } else if (strategy.has_order && system.policy.order == Order::fp) {
    plan_streams(plan, system, watch);
  } else {
    judge_as_it_is(plan, system, watch);
  }
}

ordered_json to_json(const std::optional<Window>& window) {
  if (!window) return nullptr;
  return {{"offset_ns", window->offset.count()}, {"budget_ns", window->budget.count()}};
}

void add_parameters(ordered_json& json, const Plan& plan) {
  const System& system = plan.planned;
  if (plan.has_reservations) {
    const Reservations& reservations = *system.policy.reservations;
    json["reservations"] = {{"period_ns", reservations.period.count()},
                            {"local", to_json(reservations.local)},
                            {"all", to_json(reservations.all)}};
  }
  if (plan.has_priorities) {
    json["priorities"] = ordered_json::object();
    for (const Task& task : system.tasks) {
      if (task.priority) json["priorities"][task.name] = *task.priority;
    }
  }
  if (plan.has_cores) {
    json["sm"] = ordered_json::object();
    for (const Task& task : system.tasks) {
      if (task.sm.kind == SmAffinity::Kind::one) json["sm"][task.name] = task.sm.core;
    }
  }
  if (plan.has_virtual_sms) {
    json["virtual_sms"] = ordered_json::object();
    for (std::size_t i = 0; i < system.virtual_sms.size(); ++i) {
      if (system.virtual_sms[i]) json["virtual_sms"][system.tasks[i].name] = *system.virtual_sms[i];
    }
  }
  if (plan.sms) {
    json["sms"] = {{"used", plan.sms->used}, {"available", plan.sms->available}};
    if (plan.sms->fewest) json["sms"]["fewest"] = *plan.sms->fewest;
  }
  if (plan.rate) {
    json["rate"] = {{"factor_thousandths", plan.rate->factor},
                    {"fails_to_thousandths", plan.rate->fails_to},
                    {"largest", plan.rate->largest}};
  }
}

}  // namespace

Plan plan(const System& system, const Watch& watch, const Options& options) {
  refuse_options(system, options);
  Plan result;
  result.system = system.name;
  result.tasks = task_plans(system);
  try {
    search(result, system, options, watch);
  } catch (const Stopped&) {
    result.interrupted = true;
    result.why_not = "interrupted before anything was found";
  }
  if (result.found) {
    result.why_not.clear();
    result.searched.clear();
    result.fails.reset();
  }
  return result;
}

ordered_json to_json(const Plan& plan) {
  ordered_json json{{"system", plan.system}, {"found", plan.found}};
  if (plan.found) add_parameters(json, plan);
  json["tasks"] = ordered_json::array();
  for (const TaskPlan& task : plan.tasks) {
    json["tasks"].push_back({{"name", task.name},
                             {"bound_ns", analysis::in_nanoseconds(task.bound)},
                             {"deadline_ns", analysis::in_nanoseconds(task.deadline)},
                             {"deadline_only", task.deadline_only},
                             {"margin_ns", analysis::in_nanoseconds(task.margin)},
                             {"deadline_can_shrink_ns", analysis::in_nanoseconds(task.can_shrink)}});
  }
  if (plan.found) {
    json["analysis"] = plan.accepted_by;
    json["how"] = plan.how;
  } else {
    json["why_not"] = plan.why_not;
    if (!plan.searched.empty()) json["searched"] = plan.searched;
    if (plan.fails)
      json["fails"] = {{"task", plan.fails->task}, {"by_ns", analysis::in_nanoseconds(plan.fails->by)}};
  }
  json["interrupted"] = plan.interrupted;
  return json;
}

}  // namespace tactus::plan
