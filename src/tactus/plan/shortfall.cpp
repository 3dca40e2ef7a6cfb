#include "tactus/plan/shortfall.hpp"

#include "tactus/analysis/response_judge.hpp"
#include "tactus/plan/response.hpp"

namespace tactus::plan {

using analysis::DemandAnswer;
using analysis::GpuTask;
using analysis::SupplyBound;

namespace {

std::optional<Shortfall> find_in_demand(const System& system, const ServerBudget& need,
                                        const SupplyBound& supply) {
  const std::vector<GpuTask>& tasks = need.server().tasks;
  if (!need.problem()) {
    for (const GpuTask& task : tasks) {
      if (task.deadline <= task.jitter) {
        return Shortfall{system.tasks[task.task].name, task.jitter - task.deadline};
      }
    }
    return std::nullopt;
  }
  const DemandAnswer answer = analysis::test_demand(need.problem()->tasks, need.problem()->blockers, supply);
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

std::optional<Shortfall> find_in_responses(const System& system, const ServerBudget& need,
                                           const SupplyBound& supply) {
  const analysis::GpuServer& server = need.server();
  std::vector<std::size_t> more_urgent;
  for (std::size_t i = 0; i < server.tasks.size(); ++i) {
    const GpuTask& task = server.tasks[i];
    if (!window_response({server, i, more_urgent}, supply, task.deadline)) {
      const auto far = window_response({server, i, more_urgent}, supply, far_beyond(task));
      return Shortfall{system.tasks[task.task].name,
                       far ? std::optional{*far - task.deadline} : std::nullopt};
    }
    more_urgent.push_back(i);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Shortfall> find_shortfall(const System& system, const ServerBudget& need,
                                        const SupplyBound& supply) {
  return need.order() == ServerOrder::edf ? find_in_demand(system, need, supply)
                                          : find_in_responses(system, need, supply);
}

}  // namespace tactus::plan
