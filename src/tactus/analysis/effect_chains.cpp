// Claim: a chain is schedulable only if all its limits hold in every schedule, unschedulable only if some
// schedule
//   passes one (or misses a deadline).
// Source: bounds as in effect_chain_bounds.cpp; the lower bounds below are ours.
// Model: any system with proven response times of the tasks of the chain.
// Kind: sufficient; exact for LET where the jobs of a hyperperiod can be followed.
// Soundness: docs/proofs/chains.md.
#include "tactus/analysis/effect_chains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tactus/analysis/effect_chain_bounds.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

/// The least time from the start of a job to its completion.
Duration shortest_job(const System& system, TaskIndex task) {
  const Work& work = system.tasks[task].work;
  Int128 sum = 0;
  Int128 longest = 0;
  for (std::size_t i = 0; i < work.nodes.size(); ++i) {
    const std::int64_t best = execution_time(system, task, i).best.count();
    sum += best;
    longest = std::max<Int128>(longest, best);
  }
  // Branches of a graph may run side by side.
  const Int128 least = work.form == WorkForm::graph ? longest : sum;
  return Duration{static_cast<std::int64_t>(std::min<Int128>(least, Duration::max().count()))};
}

class ChainJudge {
 public:
  ChainJudge(const System& system, const EffectChain& chain,
             std::span<const std::optional<Duration>> responses)
      : system_{system}, chain_{chain} {
    result_.name = chain.name;
    result_.communication = chain.communication;
    result_.reaction_limit = chain.reaction;
    result_.age_limit = chain.age;
    result_.verdict = chain.reaction || chain.age ? Verdict::unproven : Verdict::schedulable;
    for (const TaskIndex task : chain.tasks) add_stage(task, responses[task]);
  }

  EffectResult judge() && {
    try {
      judge_bounds();
    } catch (const OverflowError&) {
      say("the times leave 64 bits of nanoseconds");
    }
    return std::move(result_);
  }

 private:
  void add_stage(TaskIndex index, const std::optional<Duration>& response) {
    const Task& task = system_.tasks[index];
    const bool by_let = is_let(chain_.communication);
    const Duration interval = by_let ? let_interval(chain_.communication, task) : Duration{};
    const bool is_proven = response && (!by_let || *response <= interval);
    if (is_proven && may_turn_away(task, response) && missing_.empty()) {
      missing_ = fmt::format("jobs of '{}' may be turned away (`max_jobs`)", task.name);
    }
    if (!is_proven && missing_.empty()) {
      needs_interval_ = by_let;
      if (!by_let) {
        missing_ = fmt::format("no response time of '{}' is proven", task.name);
      } else if (by_periods()) {
        missing_ = fmt::format(
            "that '{}' is done within its period, at whose end LET publishes, is not proven", task.name);
      } else {
        missing_ = fmt::format("the deadline of '{}' is not proven, at which LET publishes", task.name);
      }
    }
    if (!response && !by_let) return;
    stages_.push_back({.name = task.name,
                       .period = *task.period,
                       .offset = task.offset,
                       .publication = by_let ? interval : *response,
                       .sporadic = task.arrival == Arrival::sporadic});
  }

  void say(const std::string& sentence) {
    if (result_.reason.find(sentence) != std::string::npos) return;  // both bounds may fail alike
    result_.reason += (result_.reason.empty() ? "" : "; ") + sentence;
  }

  void judge_bounds() {
    EffectBounds bounds;
    if (stages_.size() == chain_.tasks.size()) bounds = effect_bounds(stages_, chain_.communication);
    const bool reaction_holds =
        judge_limit("reaction", chain_.reaction, bounds.reaction, min_reaction(), result_.reaction_bound);
    if (samples_evenly() && result_.reaction_bound) {
      result_.latency_bound = *result_.reaction_bound - *first().period;
    }
    const bool age_holds = judge_limit("age", chain_.age, bounds.age, min_age(), result_.age_bound);
    if (!missing_.empty()) say(missing_);
    if (needs_interval_ && bounds.reaction.bound) {
      say(fmt::format("{} its reaction is {}",
                      by_periods() ? "with all jobs done within their periods" : "with all deadlines kept",
                      to_text(*bounds.reaction.bound)) +
          (samples_evenly() ? fmt::format(", {} from the release that samples",
                                          to_text(*bounds.reaction.bound - *first().period))
                            : ""));
    }
    if (too_long_) say(largest_share());
    if (result_.verdict == Verdict::unproven && reaction_holds && age_holds) {
      result_.verdict = Verdict::schedulable;
    }
  }

  [[nodiscard]] bool by_periods() const { return chain_.communication == Communication::let_period; }

  [[nodiscard]] const Task& first() const { return system_.tasks[chain_.tasks.front()]; }

  /// Whether data passes at the instants of LET in every schedule that misses no deadline.
  [[nodiscard]] bool times_are_certain() const {
    if (!is_let(chain_.communication)) return false;
    return missing_.empty() || std::ranges::all_of(chain_.tasks, [this](TaskIndex index) {
             const Task& task = system_.tasks[index];
             return *task.deadline <= let_interval(chain_.communication, task);
           });
  }

  /// Under LET samples are exactly a period apart.
  [[nodiscard]] bool samples_evenly() const {
    return is_let(chain_.communication) && first().arrival == Arrival::periodic &&
           first().jitter == Duration{};
  }

  /// Whether the limit is proven. Enters the bound, and says why it is not.
  bool judge_limit(std::string_view what, const std::optional<Duration>& limit, const EffectBound& found,
                   Int128 least, std::optional<Duration>& bound) {
    if (missing_.empty()) bound = found.bound;
    if (!found.why_none.empty()) say(found.why_none);
    if (!limit) return true;
    const bool is_exceeded = times_are_certain() && found.tight && found.bound && *found.bound > *limit;
    if (least > limit->count()) {
      say(fmt::format("the longest {} is at least {}, but its limit is {}", what,
                      to_text(Duration{static_cast<std::int64_t>(least)}), to_text(*limit)));
    } else if (is_exceeded || (bound && *bound > *limit)) {
      say(fmt::format("the {} {} {}, its limit is {}", what, is_exceeded ? "is" : "may be up to",
                      to_text(*found.bound), to_text(*limit)));
      too_long_ = true;
    }
    if (found.unbounded || is_exceeded || least > limit->count()) result_.verdict = Verdict::unschedulable;
    return bound && *bound <= *limit;
  }

  /// The task to begin with.
  [[nodiscard]] std::string largest_share() const {
    const auto largest = std::ranges::max_element(stages_, {}, [](const EffectStage& stage) {
      return static_cast<Int128>(stage.period.count()) + stage.publication.count();
    });
    return fmt::format("'{}' has the largest share of it: a period of {}, {} to its output", largest->name,
                       to_text(largest->period), to_text(largest->publication));
  }

  /// Every output is made by as many jobs as there are tasks, one after the other. (With LET the bounds
  /// themselves are tight.)
  [[nodiscard]] Int128 min_age() const {
    if (is_let(chain_.communication)) return 0;
    Int128 sum = 0;
    for (const TaskIndex task : chain_.tasks) sum += shortest_job(system_, task).count();
    return sum;
  }

  /// Some two samples of a periodic first task are at least a period apart: on average they are.
  [[nodiscard]] Int128 min_reaction() const {
    const bool waits = !is_let(chain_.communication) && first().arrival == Arrival::periodic;
    return min_age() + (waits ? first().period->count() : 0);
  }

  const System& system_;
  const EffectChain& chain_;
  std::vector<EffectStage> stages_;
  std::string missing_;
  bool needs_interval_ = false;  // what is missing is that LET can publish in time
  bool too_long_ = false;        // a bound passes its limit
  EffectResult result_;
};

}  // namespace

std::vector<EffectResult> judge_chains(const System& system,
                                       std::span<const std::optional<Duration>> responses) {
  std::vector<EffectResult> results;
  results.reserve(system.chains.size());
  for (const EffectChain& chain : system.chains) {
    results.push_back(ChainJudge{system, chain, responses}.judge());
  }
  return results;
}

Verdict verdict_of(std::span<const EffectResult> chains) {
  const auto is = [](Verdict verdict) {
    return [verdict](const EffectResult& chain) { return chain.verdict == verdict; };
  };
  if (std::ranges::any_of(chains, is(Verdict::unschedulable))) return Verdict::unschedulable;
  return std::ranges::all_of(chains, is(Verdict::schedulable)) ? Verdict::schedulable : Verdict::unproven;
}

}  // namespace tactus::analysis
