#include "tactus/sweep/judge.hpp"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "tactus/analysis/check.hpp"
#include "tactus/sweep/observe.hpp"
#include "tactus/sweep/policy_variant.hpp"
#include "tactus/sweep/sm_division.hpp"

namespace tactus::sweep {

using analysis::Verdict;

namespace {

void count(const analysis::Result& result, Counts& counts) {
  if (!result.applies() || !result.verdict) {
    ++counts.not_applicable;
    return;
  }
  constexpr std::array by_verdict{&Counts::schedulable, &Counts::unschedulable, &Counts::unproven,
                                  &Counts::gave_up};  // in the order of the verdicts
  ++(counts.*by_verdict.at(static_cast<std::size_t>(*result.verdict)));
}

/// One system under all policies of an experiment, and the verdicts on it.
class SystemJudge {
 public:
  SystemJudge(const Experiment& experiment, const System& system)
      : experiment_{experiment}, generated_{system} {
    if (experiment.policies.empty()) systems_.push_back({.system = system});
    for (const PolicyVariant& variant : experiment.policies)
      systems_.push_back(judged_under(system, variant));
    for (std::size_t i = 0; i < experiment.analyses.size(); ++i) results_.push_back(result_of(i));
    for (std::size_t i = 0; i < experiment.analyses.size(); ++i) {
      if (needs_division(i)) {
        results_[i] =
            run_on_divisions(experiment.analyses[i], systems_[policy_of(i)].system, divisions_for(i));
      }
    }
  }

  [[nodiscard]] std::vector<analysis::Result> results() && { return std::move(results_); }

  void count(std::int64_t number, PartCounts& part) {
    std::optional<UInt128> weight;
    if (experiment_.measures_also(Measure::weighted)) weight = utilisation_of(generated_);
    for (std::size_t i = 0; i < results_.size(); ++i) {
      Counts& counts = part.counts[i];
      sweep::count(results_[i], counts);
      if (!results_[i].applies() && number < part.first_why_not[i]) {
        counts.why_not = results_[i].why_not;
        part.first_why_not[i] = number;
      }
      if (is_contradicted(i)) ++counts.contradicted;
      if (weight) {
        counts.sums.weight += *weight;
        if (is_accepted(i)) counts.sums.accepted_weight += *weight;
      }
      if (results_[i].verdict == Verdict::schedulable) measure_bounds(i, counts.sums);
    }
  }

 private:
  [[nodiscard]] std::size_t policy_of(std::size_t analysis) const {
    return experiment_.policies.empty() ? 0 : experiment_.policy_of[analysis];
  }

  [[nodiscard]] analysis::Result result_of(std::size_t analysis) const {
    const JudgedSystem& judged = systems_[policy_of(analysis)];
    if (!judged.why_not.empty()) return analysis::does_not_apply(judged.why_not);
    if (judged.unplanned.empty()) return analysis::run(experiment_.analyses[analysis], judged.system);
    analysis::Result result;
    result.verdict = Verdict::unproven;
    result.reason = judged.unplanned;
    return result;
  }

  /// Some analyses search virtual SMs; others, which are about any strategy, are told them.
  [[nodiscard]] bool needs_division(std::size_t index) const {
    return experiment_.analyses[index].by_node && !results_[index].applies() &&
           systems_[policy_of(index)].why_not.empty() && lacks_sms(systems_[policy_of(index)].system);
  }

  /// What the analyses that search found for the same policy.
  [[nodiscard]] std::vector<VirtualSms> divisions_for(std::size_t index) const {
    std::vector<VirtualSms> found;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const bool is_found = results_[i].verdict == Verdict::schedulable && !results_[i].virtual_sms.empty();
      if (policy_of(i) == policy_of(index) && is_found) found.push_back(results_[i].virtual_sms);
    }
    return found;
  }

  [[nodiscard]] bool is_accepted(std::size_t index) const {
    const std::optional<Verdict>& verdict = results_[index].verdict;
    if (verdict == Verdict::schedulable) return true;
    return experiment_.analyses[index].kind == analysis::Kind::necessary && verdict == Verdict::unproven;
  }

  [[nodiscard]] bool is_contradicted(std::size_t index) const {
    if (results_[index].verdict != Verdict::schedulable) return false;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      // Two policies or two run-time models may legitimately differ about one system.
      const analysis::Analysis& other = experiment_.analyses[i];
      if (other.run_time_model != experiment_.analyses[index].run_time_model) continue;
      if (policy_of(i) != policy_of(index)) continue;
      if (other.sound && results_[i].verdict == Verdict::unschedulable) return true;
    }
    return false;
  }

  void measure_bounds(std::size_t index, Sums& sums) {
    const std::vector<analysis::TaskResult>& tasks = results_[index].tasks;
    if (experiment_.measures_also(Measure::bound_deadline)) {
      for (const analysis::TaskResult& task : tasks) {
        const bool both = task.bound && task.deadline && *task.deadline > Duration{};
        if (both) sums.bound_deadline.add(*task.bound, *task.deadline);
      }
    }
    if (!experiment_.measures_also(Measure::bound_observed)) return;
    const Responses* observed = observe(index);
    if (observed == nullptr) return;
    bool broken = false;
    for (std::size_t i = 0; i < tasks.size() && i < observed->size(); ++i) {
      const std::optional<Duration>& longest = (*observed)[i];
      if (!tasks[i].bound || !longest || *longest == Duration{}) continue;
      sums.bound_observed.add(*tasks[i].bound, *longest);
      broken = broken || *longest > *tasks[i].bound;
    }
    if (broken) ++sums.broken;
  }

  using Responses = std::vector<std::optional<Duration>>;

  /// The longest simulated responses of the system as the analysis accepted it; null where there are none to
  /// compare its bounds with.
  const Responses* observe(std::size_t index) {
    if (!experiment_.analyses[index].run_time_model.empty()) return nullptr;
    System system = systems_[policy_of(index)].system;
    if (lacks_sms(system)) system.virtual_sms = results_[index].virtual_sms;
    const auto [found, is_new] = observed_.try_emplace({policy_of(index), system.virtual_sms});
    if (is_new) found->second = longest_responses(system, experiment_.observation);
    return found->second ? &*found->second : nullptr;
  }

  const Experiment& experiment_;
  const System& generated_;
  std::vector<JudgedSystem> systems_;  // by policy
  std::vector<analysis::Result> results_;
  std::map<std::pair<std::size_t, VirtualSms>, std::optional<Responses>> observed_;
};

}  // namespace

std::vector<analysis::Result> judge(const Experiment& experiment, const System& system) {
  return SystemJudge{experiment, system}.results();
}

PartCounts judge(const Experiment& experiment, Batch& batch, const std::function<bool()>& must_stop) {
  PartCounts part{experiment.analyses.size()};
  for (std::int64_t number = batch.systems.first; number < batch.systems.end; ++number) {
    if (must_stop()) {
      batch.systems.end = number;
      break;
    }
    const System system = make_system(experiment, experiment.points[batch.point], number);
    SystemJudge{experiment, system}.count(number, part);
  }
  return part;
}

}  // namespace tactus::sweep
