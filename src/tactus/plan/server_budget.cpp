#include "tactus/plan/server_budget.hpp"

#include <algorithm>
#include <utility>

#include "tactus/analysis/response_judge.hpp"
#include "tactus/analysis/window_demand.hpp"
#include "tactus/plan/audsley.hpp"

namespace tactus::plan {

using analysis::DemandAnswer;
using analysis::DemandProblem;
using analysis::GpuServer;
using analysis::GpuTask;
using analysis::SupplyBound;

namespace {

/// The problem of window-blocks, without its supply.
std::optional<DemandProblem> blocks_problem(const GpuServer& server) {
  std::optional<DemandProblem> problem = analysis::demand_problem(server);
  if (!problem) return problem;
  for (const GpuTask& task : server.tasks) {
    if (task.longest_block > Duration{}) {
      problem->blockers.push_back({task.longest_block.count(), task.deadline, task.task});
    }
  }
  analysis::add_best_effort(*problem, server);
  return problem;
}

/// The demand at the first deadline of each task.
std::vector<DemandPoint> first_deadlines(const DemandProblem& problem) {
  std::vector<DemandPoint> points;
  for (const analysis::DemandTask& task : problem.tasks) {
    DemandPoint point{task.deadline, 0};
    for (const analysis::DemandTask& other : problem.tasks) {
      if (other.deadline > task.deadline) continue;
      point.work += ((task.deadline - other.deadline) / other.period + 1) * static_cast<Int128>(other.cost);
    }
    std::int64_t blocking = 0;
    for (const analysis::Blocker& blocker : problem.blockers) {
      if (blocker.deadline > task.deadline) blocking = std::max(blocking, blocker.cost);
    }
    point.work += blocking;
    points.push_back(point);
  }
  return points;
}

bool holds_in_this_order(const GpuServer& server, const SupplyBound& supply) {
  std::vector<std::size_t> more_urgent;
  for (std::size_t i = 0; i < server.tasks.size(); ++i) {
    if (!window_response({server, i, more_urgent}, supply, server.tasks[i].deadline)) return false;
    more_urgent.push_back(i);
  }
  return true;
}

/// The least E such that a window of E every `period` supplies the work in every interval of this length;
/// 0 < work <= interval.
Duration supply_for(const DemandPoint& point, Duration period) {
  const auto [interval, work] = point;
  const std::int64_t whole = interval / period;
  const std::int64_t rest = (interval % period).count();
  // Either the whole periods are enough, or the last window reaches into the rest, which it does only if
  // E > period - rest.
  const Int128 reaching = std::max<Int128>((work + period.count() - rest + whole) / (whole + 1),
                                           static_cast<Int128>(period.count()) - rest);
  if (whole == 0) return Duration{static_cast<std::int64_t>(reaching)};
  const Int128 in_whole = (work + whole - 1) / whole;
  return Duration{static_cast<std::int64_t>(std::min(reaching, in_whole))};
}

}  // namespace

ServerBudget::ServerBudget(GpuServer server, Duration late, ServerOrder order)
    : server_{std::move(server)}, order_{order}, lost_{checked_add(late, analysis::longest_block(server_))} {
  if (order_ == ServerOrder::edf) problem_ = blocks_problem(server_);
  for (const GpuTask& task : server_.tasks) utilisation_.add({task.cost.count(), task.period.count()});
  can_hold_ = holds_under(SupplyBound::always());
  if (problem_ && can_hold_) {
    points_ = first_deadlines(*problem_);
    first_points_ = points_.size();
  }
}

bool ServerBudget::holds_under(const SupplyBound& supply) const {
  switch (order_) {
    case ServerOrder::edf:
      return problem_ && analysis::test_demand(problem_->tasks, problem_->blockers, supply).holds();
    case ServerOrder::fixed_priorities:
      return holds_in_this_order(server_, supply);
    case ServerOrder::free_priorities:
      return holds_in_this_order(server_, supply) || window_order(server_, supply).found;
  }
  return false;
}

bool ServerBudget::holds(Duration budget, Duration period) const {
  if (budget == period) return can_hold_;
  if (budget <= lost_) return false;
  return holds_under(SupplyBound::windows(budget - lost_, period));
}

Duration ServerBudget::min_by_share(Duration period) const {
  const UInt128 share = std::min(utilisation_.lower(), UInt128{1} << 64U);
  return Duration{static_cast<std::int64_t>(share * static_cast<std::uint64_t>(period.count()) >> 64U)};
}

Duration ServerBudget::min_by_witness(Duration period, Duration from) {
  // Every interval in which a supply was too small gives a lower bound of the budget.
  Duration supply = from;
  for (const DemandPoint& point : points_) supply = std::max(supply, supply_for(point, period));
  while (supply < period) {
    const DemandAnswer answer =
        analysis::test_demand(problem_->tasks, problem_->blockers, SupplyBound::windows(supply, period));
    if (answer.holds()) return supply;
    if (answer.outcome == DemandAnswer::Outcome::gave_up) return min_by_halving(period, supply);
    if (answer.outcome == DemandAnswer::Outcome::overloaded) {
      supply += Duration{1};
      continue;
    }
    const DemandPoint point{answer.witness.interval,
                            static_cast<Int128>(answer.witness.demand) + answer.witness.blocking};
    supply = std::max(supply + Duration{1}, supply_for(point, period));
    keep(point);
  }
  return period;
}

void ServerBudget::keep(const DemandPoint& point) {
  constexpr std::size_t max_witnesses = 64;
  if (points_.size() < first_points_ + max_witnesses) {
    points_.push_back(point);
    return;
  }
  points_[first_points_ + next_witness_] = point;
  next_witness_ = (next_witness_ + 1) % max_witnesses;
}

Duration ServerBudget::min_by_halving(Duration period, Duration from) const {
  // Steps that double, then halves. `period` always holds.
  Duration too_little = from - Duration{1};
  Duration enough = from;
  for (Duration step{1}; enough < period; step *= 2) {
    if (holds_under(SupplyBound::windows(enough, period))) break;
    too_little = enough;
    enough = step < period - enough ? enough + step : period;
  }
  while (enough - too_little > Duration{1}) {
    const Duration middle = too_little + (enough - too_little) / 2;
    (holds_under(SupplyBound::windows(middle, period)) ? enough : too_little) = middle;
  }
  return enough;
}

Duration ServerBudget::min_budget(Duration period) {
  if (period == known_period_) return known_supply_ + lost_;
  Duration from = std::max(Duration{1}, min_by_share(period));
  if (period >= known_period_) from = std::max(from, known_supply_);
  from = std::min(from, period);
  known_supply_ = order_ == ServerOrder::edf ? min_by_witness(period, from) : min_by_halving(period, from);
  known_period_ = period;
  return checked_add(known_supply_, lost_);
}

Duration ServerBudget::shortest_deadline() const {
  Duration shortest = Duration::max();
  for (const GpuTask& task : server_.tasks) shortest = std::min(shortest, task.deadline);
  return shortest;
}

std::optional<Shortfall> ServerBudget::shortfall_of_demand(const System& system,
                                                           const SupplyBound& supply) const {
  const std::vector<GpuTask>& tasks = server_.tasks;
  if (!problem_) {
    for (const GpuTask& task : tasks) {
      if (task.deadline <= task.jitter) {
        return Shortfall{system.tasks[task.task].name, task.jitter - task.deadline};
      }
    }
    return std::nullopt;
  }
  const DemandAnswer answer = analysis::test_demand(problem_->tasks, problem_->blockers, supply);
  if (answer.holds()) return std::nullopt;
  if (answer.outcome != DemandAnswer::Outcome::fails)
    return Shortfall{system.tasks[tasks.back().task].name, {}};
  const Duration interval = answer.witness.interval;
  const Duration excess = Duration{answer.witness.demand + answer.witness.blocking} - answer.witness.supply;
  for (const GpuTask& task : tasks) {
    const Duration behind = interval - (task.deadline - task.jitter);
    if (behind >= Duration{} && behind % task.period == Duration{}) {
      return Shortfall{system.tasks[task.task].name, excess};
    }
  }
  return Shortfall{system.tasks[tasks.front().task].name, excess};
}

std::optional<Shortfall> ServerBudget::shortfall_of_responses(const System& system,
                                                              const SupplyBound& supply) const {
  std::vector<std::size_t> more_urgent;
  for (std::size_t i = 0; i < server_.tasks.size(); ++i) {
    const GpuTask& task = server_.tasks[i];
    if (!window_response({server_, i, more_urgent}, supply, task.deadline)) {
      const auto far = window_response({server_, i, more_urgent}, supply, far_beyond(task));
      return Shortfall{system.tasks[task.task].name,
                       far ? std::optional{*far - task.deadline} : std::nullopt};
    }
    more_urgent.push_back(i);
  }
  return std::nullopt;
}

}  // namespace tactus::plan
