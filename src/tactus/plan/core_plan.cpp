#include "tactus/plan/searches.hpp"

#include "tactus/analysis/analyses.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/window_demand.hpp"
#include "tactus/base/text.hpp"
#include "tactus/plan/acceptance.hpp"
#include "tactus/plan/audsley.hpp"
#include "tactus/plan/core_assignment.hpp"
#include "tactus/plan/in_phase_windows.hpp"
#include "tactus/plan/priorities.hpp"
#include "tactus/plan/reservation_search.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

using analysis::GpuServer;
using analysis::SupplyBound;

namespace {

constexpr Duration tick{1};

/// One way to order the jobs: the system with it, and whether priorities may be chosen.
struct Attempt {
  System system;
  ServerOrder order = ServerOrder::edf;
  std::string words;  // how the priorities came about; empty for EDF
};

System without_priorities(System system) {
  set_priorities(system, {});
  return system;
}

std::vector<Attempt> attempts(const System& system) {
  if (system.policy.order == Order::edf) return {{system, ServerOrder::edf, ""}};
  std::vector<Attempt> all;
  if (gives_priorities(system)) {
    all.push_back({system, ServerOrder::fixed_priorities, "the priorities of the file"});
  }
  all.push_back({without_priorities(system), ServerOrder::fixed_priorities, "deadline-monotonic priorities"});
  all.push_back(
      {without_priorities(system), ServerOrder::free_priorities, "Audsley's assignment for window-fp"});
  return all;
}

System placed(System system, const std::vector<Placement>& placement) {
  for (const Placement& at : placement) system.tasks[at.task].sm = {SmAffinity::Kind::one, at.core};
  return system;
}

/// Puts every task of `sm: any` on core 0: enough to see whether the tests for windows apply at all.
std::string find_obstacle(System system) {
  for (Task& task : system.tasks) {
    if (task.sm.kind == SmAffinity::Kind::any) task.sm = {SmAffinity::Kind::one, 0};
  }
  return analysis::sm_core_tasks(system).why_not;
}

/// Audsley's order for each server, merged: of the tasks that come next, that with the shortest deadline.
std::vector<TaskIndex> free_order(const System& system) {
  std::vector<std::vector<TaskIndex>> orders;
  for (const GpuServer& server : analysis::sm_core_servers(system).servers) {
    const SupplyBound supply = analysis::windows_of(server, analysis::longest_block(server));
    std::vector<TaskIndex>& order = orders.emplace_back();
    for (const std::size_t place : window_order(server, supply).order)
      order.push_back(server.tasks[place].task);
    std::reverse(order.begin(), order.end());  // the next one at the back
  }
  std::vector<TaskIndex> merged;
  while (true) {
    std::vector<TaskIndex>* next = nullptr;
    for (std::vector<TaskIndex>& order : orders) {
      if (order.empty()) continue;
      const auto deadline = [&](const std::vector<TaskIndex>& of) {
        return *system.tasks[of.back()].deadline;
      };
      if (next == nullptr || deadline(order) < deadline(*next)) next = &order;
    }
    if (next == nullptr) return merged;
    merged.push_back(next->back());
    next->pop_back();
  }
}

class CorePlanner {
 public:
  CorePlanner(Plan& plan, const Attempt& attempt, const Watch& watch)
      : plan_{plan},
        attempt_{attempt},
        watch_{watch},
        catalog_{attempt_.system, attempt_.order},
        local_{catalog_, watch},
        gang_{catalog_.gang()} {}

  /// Whether a plan was found. If not, the plan says why.
  bool search() {
    if (!holds_with_all_time()) return false;
    if (!has_gang_tasks() || !local_.has_tasks()) return take_whole_period();
    return choose_windows();
  }

  /// Tries the reservations of the file.
  bool keep_windows() {
    const std::optional<Reservations>& given = system().policy.reservations;
    if (!given || !fits(*given)) return false;
    const System complete = in_order(placed(system(), local_.placement()));
    if (analysis::check(complete).verdict != analysis::Verdict::schedulable) return false;
    return accept_complete(complete, "the reservations of the file");
  }

 private:
  [[nodiscard]] const System& system() const { return attempt_.system; }
  [[nodiscard]] bool has_gang_tasks() const {
    return std::any_of(system().tasks.begin(), system().tasks.end(),
                       [](const Task& task) { return task.sm.kind == SmAffinity::Kind::all; });
  }

  /// Whether the tasks can be placed so that every core holds in these windows; the check decides.
  bool fits(const Reservations& given) {
    if (!local_.has_choice()) return true;
    if (!given.local) return local_.fit(given.period, Duration{}).fits;
    if (given.local->budget == given.period) return local_.fits_whole();
    return local_.fit(given.period, given.local->budget).fits;
  }

  [[nodiscard]] System in_order(System complete) const {
    if (attempt_.order == ServerOrder::free_priorities) {
      set_priorities(complete, free_order(complete));
    } else if (attempt_.order == ServerOrder::fixed_priorities && !has_distinct_priorities(complete)) {
      set_priorities(complete, order_of_file(complete));
    }
    return complete;
  }

  bool accept_complete(const System& placed_system, const std::string& how) {
    const System complete = in_order(placed_system);
    const std::string words = attempt_.words.empty() ? how : how + "; " + attempt_.words;
    if (accept(plan_, complete, words, watch_)) return true;
    plan_.why_not = "the parameters that were found did not pass the check: " +
                    objections(complete, analysis::check(complete));
    return false;
  }

  /// If a server fails with all of the time, no window helps.
  bool holds_with_all_time() {
    if (gang_ != nullptr && !gang_->can_hold()) {
      fails_with_all_time("the gang tasks", *gang_);
      return false;
    }
    if (local_.fits_whole()) return true;
    ServerBudget* neediest = local_.neediest(local_.shortest_deadline());
    const std::string who = local_.has_choice() ? std::string{local_.is_exact() ? "no" : "no tried"} +
                                                      " placement of the tasks of `sm: any`"
                                                : neediest->server().name;
    fails_with_all_time(who, *neediest);
    return false;
  }

  void fails_with_all_time(const std::string& who, const ServerBudget& need) {
    plan_.fails = need.shortfall(system(), SupplyBound::always());
    plan_.searched = "a window that covers its period: no other gives more";
    plan_.why_not = who + (who.starts_with("no ") ? " holds" : " would not hold") +
                    " even with all of the time" + shortfall_words();
  }

  [[nodiscard]] std::string shortfall_words() const {
    if (!plan_.fails) return "";
    if (!plan_.fails->by) return "; '" + plan_.fails->task + "' fails, by no amount that could be told";
    return "; '" + plan_.fails->task + "' fails by " + to_text(*plan_.fails->by);
  }

  bool take_whole_period() {
    const Duration period = shortest_deadline();
    Reservations whole{.period = period, .local = {}, .all = {}};
    (has_gang_tasks() ? whole.all : whole.local) = Window{Duration{}, period};
    System complete = placed(system(), local_.placement());
    complete.policy.reservations = whole;
    return accept_complete(complete, "one window that covers the period: there is but one kind of tasks");
  }

  /// The shortest deadline; without deadlines, a millisecond.
  [[nodiscard]] Duration shortest_deadline() const {
    Duration shortest = local_.shortest_deadline();
    if (gang_ != nullptr) shortest = std::min(shortest, gang_->shortest_deadline());
    return shortest == Duration::max() ? Duration{1'000'000} : shortest;
  }

  /// Gang tasks without deadlines get one percent of the time, so that they make progress.
  [[nodiscard]] Duration gang_budget(Duration period) const {
    if (gang_ == nullptr) return Duration{ceil_div(period.count(), 100)};
    return gang_->min_budget(period);
  }

  [[nodiscard]] Duration longest_sensible_period() const {
    const Int128 gang = gang_ == nullptr ? 0 : gang_->shortest_deadline().count();
    const Int128 local = local_.has_deadlines() ? local_.shortest_deadline().count() : 0;
    const Int128 most = std::max<Int128>(gang + local - 1, 100);
    return Duration{static_cast<std::int64_t>(std::min<Int128>(most, longest_period.count()))};
  }

  bool choose_windows() {
    const GangBudget gang = [&](Duration period) { return gang_budget(period); };
    const Duration most = longest_sensible_period();
    const Duration usual = std::clamp(shortest_deadline() / 1000, 2 * tick, most);
    WindowSearch search = search_windows(gang, local_, {usual, most}, watch_);
    if (!search.best && !search.stopped && usual > 2 * tick) {
      const Duration least = std::clamp(shortest_deadline() / 1'000'000, 2 * tick, usual - tick);
      WindowSearch shorter = search_windows(gang, local_, {least, usual - tick}, watch_);
      shorter.periods += search.periods;
      shorter.skipped_periods = shorter.skipped_periods || search.skipped_periods;
      if (!shorter.best) {
        shorter.nearest = search.nearest ? search.nearest : shorter.nearest;
        shorter.range.to = most;
      }
      search = std::move(shorter);
    }
    if (search.best) {
      try {
        prefer_round_numbers(search, gang, local_);
      } catch (const SearchStopped&) {
        search.stopped = true;  // the result so far is kept
      }
      return take(search);
    }
    if (search.stopped) throw SearchStopped{};
    if (gang_ == nullptr) return leave_gang_without_window();
    explain(search);
    return false;
  }

  bool take(const WindowSearch& search) {
    const WindowChoice& best = *search.best;
    const Duration local = best.period - best.gang;
    System complete = placed(system(), search.placement);
    complete.policy.reservations = Reservations{
        .period = best.period, .local = Window{Duration{}, local}, .all = Window{local, best.gang}};
    const std::string counted = with_thousands(static_cast<std::uint64_t>(search.periods)) +
                                " periods from " + to_text(search.range.from) + " to " +
                                to_text(search.range.to) + " looked at";
    return accept_complete(complete, "the least share for the gang window: " + counted);
  }

  bool leave_gang_without_window() {
    const Duration period = shortest_deadline();
    local_.fits_whole();
    System complete = placed(system(), local_.placement());
    complete.policy.reservations =
        Reservations{.period = period, .local = Window{Duration{}, period}, .all = {}};
    return accept_complete(
        complete, "one window that covers the period: the best-effort gang tasks would take too much");
  }

  void explain(const WindowSearch& search) {
    plan_.searched =
        "reservation periods from " + to_text(search.range.from) + " to " + to_text(search.range.to) +
        ", with the least budgets for each: " + with_thousands(static_cast<std::uint64_t>(search.periods)) +
        " looked at, " +
        (search.skipped_periods ? "some between them left out" : "those between them ruled out") +
        "; no longer period can hold";
    if (local_.has_choice()) {
      plan_.searched += local_.is_exact()
                            ? "; every placement of the tasks of `sm: any`"
                            : "; placements of the tasks of `sm: any`: first-fit by falling "
                              "utilisation and " +
                                  with_thousands(max_placements) + " steps beyond, for each period";
    }
    plan_.why_not = "no reservations hold";
    const analysis::Result load = analysis::window_necessary(system());
    if (load.applies() && load.verdict == analysis::Verdict::unschedulable) {
      plan_.why_not += ": " + load.reason;
      return;
    }
    if (!search.nearest) return;
    const NearMiss& nearest = *search.nearest;
    ServerBudget* core = local_.neediest(nearest.period);
    if (core == nullptr || !core->can_hold()) return;
    const Duration needed = core->min_budget(nearest.period);
    const Duration room = nearest.period - nearest.gang;
    plan_.why_not += "; nearest is the period " + to_text(nearest.period) + ": the gang tasks need " +
                     to_text(nearest.gang) + " of it, " +
                     (local_.has_choice() ? "a core" : core->server().name) + " needs " + to_text(needed) +
                     ", together " + to_text(needed - room) + " too much";
    const Duration left = std::max(Duration{}, room - core->lost());
    plan_.fails =
        core->shortfall(system(), SupplyBound::windows(std::min(left, nearest.period), nearest.period));
    if (plan_.fails) plan_.why_not += "; with what the gang tasks leave" + shortfall_words().substr(1);
  }

  Plan& plan_;
  const Attempt& attempt_;
  const Watch& watch_;
  ServerCatalog catalog_;
  CoreAssignment local_;
  ServerBudget* gang_;
};

}  // namespace

void plan_cores(Plan& plan, const System& system, const Watch& watch) {
  plan.has_reservations = true;
  plan.has_priorities = system.policy.order == Order::fp;
  plan.has_cores = std::any_of(system.tasks.begin(), system.tasks.end(),
                               [](const Task& task) { return task.sm.kind == SmAffinity::Kind::any; });
  if (std::string obstacle = find_obstacle(system); !obstacle.empty()) {
    plan.why_not = "no analysis of " + std::string{system.policy.strategy->name} + " applies: " + obstacle;
    return;
  }
  const std::vector<Attempt> all = attempts(system);
  for (const Attempt& attempt : all) {
    if (CorePlanner{plan, attempt, watch}.keep_windows()) return;
  }
  for (const Attempt& attempt : all) {
    if (CorePlanner{plan, attempt, watch}.search()) return;
  }
  if (std::optional<System> found = search_in_phase(system, watch)) {
    accept(plan, *found, "windows in phase with the releases, played out", watch);
  }
}

}  // namespace tactus::plan
