#include "tactus/sched/urgency.hpp"

namespace tactus::sched {

JobOrder::JobOrder(const System& system, Order order, const std::vector<TaskIndex>& tasks)
    : edf_{order != Order::fp}, rank_(system.tasks.size()), best_effort_(system.tasks.size()) {
  std::uint32_t rank = 0;
  for (const TaskIndex task : tasks) rank_[task] = rank++;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    best_effort_[task] = system.tasks[task].arrival == Arrival::best_effort;
    if (order == Order::fair_lateness) lead_.push_back(fair_lead(system, task));
  }
}

}  // namespace tactus::sched
