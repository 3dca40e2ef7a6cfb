#include "tactus/plan/priorities.hpp"

#include <algorithm>
#include <set>

namespace tactus::plan {

bool has_distinct_priorities(const System& system) {
  std::set<std::int64_t> seen;
  return std::all_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) {
    return task.arrival == Arrival::best_effort || (task.priority && seen.insert(*task.priority).second);
  });
}

bool gives_priorities(const System& system) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    return task.arrival != Arrival::best_effort && task.priority.has_value();
  });
}

void set_priorities(System& system, std::span<const TaskIndex> order) {
  for (Task& task : system.tasks) {
    if (task.arrival != Arrival::best_effort) task.priority.reset();
  }
  auto priority = static_cast<std::int64_t>(order.size());
  for (const TaskIndex task : order) system.tasks[task].priority = priority--;
}

std::vector<TaskIndex> order_of_file(const System& system) {
  std::vector<TaskIndex> order = urgency_order(system);
  order.erase(
      std::remove_if(order.begin(), order.end(),
                     [&](TaskIndex task) { return system.tasks[task].arrival == Arrival::best_effort; }),
      order.end());
  return order;
}

std::vector<TaskIndex> deadline_monotonic_order(const System& system) {
  System without = system;
  set_priorities(without, {});
  return order_of_file(without);
}

}  // namespace tactus::plan
