#include <algorithm>
#include <utility>

#include "tactus/analysis/check.hpp"
#include "tactus/base/text.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/acceptance.hpp"
#include "tactus/plan/node_search.hpp"
#include "tactus/plan/priorities.hpp"
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

  void run() {
    const bool by_priority =
        system_.policy.strategy->has_order && system_.policy.order == Order::fp && choices_.has_orders();
    plan_.has_priorities = by_priority;
    NodeSearchResult result = search_nodes(choices_, watch_);
    if (!result.found) return explain(result);
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
    plan_.has_cpu_cores = std::any_of(system_.tasks.begin(), system_.tasks.end(),
                                      [](const Task& task) { return task.any_core; });
    plan_.has_policy = strategy.sms != SmSharing::cores && complete.policy != system_.policy;
    if (choices_.has(Kind::variant)) plan_.variants = choices_.variants(best);
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
    const bool is_grid =
        choices_.has(Kind::policy) && !system_.policy.strategy->has_levels && !result.ruled_out;
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
    } else if (result.ruled_out) {
      plan_.why_not = "nothing can help: " + result.judgement.why_ruled_out;
    } else {
      plan_.why_not = "nothing that holds was found; in the nearest one " + objections;
    }
    note_shortfall(result.judgement);
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

}  // namespace

void plan_nodes(Plan& plan, const System& system, const Watch& watch) {
  NodePlanner{plan, system, watch}.run();
}

}  // namespace tactus::plan
