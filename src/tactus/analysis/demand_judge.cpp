#include "tactus/analysis/demand_judge.hpp"

#include <algorithm>

#include "tactus/base/ratio_sum.hpp"
#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

Witness interval_witness(const System& system, const GpuServer& server, const DemandProblem& problem,
                         const DemandWitness& found) {
  const std::int64_t excess = at_most_64_bits(found.demand + found.blocking - found.supply.count());
  Witness witness;
  witness.excess = Duration{excess};
  witness.reason = "in an interval of " + to_text(found.interval) + " the tasks of " + server.name +
                   " may need " + to_text(Duration{at_most_64_bits(found.demand)});
  witness.detail = {{"server", server.name},
                    {"interval_ns", found.interval},
                    {"demand_ns", Duration{at_most_64_bits(found.demand)}},
                    {"blocking_ns", Duration{found.blocking}},
                    {"blocker", name_or_nothing(system, found.blocker)},
                    {"supply_ns", found.supply},
                    {"excess_ns", Duration{excess}}};
  if (server.engine && !found.blocker) {
    witness.reason += " (+ " + to_text(Duration{found.blocking}) + " of the engine)";
  }
  if (found.blocker) {
    const std::string& name = system.tasks[*found.blocker].name;
    witness.reason += " (+ " + to_text(Duration{found.blocking}) + " blocking by '" + name +
                      (server.engine ? "' and the engine)" : "')");
  }
  if (problem.supply.shape() != SupplyBound::Shape::always) {
    witness.reason += ", but the windows give " + to_text(found.supply);
  }
  witness.reason += ": " + to_text(Duration{excess}) + " too much";
  return witness;
}

/// The tasks need too much only with the overheads or the terms of the test.
Witness share_witness(const GpuServer& server, const DemandProblem& problem) {
  RatioSum needed;
  for (const DemandTask& task : problem.tasks) needed.add({task.cost, task.period.count()});
  RatioSum share;
  share.add({problem.supply.budget(), problem.supply.period()});
  const std::string needed_text = to_decimal(needed, Rounding::up);
  const std::string share_text = to_decimal(share, Rounding::down);
  return {"with all that is charged to them, the tasks of " + server.name + " need " + needed_text +
              " of its time; there is " + share_text,
          {{"server", server.name}, {"utilisation", needed_text}, {"available", share_text}}};
}

}  // namespace

std::optional<DemandProblem> demand_problem(const GpuServer& server) {
  DemandProblem problem;
  problem.tasks.reserve(server.tasks.size());
  problem.blockers.reserve(server.tasks.size() + server.best_effort_blocks.size());
  for (const GpuTask& task : server.tasks) {
    if (task.deadline <= task.jitter) return std::nullopt;
    problem.tasks.push_back({task.cost.count(), task.deadline - task.jitter, task.period});
  }
  return problem;
}

void add_best_effort(DemandProblem& problem, const GpuServer& server) {
  for (const BestEffortBlock& block : server.best_effort_blocks) {
    problem.blockers.push_back({block.length.count(), Blocker::no_deadline, block.task});
  }
}

// E(t) = sum of e_h (floor((t + J_j + V)/T_j) + 1): with J_j + V = a T_j + r, 0 <= r < T_j, that is
// (a + 1) e_h at once, and e_h more from T_j - r on in every period.
void add_engine(DemandProblem& problem, const GpuServer& server) {
  if (!server.engine) return;
  const EngineLoad& load = server.engine->load;
  std::int64_t at_once = 0;
  for (const Duration below : server.engine->below) at_once = std::max(at_once, below.count());
  problem.shortest = Duration::max();
  for (const DemandTask& task : problem.tasks) problem.shortest = std::min(problem.shortest, task.deadline);
  if (load.event > Duration{}) {
    for (const EngineSource& source : load.sources) {
      const Duration early = checked_add(source.jitter, server.engine->earlier);
      const Duration rest = early % source.period;
      at_once = checked_add(at_once, checked_mul(load.event.count(), early / source.period + 1));
      problem.tasks.push_back({load.event.count(), source.period - rest, source.period});
    }
  }
  for (Blocker& blocker : problem.blockers) blocker.cost = checked_add(blocker.cost, at_once);
  problem.blockers.push_back({at_once, Blocker::no_deadline, Blocker::nobody});
}

void judge_demand(const System& system, const GpuServer& server, const DemandProblem& problem, bool refutes,
                  ServerResults& results) {
  const DemandAnswer answer =
      test_demand(problem.tasks, problem.blockers, problem.supply, {.shortest = problem.shortest});
  if (answer.holds()) {
    results.keep_deadlines(server);
    return;
  }
  if (results.fails_overloaded(server)) return;
  const Verdict failure = refutes ? Verdict::unschedulable : Verdict::unproven;
  switch (answer.outcome) {
    case DemandAnswer::Outcome::holds:
      break;
    case DemandAnswer::Outcome::fails:
      results.fails(failure, interval_witness(system, server, problem, answer.witness));
      break;
    case DemandAnswer::Outcome::overloaded:
      results.fails(failure, share_witness(server, problem));
      break;
    case DemandAnswer::Outcome::gave_up:
      results.gives_up(server, answer.limit);
      break;
  }
}

void judge_late_release(const System& system, const GpuServer& server, ServerResults& results) {
  const auto late = std::find_if(server.tasks.begin(), server.tasks.end(),
                                 [](const GpuTask& task) { return task.deadline <= task.jitter; });
  fails_late_release(system, server, *late, results);
}

}  // namespace tactus::analysis
