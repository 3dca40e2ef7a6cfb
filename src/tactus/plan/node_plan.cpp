#include <algorithm>
#include <utility>

#include "tactus/analysis/check.hpp"
#include "tactus/base/text.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/acceptance.hpp"
#include "tactus/plan/exact_node_search.hpp"
#include "tactus/plan/node_search.hpp"
#include "tactus/plan/priorities.hpp"
#include "tactus/plan/rate_search.hpp"
#include "tactus/plan/searches.hpp"

namespace tactus::plan {

namespace {

using Kind = Dimension::Kind;

constexpr const char* holds_as_it_is =
    "nothing to choose under this strategy and order: the system was checked as it is";

class NodePlanner {
 public:
  NodePlanner(Plan& plan, const System& system, const Watch& watch)
      : plan_{plan}, system_{system}, watch_{watch}, choices_{system} {}

  [[nodiscard]] const NodeChoices& choices() const { return choices_; }

  [[nodiscard]] NodeSearchResult search(std::int64_t limit, const std::optional<NodeCandidate>& first) const {
    return search_nodes(choices_, {limit, first}, watch_);
  }

  /// All choices, until the time is over; without a limit of time as many as `limit`.
  void look_at_all(NodeSearchResult& result, const PlanGoals& goals, std::int64_t limit) {
    ExactGoal goal{.chains = goals.shortest_chains};
    if (result.found) goal.first = result.best;
    Watch limited = watch_;
    if (goals.time_limit) {
      const auto begun = std::chrono::steady_clock::now();
      limited.until = begun + *goals.time_limit;
      // Whichever ends first, the choices or the time.
      limited.progress = [this, begun, limit = *goals.time_limit](double part) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
        watch_.show(std::max(part, std::min(1.0, passed / std::chrono::duration<double>{limit})));
      };
    } else {
      goal.limit = limit;
    }
    const ExactResult exact = search_exactly(choices_, goal, limited);
    result.tried += exact.checked;
    if (exact.best) {
      result.found = true;
      result.best = *exact.best;
    } else {
      result.complete = exact.is_complete;
    }
    if (goals.shortest_chains.empty() || !exact.best) return;
    ShortestPlan shortest{.chains = {},
                          .together = Duration{static_cast<std::int64_t>(exact.latency)},
                          .is_least = exact.is_complete};
    for (const std::size_t chain : goals.shortest_chains) {
      shortest.chains.push_back(system_.chains[chain].name);
    }
    plan_.shortest = std::move(shortest);
  }

  void answer(NodeSearchResult result) {
    const bool by_priority =
        system_.policy.strategy->has_order && system_.policy.order == Order::fp && choices_.has_orders();
    plan_.has_priorities = by_priority;
    if (!result.found) return explain(result);
    result.best = with_first_policy(result.best);
    const System complete = *choices_.complete(result.best);
    plan_.has_priorities = by_priority || !result.best.order.empty();
    plan_.has_gpu_priorities = std::any_of(complete.tasks.begin(), complete.tasks.end(),
                                           [](const Task& task) { return task.gpu_priority.has_value(); });
    note_choices(result.best, complete);
    if (!accept(plan_, complete, how(result), watch_)) {
      plan_.why_not = "what was found did not pass the check";
    }
  }

 private:
  void note_choices(const NodeCandidate& best, const System& complete) {
    const StrategyFacts& strategy = *system_.policy.strategy;
    plan_.has_reservations = strategy.sms == SmSharing::cores;
    plan_.has_cores = choices_.has(Kind::sm_core);
    plan_.has_virtual_sms = strategy.sms == SmSharing::owned;
    if (plan_.has_virtual_sms) plan_.sms = SmUse{used_sms(complete), complete.platform.gpu.sms, {}};
    const bool has_places = !strategy.times_nodes || choices_.scope(best) != CpuScope::global;
    plan_.has_cpu_cores =
        has_places && std::any_of(choices_.system().tasks.begin(), choices_.system().tasks.end(),
                                  [](const Task& task) { return task.any_core; });
    plan_.has_policy = strategy.sms != SmSharing::cores && complete.policy != system_.policy;
    if (choices_.has(Kind::variant)) plan_.variants = choices_.variants(best);
  }

  /// The first policy with which the same places and variants hold, where nodes are timed: the nearest to
  /// what the file says. Elsewhere policies are tried in turn.
  [[nodiscard]] NodeCandidate with_first_policy(const NodeCandidate& best) const {
    if (!system_.policy.strategy->times_nodes || !choices_.has(Kind::policy)) return best;
    for (std::size_t policy = 0; policy < best.values.front(); ++policy) {
      NodeCandidate other = best;
      other.values.front() = policy;
      if (choices_.scope(other) != choices_.scope(best)) continue;
      const std::optional<System> complete = choices_.complete(other);
      if (complete && analysis::check(*complete).verdict == analysis::Verdict::schedulable) return other;
    }
    return best;
  }

  static std::int64_t used_sms(const System& complete) {
    std::int64_t sum = 0;
    for (const std::optional<std::int64_t>& number : complete.virtual_sms) sum += number.value_or(0);
    return sum / complete.platform.gpu.virtual_sms_per_sm;
  }

  [[nodiscard]] static std::string counted(std::int64_t tried) {
    return with_thousands(static_cast<std::uint64_t>(tried)) + (tried == 1 ? " candidate" : " candidates");
  }

  [[nodiscard]] std::string order_words(const NodeCandidate& best) const {
    if (!best.gpu_order.empty()) return "";
    if (best.order.empty()) return gives_priorities(system_) ? "the priorities of the file" : "";
    if (gives_priorities(system_) && best.order == order_of_file(system_)) {
      return "the priorities of the file, ties broken";
    }
    return best.order == deadline_monotonic_order(system_) ? "deadline-monotonic" : "";
  }

  [[nodiscard]] std::string how(const NodeSearchResult& result) const {
    const NodeCandidate& best = result.best;
    std::string order = order_words(best);
    const bool as_given =
        std::all_of(best.values.begin(), best.values.end(), [](std::size_t v) { return v == 0; });
    if (choices_.is_empty()) return holds_as_it_is;
    if (system_.policy.strategy->times_nodes && choices_.complete(best) == system_) {
      return "it holds as it is: nothing had to be chosen";
    }
    if (as_given && choices_.dimensions().size() == (choices_.has(Kind::policy) ? 1U : 0U)) {
      if (!order.empty()) return order;
      if (best.order.empty() && best.gpu_order.empty()) return "it holds as it is: nothing had to be chosen";
    }
    std::string text = "a search over " + choices_.words() + " (" + counted(result.tried) + " tried)";
    if (!order.empty()) text += ", priorities: " + order;
    return text;
  }

  // Why nothing was found.

  void explain(const NodeSearchResult& result) {
    // Other windows and time slices than those that are tried may hold.
    const StrategyFacts& strategy = *system_.policy.strategy;
    const bool is_grid =
        choices_.has(Kind::policy) && !strategy.has_levels && !strategy.times_nodes && !result.ruled_out;
    const bool is_complete = find_missing_parameters(system_).empty();
    if (choices_.is_empty() && !is_complete) {
      plan_.searched = "the only choice there is: one window that covers its period, and no priorities";
    } else if (choices_.is_empty()) {
      plan_.searched = "nothing: there is no parameter to choose under this strategy and order";
    } else {
      plan_.searched =
          choices_.words() + ": " + counted(result.tried) + " tried" +
          (result.complete    ? (is_grid ? ", which are all of the grid" : ", which rules out every one")
           : result.one_order ? ", which rules out one order for all servers; others for the GPU "
                                "were not all tried"
                              : ", then the search was given up");
    }
    const std::optional<System> nearest = choices_.complete(result.best);
    if (!nearest) {
      plan_.why_not =
          "what is open cannot be chosen so that the rules of a system are kept: " + first_problem();
      return;
    }
    const std::string objections = plan::objections(*nearest, analysis::check(*nearest));
    if (choices_.is_empty() && is_complete) {
      plan_.why_not = "it does not hold as it is, or is not proven to; " + objections;
    } else if (const std::optional<System> late = late_alone(result)) {
      plan_.why_not = "nothing can help: with the machine to itself and the choices that are best for it, " +
                      plan::objections(*late, analysis::check(*late));
    } else if (result.ruled_out) {
      plan_.why_not =
          (result.has_several_reasons ? "nothing can help; in the nearest one " : "nothing can help: ") +
          result.judgement.why_ruled_out;
    } else {
      plan_.why_not = "nothing that holds was found; in the nearest one " + objections;
    }
    note_shortfall(result.judgement);
  }

  [[nodiscard]] std::optional<System> late_alone(const NodeSearchResult& result) const {
    if (!result.complete || !has_exact_search(choices_)) return std::nullopt;
    return find_late_alone(choices_, watch_);
  }

  [[nodiscard]] std::string first_problem() const {
    return system_.policy.strategy->sms == SmSharing::owned
               ? "there are too few SMs, every task with GPU work needs one at least"
               : "no variant is valid";
  }

  void note_shortfall(const NodeJudgement& judgement) {
    const auto worst = std::max_element(judgement.tasks.begin(), judgement.tasks.end());
    if (worst == judgement.tasks.end() || *worst == 0) return;
    const auto task = static_cast<std::size_t>(worst - judgement.tasks.begin());
    plan_.fails = Shortfall{system_.tasks[task].name, judgement.past[task]};
  }

  Plan& plan_;
  const System& system_;
  const Watch& watch_;
  NodeChoices choices_;
};

/// The largest factor for rates at which the search finds something. Deadlines stay: they are end-to-end
/// requirements. What was found at one factor is tried first at the next.
class NodeRates {
 public:
  NodeRates(Plan& plan, const System& system, RateScope scope, const Watch& watch)
      : plan_{plan}, system_{system}, scope_{std::move(scope)}, watch_{watch} {}

  void run() {
    const NodeChoices choices{system_};
    const std::int64_t in_all = max_node_candidates(system_);
    limit_ = std::max<std::int64_t>(in_all / 10, 20);
    const std::int64_t to_try = std::max<std::int64_t>(choices.count(limit_, false), 1);
    RateQuestion question;
    question.scanned = std::clamp(in_all / to_try, least_scan, most_scan);
    question.judge = [&](std::int64_t factor) { return judge(factor); };
    const RateAnswer answer = search_rate(question, watch_);
    if (!found_) {
      if (answer.stopped) throw SearchStopped{};
      return explain();
    }
    plan_.rate =
        RatePlan{.factor = found_->factor,
                 .fails_to = answer.stopped ? found_->factor : std::max(answer.fails_to, found_->factor),
                 .largest = answer.largest,
                 .gave_up = !answer.stopped && answer.gave_up,
                 .tasks = {}};
    found_->result.tried = tried_;
    const System faster = *at_rate(system_, found_->factor, scope_);
    NodePlanner{plan_, faster, watch_}.answer(found_->result);
  }

 private:
  static constexpr std::int64_t least_scan = 20;  // factors that are tried one by one
  static constexpr std::int64_t most_scan = 1000;

  struct Found {
    std::int64_t factor = 0;
    NodeSearchResult result;
  };

  /// Shorter periods only raise the load of a server, and deadlines stay: what a necessary test says against
  /// a factor it says against all larger ones.
  RateVerdict judge(std::int64_t factor) {
    const std::optional<System> faster = at_rate(system_, factor, scope_);
    if (!faster) return factor > unchanged_rate ? RateVerdict::ruled_out : RateVerdict::fails;
    const std::optional<NodeCandidate> first = found_ ? std::optional{found_->result.best} : std::nullopt;
    const NodeSearchResult result = NodePlanner{plan_, *faster, watch_}.search(limit_, first);
    tried_ += result.tried;
    if (result.found) {
      if (!found_ || factor > found_->factor) found_ = Found{factor, result};
      return RateVerdict::holds;
    }
    if (factor == unchanged_rate) unchanged_ = result;
    if (result.ruled_out) return RateVerdict::ruled_out;
    return result.complete ? RateVerdict::fails : RateVerdict::gave_up;
  }

  void explain() {
    NodePlanner{plan_, system_, watch_}.answer(unchanged_);
    plan_.searched += "; also at lower rates";
  }

  Plan& plan_;
  const System& system_;
  RateScope scope_;
  const Watch& watch_;
  std::int64_t limit_ = 0;  // candidates at one factor
  std::int64_t tried_ = 0;  // at all factors
  std::optional<Found> found_;
  NodeSearchResult unchanged_;
};

}  // namespace

void plan_nodes(Plan& plan, const System& system, const PlanGoals& goals, const Watch& watch) {
  NodePlanner planner{plan, system, watch};
  const std::int64_t limit = max_node_candidates(system);
  NodeSearchResult result = planner.search(limit, {});
  const bool is_settled = result.found ? goals.shortest_chains.empty() : result.complete || result.ruled_out;
  if (!is_settled && has_exact_search(planner.choices())) {
    planner.look_at_all(result, goals, limit);
  } else if (must_shorten_chains(goals) && !is_settled) {
    refuse_shortest_chains();
  }
  planner.answer(std::move(result));
}

void plan_node_rates(Plan& plan, const System& system, const PlanGoals& goals, const Watch& watch) {
  NodeRates{plan, system, {.tasks = goals.fastest_of, .keeps_deadlines = true}, watch}.run();
}

}  // namespace tactus::plan
