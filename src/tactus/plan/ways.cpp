#include "tactus/plan/ways.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "tactus/analysis/effort.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/io/words.hpp"
#include "tactus/model/core_times.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/acceptance.hpp"
#include "tactus/plan/node_choices.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

using analysis::CheckedAnalysis;
using analysis::CheckResult;
using analysis::Verdict;

namespace {

/// In some variant.
bool may_have_exclusive_work(const System& system) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    return may_have(task,
                    [](const Segment& segment) { return std::holds_alternative<ExclusiveSegment>(segment); });
  });
}

bool says_where(const System& system) {
  return std::any_of(system.tasks.begin(), system.tasks.end(),
                     [](const Task& task) { return task.sm.kind != SmAffinity::Kind::all; });
}

bool any_applies(const CheckResult& result) {
  return std::any_of(result.analyses.begin(), result.analyses.end(), [](const CheckedAnalysis& checked) {
    return counts_for_verdict(checked.analysis) && checked.result.applies();
  });
}

constexpr std::string_view was_stopped = "the search was stopped before it had an answer";

/// Why a way found nothing.
void explain(Trial& trial, const System& system, const Watch& watch) {
  if (!find_open_choices(system).empty()) {
    // What is open has no bounds.
    trial.applies = true;
    trial.why_not = trial.plan.why_not;
    if (trial.stopped) trial.why_not = was_stopped;
    return;
  }
  const Watch interrupts{.stop = watch.stop};  // where only the time is over, what is given is still checked
  const analysis::StepsWatched watched{interrupts};
  const CheckResult result = analysis::check(system);
  trial.applies = any_applies(result);
  trial.complete = find_missing_parameters(system).empty();
  if (trial.complete) trial.plan.planned = system;
  trial.bounds = analysis::proven_bounds(system, result);
  if (result.verdict == Verdict::unschedulable) trial.verdict = Verdict::unschedulable;
  trial.why_not =
      trial.complete || trial.plan.why_not.empty() ? objections(system, result) : trial.plan.why_not;
  if (trial.stopped) trial.why_not = was_stopped;
}

bool find_plan(Trial& trial, const Candidate& candidate, const Watch& watch) {
  trial.plan = plan(candidate.system, watch, {.measures_shrink = false});
  trial.stopped = trial.stopped || (trial.plan.interrupted && !trial.plan.found);
  if (!trial.plan.found) return false;
  trial.verdict = Verdict::schedulable;
  trial.applies = true;
  trial.complete = true;
  trial.any_core = candidate.any_core;
  trial.changed = trial.plan.planned != candidate.system;
  for (const TaskPlan& task : trial.plan.tasks) trial.bounds.push_back({task.bound, task.deadline_only});
  return true;
}

}  // namespace

std::vector<Way> all_ways() {
  std::vector<Way> all;
  for (const StrategyRef strategy : known_strategies()) {
    for (const Order order : strategy->orders.first(strategy->has_order ? strategy->orders.size() : 1)) {
      all.push_back({strategy, order});
    }
  }
  return all;
}

std::string_view strategy_word(const Way& way) { return way.strategy->name; }

bool has_order(const Way& way) { return way.strategy->has_order; }

std::string_view order_word(const Way& way) {
  return has_order(way) ? io::word_of(io::words::orders, way.order) : "-";
}

bool is_own(const System& system, const Way& way) {
  if (way.strategy != system.policy.strategy) return false;
  return !has_order(way) || way.order == system.policy.order;
}

Candidates candidates(const System& system, const Way& way) {
  Candidates result;
  System changed = system;
  changed.policy.strategy = way.strategy;
  if (!is_own(system, way)) changed.policy.order = way.order;
  const bool other_strategy = way.strategy != system.policy.strategy;
  changed.policy.open.order = false;  // it is the way's
  if (other_strategy) changed.policy.open = {};
  set_core_times(changed);
  const bool keeps_sms = !other_strategy || !may_have_exclusive_work(system);
  if (way.strategy->sms == SmSharing::owned && !keeps_sms) {
    result.why_not =
        "`exclusive` work has no known time on fewer SMs than it has now; `kernel` and `gpu` work has";
    return result;
  }
  if (const std::vector<Violation> violations = validate(changed); !violations.empty()) {
    result.why_not = violations.front().path + ": " + violations.front().message;
    return result;
  }
  result.all.push_back({changed, false});
  if (way.strategy->sms == SmSharing::cores && other_strategy && keeps_sms && !says_where(system)) {
    for (Task& task : changed.tasks) task.sm.kind = SmAffinity::Kind::any;
    if (validate(changed).empty()) result.all.push_back({std::move(changed), true});
  }
  return result;
}

Trial try_way(const System& system, const Way& way, const Watch& watch) {
  Trial trial;
  trial.way = way;
  trial.own = is_own(system, way);
  const Candidates found = candidates(system, way);
  trial.why_not = found.why_not;
  try {
    for (const Candidate& candidate : found.all) {
      if (find_plan(trial, candidate, watch)) return trial;
    }
    if (!found.all.empty()) explain(trial, found.all.front().system, watch);
  } catch (const SearchStopped&) {
    trial.stopped = true;
    trial.why_not = was_stopped;
  } catch (const OverflowError& overflow) {
    trial.why_not = std::string{"the numbers are too large: "} + overflow.what();
  } catch (const InputError& error) {
    trial.why_not = error.problems().front().message;
  }
  return trial;
}

Plan plan_any_way(const System& system, const Watch& watch,
                  const std::optional<std::chrono::nanoseconds>& time_limit) {
  std::vector<Way> ways = all_ways();
  std::stable_partition(ways.begin(), ways.end(), [&](const Way& way) { return is_own(system, way); });
  Plan none;
  none.system = system.name;
  none.tasks = task_plans(system);
  none.searched = "all strategies and orders, each planned";
  for (const Way& way : ways) {
    Trial trial = try_way(system, way, watch);
    if (trial.holds()) {
      trial.plan.has_strategy = true;
      measure_shrink(trial.plan, within(watch, time_limit));
      return std::move(trial.plan);
    }
    none.why_not += (none.why_not.empty() ? "" : "; ") + std::string{strategy_word(way)} +
                    (has_order(way) ? " " + std::string{order_word(way)} : "") + ": " + trial.why_not;
    none.interrupted = watch.stopped();
    if (none.interrupted) break;
  }
  return none;
}

}  // namespace tactus::plan
