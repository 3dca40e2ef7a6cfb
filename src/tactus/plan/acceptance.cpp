#include "tactus/plan/acceptance.hpp"

#include <algorithm>

#include "tactus/analysis/effort.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::plan {

using analysis::Analysis;
using analysis::CheckedAnalysis;
using analysis::CheckResult;
using analysis::Verdict;

namespace {

bool accepts(const Analysis& analysis, const System& system) {
  const analysis::Result result = analysis::run(analysis, system);
  return result.applies() && result.verdict == Verdict::schedulable;
}

/// Tests that simulate the schedule take time in proportion to its jobs.
bool is_quick(const Analysis& analysis, const System& system) {
  constexpr Int128 max_jobs = 50'000;
  if (analysis.id != "window-exact" && analysis.id != "window-chunks") return true;
  std::optional<std::int64_t> whole =
      system.policy.reservations ? system.policy.reservations->period.count() : 1;
  for (const Task& task : system.tasks) {
    if (task.period && whole) whole = checked_lcm(*whole, task.period->count());
  }
  if (!whole) return false;
  Int128 jobs = 0;
  for (const Task& task : system.tasks) {
    if (task.period) jobs += *whole / task.period->count();
  }
  return jobs <= max_jobs;
}

/// By how much the deadline can shrink so that the system still holds, by bisection. `margin`: what the bound
/// leaves of it, which mostly is the answer.
Duration shrink_of(const System& system, std::size_t index, Duration margin, const Analysis& accepting,
                   const Watch& watch) {
  System tighter = system;
  const Duration deadline = *system.tasks[index].deadline;
  Duration holds{};
  Duration too_much = deadline;
  const auto try_it = [&](Duration shrink) {
    if (shrink <= holds || shrink >= too_much) return;
    stop_if_asked(watch);
    watch.show(static_cast<double>(index) / static_cast<double>(system.tasks.size()));
    tighter.tasks[index].deadline = deadline - shrink;
    (accepts(accepting, tighter) ? holds : too_much) = shrink;
  };
  try_it(margin);
  try_it(margin + Duration{1});
  while (too_much - holds > Duration{1}) try_it(holds + (too_much - holds) / 2);
  return holds;
}

/// The reasons of tests; tests with the same reason are named together.
class Objections {
 public:
  void add(std::string_view id, const std::string& words) {
    if (words.empty()) return;
    const auto same =
        std::find_if(said_.begin(), said_.end(), [&](const Said& s) { return s.words == words; });
    if (same == said_.end()) {
      said_.push_back({std::string{id}, words});
    } else {
      same->ids += ", " + std::string{id};
    }
  }
  [[nodiscard]] bool empty() const { return said_.empty(); }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const Said& said : said_) text += (text.empty() ? "" : "; ") + said.ids + ": " + said.words;
    return text;
  }

 private:
  struct Said {
    std::string ids;
    std::string words;
  };
  std::vector<Said> said_;
};

}  // namespace

const Analysis* accepting_analysis(const CheckResult& result) {
  if (result.verdict != Verdict::schedulable) return nullptr;  // a chain may not hold
  const auto found =
      std::find_if(result.analyses.begin(), result.analyses.end(), [](const CheckedAnalysis& checked) {
        return counts_for_verdict(checked.analysis) && checked.result.applies() &&
               checked.result.verdict == Verdict::schedulable;
      });
  return found == result.analyses.end() ? nullptr : &found->analysis;
}

std::vector<TaskPlan> task_plans(const System& system) {
  std::vector<TaskPlan> plans;
  for (const Task& task : system.tasks) {
    plans.push_back({.name = task.name,
                     .deadline = task.deadline,
                     .bound = {},
                     .deadline_only = false,
                     .margin = {},
                     .can_shrink = {}});
  }
  return plans;
}

std::vector<TaskPlan> task_plans(const System& system, const CheckResult& result) {
  std::vector<TaskPlan> plans = task_plans(system);
  const std::vector<analysis::ProvenBound> bounds = analysis::proven_bounds(system, result);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    TaskPlan& plan = plans[i];
    plan.bound = bounds[i].bound;
    plan.deadline_only = bounds[i].deadline_only;
    if (plan.deadline && plan.bound) plan.margin = *plan.deadline - *plan.bound;
  }
  return plans;
}

bool accept(Plan& plan, const System& complete, const std::string& how, const Watch& watch) {
  // A search that was stopped still has its best candidate proven.
  const Watch looked_at = watch.stopped() ? Watch{} : watch;
  const analysis::StepsWatched watched{looked_at};
  const CheckResult result = analysis::check(complete);
  if (result.verdict != Verdict::schedulable) return false;
  plan.found = true;
  plan.planned = complete;
  plan.accepted_by = accepting_analysis(result)->id;
  plan.how = how;
  if (complete.policy.strategy->sms == SmSharing::owned && has_exclusive_work(complete)) {
    plan.how += "; exclusive work is taken to need its time on the SMs that it gets";
  }
  plan.tasks = task_plans(complete, result);
  plan.chains = result.chains;
  plan.interrupted = watch.interrupted();
  return true;
}

void measure_shrink(Plan& plan, const Watch& watch) {
  const Analysis& accepting = *analysis::find(plan.accepted_by);
  if (!is_quick(accepting, plan.planned)) return;
  const analysis::StepsWatched watched{watch};
  try {
    for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
      TaskPlan& task = plan.tasks[i];
      if (task.margin) task.can_shrink = shrink_of(plan.planned, i, *task.margin, accepting, watch);
    }
  } catch (const SearchStopped&) {
    plan.interrupted = watch.interrupted();  // only this column is missing; the plan itself is complete
  }
}

std::string objections(const System& system, const CheckResult& result) {
  Objections applying;
  Objections missing;
  for (const auto& [entry, answer] : result.analyses) {
    if (answer.applies() && answer.verdict == Verdict::schedulable) continue;
    if (answer.applies() && entry.kind == analysis::Kind::necessary && answer.verdict == Verdict::unproven) {
      continue;
    }
    // Tests for other strategies are not mentioned, nor those that can only say less than another.
    if (is_for_other_strategy(entry, system) || !entry.dominated_by.empty()) continue;
    if (answer.applies()) {
      applying.add(entry.id, answer.reason);
    } else {
      missing.add(entry.id, answer.why_not);
    }
  }
  for (const analysis::EffectResult& chain : result.chains) {
    if (!chain.ok()) applying.add("chain '" + chain.name + "'", chain.reason);
  }
  if (!applying.empty()) return applying.text();
  return missing.empty() ? "no analysis is about this strategy yet"
                         : "no analysis applies (" + missing.text() + ")";
}

}  // namespace tactus::plan
