#include "tactus/plan/searches.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/registry.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/plan/acceptance.hpp"
#include "tactus/plan/federated_orders.hpp"
#include "tactus/plan/planned_allocation.hpp"
#include "tactus/plan/priorities.hpp"
#include "tactus/plan/rate_search.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

using analysis::FederatedTasks;
using analysis::StageTable;

namespace {

/// Factors that are tried one by one above the one that holds: with `rtgpu` alone, and with all tests.
constexpr std::int64_t quick_scan = 200;
constexpr std::int64_t slow_scan = 20;
/// With `rtgpu` alone they may compute so many response bounds all together.
constexpr std::int64_t max_scan_effort = 1'000'000;

/// A system with its order of priorities and a division of the SMs.
struct Candidate {
  System system;
  FederatedTasks tasks;
  PlannedAllocation allocation;
  std::string order;  // where its priorities come from

  explicit Candidate(System with) : system{std::move(with)} {
    tasks = analysis::federated_tasks(system, StageTable::every_number);
  }

  bool allocate_sms(AllocationTests tests) {
    allocation = plan::allocate_sms(system, tasks, free_sms(system, tasks), tests);
    return allocation.found;
  }
};

bool needs_sms(const System& system, TaskIndex task) {
  const bool given = task < system.virtual_sms.size() && system.virtual_sms[task].has_value();
  return uses_gpu(system.tasks[task].work) && !given;
}

bool needs_sms(const System& system) {
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (needs_sms(system, i)) return true;
  }
  return false;
}

class FederatedPlanner {
 public:
  FederatedPlanner(Plan& plan, const System& system, const PlanGoals& options, const Watch& watch)
      : plan_{plan}, system_{system}, options_{options}, scope_{options.fastest_of}, watch_{watch} {}

  void run() {
    Candidate candidate{system_};
    if (!candidate.tasks.why_not.empty()) {
      plan_.why_not = objections(system_, analysis::check(system_));
      return;
    }
    find(candidate);
    if (options_.fastest) find_rate(candidate);
    if (candidate.allocation.found) {
      finish(candidate);
    } else {
      explain(candidate);
    }
  }

 private:
  /// The order of the file or of the deadlines, then others.
  void find(Candidate& candidate) {
    const bool given = gives_priorities(system_);
    candidate.order = given ? "the priorities of the file" : "deadline-monotonic priorities";
    stop_if_asked(watch_);
    watch_.show(-1);
    if (candidate.allocate_sms(AllocationTests::all) || given || nothing_can_help()) return;
    orders_ = search_orders(candidate.tasks, free_sms(system_, candidate.tasks), watch_);
    if (!orders_.found) return;
    System ordered = system_;
    set_priorities(ordered, orders_.order);
    candidate = Candidate{std::move(ordered)};
    candidate.order = "priorities of another order than that of the deadlines (" + tried() + " tried)";
    candidate.allocate_sms(AllocationTests::quick);
  }

  [[nodiscard]] std::string tried() const {
    return with_thousands(static_cast<std::uint64_t>(orders_.tried));
  }

  bool nothing_can_help() {
    necessary_ = analysis::run(*analysis::find("federated-necessary"), system_);
    return necessary_.verdict == analysis::Verdict::unschedulable;
  }

  // The rate.

  /// The largest factor that `federated-necessary` does not rule out. Its verdict is monotone: shorter
  /// periods and deadlines only increase the demand and reduce the time for it.
  [[nodiscard]] std::int64_t largest_possible_rate(const System& system) const {
    const auto is_ruled_out = [&](std::int64_t factor) {
      stop_if_asked(watch_);
      const std::optional<System> faster = at_rate(system, factor, scope_);
      if (!faster) return factor > unchanged_rate;
      return analysis::run(*analysis::find("federated-necessary"), *faster).verdict ==
             analysis::Verdict::unschedulable;
    };
    if (!is_ruled_out(largest_rate)) return largest_rate;
    std::int64_t possible = 0;
    std::int64_t ruled_out = largest_rate;
    while (ruled_out - possible > 1) {
      const std::int64_t middle = possible + (ruled_out - possible) / 2;
      (is_ruled_out(middle) ? ruled_out : possible) = middle;
    }
    return possible;
  }

  void find_rate(Candidate& candidate) {
    const System original = candidate.system;
    if (candidate.allocation.found) rate_ = unchanged_rate;
    RateAnswer answer;
    try {
      answer = search_rates(original, candidate);
    } catch (const SearchStopped&) {
      if (!rate_) throw;
      answer.stopped = true;
    }
    if (!rate_) return;
    const bool told = !answer.stopped && answer.factor == rate_;
    plan_.rate = RatePlan{.factor = *rate_,
                          .fails_to = told ? std::max(answer.fails_to, *rate_) : *rate_,
                          .largest = told && answer.largest,
                          .gave_up = told && answer.gave_up,
                          .tasks = {}};
  }

  RateAnswer search_rates(const System& original, Candidate& candidate) {
    RateQuestion question;
    question.most = largest_possible_rate(original);
    question.scanned = quick_scan;
    std::int64_t effort = 0;
    question.judge = [&](std::int64_t factor) {
      if (effort > max_scan_effort) return RateVerdict::gave_up;
      return judge_rate(original, factor, AllocationTests::quick, candidate, effort);
    };
    const RateAnswer quick = search_rate(question, watch_);
    if (quick.stopped || quick.factor == question.most) return quick;
    // The search with all tests starts where the quick one ended.
    question.start = std::max(quick.factor.value_or(0), unchanged_rate);
    question.scanned = slow_scan;
    question.judge = [&](std::int64_t factor) {
      return judge_rate(original, factor, AllocationTests::all, candidate, effort);
    };
    return search_rate(question, watch_);
  }

  /// Keeps the fastest candidate that holds.
  RateVerdict judge_rate(const System& original, std::int64_t factor, AllocationTests tests,
                         Candidate& candidate, std::int64_t& effort) {
    std::optional<System> faster = at_rate(original, factor, scope_);
    if (!faster) return RateVerdict::fails;
    Candidate tried{*std::move(faster)};
    tried.order = candidate.order;
    const bool holds = tried.allocate_sms(tests);
    effort += tried.allocation.effort;
    if (!holds) return tried.allocation.gave_up ? RateVerdict::gave_up : RateVerdict::fails;
    if (!rate_ || factor > *rate_) {
      rate_ = factor;
      candidate = std::move(tried);
    }
    return RateVerdict::holds;
  }

  // The result.

  void finish(Candidate& candidate) {
    const bool saves = options_.fewest_sms;
    std::optional<bool> fewest;
    if (saves) {
      FewestSms result = find_fewest(candidate.system, candidate.tasks, candidate.allocation, watch_);
      candidate.allocation = std::move(result.allocation);
      fewest = result.proven;
    }
    // Best-effort tasks with more SMs copy more often, which may break the proof.
    if (saves || !offer(candidate, BestEffortSms::all_that_is_left, fewest)) {
      if (!offer(candidate, BestEffortSms::one_each, fewest)) {
        plan_.why_not = "the division that was found did not pass the check";
      }
    }
  }

  bool offer(const Candidate& candidate, BestEffortSms best_effort, std::optional<bool> fewest) {
    const System complete =
        with_allocation(candidate.system, candidate.tasks, candidate.allocation, best_effort);
    plan_.has_virtual_sms = true;
    plan_.has_priorities = gives_priorities(complete);
    plan_.sms = SmUse{given_sms(complete), complete.platform.gpu.sms, fewest};
    return accept(plan_, complete, how(candidate, best_effort), watch_);
  }

  [[nodiscard]] std::string how(const Candidate& candidate, BestEffortSms best_effort) const {
    const std::string& test = candidate.allocation.accepted_by;
    std::string text = !needs_sms(system_)   ? "the virtual SMs of the file"
                       : options_.fewest_sms ? "a division of the fewest SMs that " + test + " accepts"
                                             : "the first division of the SMs that " + test + " accepts";
    text += ", with " + candidate.order;
    if (has_open_best_effort()) {
      text += best_effort == BestEffortSms::one_each
                  ? "; best-effort tasks get one SM each"
                  : "; best-effort tasks get what is left, one SM at least";
    }
    return text;
  }

  [[nodiscard]] bool has_open_best_effort() const {
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i) {
      const Task& task = system_.tasks[i];
      if (task.arrival == Arrival::best_effort && needs_sms(system_, i)) return true;
    }
    return false;
  }

  // Why nothing was found.

  void explain(const Candidate& candidate) {
    const std::int64_t sms = std::max<std::int64_t>(free_sms(system_, candidate.tasks), 0);
    plan_.searched = needs_sms(system_) ? "divisions of the " + std::to_string(sms) +
                                              " SMs that are left for tasks with deadlines"
                                        : "nothing but the virtual SMs of the file";
    if (!gives_priorities(system_)) plan_.searched += ", with " + candidate.order;
    if (options_.fastest) plan_.searched += ", also at lower rates";
    if (free_sms(system_, candidate.tasks) < min_sms_behind(candidate.tasks, 0)) {
      plan_.why_not =
          "there are too few SMs: every task with GPU work needs one at least, best-effort tasks " +
          std::string{"too, and the GPU has "} + std::to_string(system_.platform.gpu.sms);
    } else if (nothing_can_help()) {
      plan_.why_not = "nothing can help: " + necessary_.reason;
      note_failing_task();
    } else {
      explain_shortfall(candidate, sms);
    }
    advise_to_leave_out_sms();
  }

  void note_failing_task() {
    if (!necessary_.late_alone) return;
    plan_.fails = Shortfall{system_.tasks[necessary_.late_alone->task].name, necessary_.late_alone->by};
  }

  void explain_shortfall(const Candidate& candidate, std::int64_t sms) {
    const std::string refused = needs_sms(system_) ? "no test accepts a division of the SMs"
                                                   : "no test accepts it on the virtual SMs of the file";
    plan_.why_not = candidate.allocation.gave_up ? "nothing was found, and a search was given up" : refused;
    if (orders_.tried > 0) {
      plan_.searched +=
          ", then with " + tried() + " other orders of priorities or first parts of them" +
          (orders_.complete ? ", which rules out every order for rtgpu" : ", then the search was given up");
    }
    plan_.fails = federated_shortfall(system_, candidate.tasks, sms, watch_);
    plan_.why_not += "; with " + candidate.order + " '" + plan_.fails->task + "' is in the way, and ";
    plan_.why_not += plan_.fails->by ? "by rtgpu its bound is " + to_text(*plan_.fails->by) +
                                           " past its deadline with the best division for it"
                                     : "its response has no bound with any division";
  }

  /// SMs that the file gives are kept even where they are the reason for the failure.
  void advise_to_leave_out_sms() {
    const bool gives = std::any_of(system_.virtual_sms.begin(), system_.virtual_sms.end(),
                                   [](const auto& number) { return number.has_value(); });
    if (!gives) return;
    System open = system_;
    open.virtual_sms.clear();
    if (Candidate candidate{std::move(open)}; candidate.allocate_sms(AllocationTests::all)) {
      plan_.why_not +=
          "; without the virtual SMs that the file gives there is a division that holds: leave " +
          std::string{"them out"};
    }
  }

  Plan& plan_;
  const System& system_;
  const PlanGoals& options_;
  RateScope scope_;
  const Watch& watch_;
  FederatedOrder orders_;
  analysis::Result necessary_;
  std::optional<std::int64_t> rate_;  // of the candidate
};

}  // namespace

void plan_federated(Plan& plan, const System& system, const PlanGoals& options, const Watch& watch) {
  if (needs_sms(system) || options.fastest) refuse_scripts(system);
  try {
    FederatedPlanner{plan, system, options, watch}.run();
  } catch (const OverflowError& overflow) {
    plan.found = false;
    plan.why_not = std::string{"the numbers are too large: "} + overflow.what();
  }
}

}  // namespace tactus::plan
