#include "tactus/sched/urgency.hpp"

namespace tactus::sched {

JobOrder::JobOrder(const System& system)
    : edf_{system.policy.order == Order::edf}, rank_(system.tasks.size()), best_effort_(system.tasks.size()) {
  std::uint32_t rank = 0;
  for (const TaskIndex task : urgency_order(system)) rank_[task] = rank++;
  for (std::size_t task = 0; task < system.tasks.size(); ++task) {
    best_effort_[task] = system.tasks[task].arrival == Arrival::best_effort;
  }
}

}  // namespace tactus::sched
