#include "tactus/analysis/in_phase.hpp"

#include <variant>

#include "tactus/base/text.hpp"

namespace tactus::analysis {

namespace {

bool can_be_preempted_anywhere(const Task& task) {
  return task.work.nodes.size() == 1 &&
         std::holds_alternative<ExclusiveSegment>(task.work.nodes.front().segment) &&
         task.longest_block == Duration{};
}

}  // namespace

std::string ideal_windows_obstacle(const System& system) {
  if (system.policy.order != Order::edf) return "needs the order edf";
  for (const Task& task : system.tasks) {
    if (task.arrival == Arrival::best_effort || can_be_preempted_anywhere(task)) continue;
    return "needs work that can be preempted anywhere: task '" + task.name +
           "' is not one exclusive segment with longest_block 0";
  }
  return {};
}

std::string in_phase_obstacle(const System& system) {
  if (std::string obstacle = ideal_windows_obstacle(system); !obstacle.empty()) return obstacle;
  if (system.platform.overheads.release > Duration{})
    return "needs releases without overhead: platform.overheads.release is not 0";
  for (const Task& task : system.tasks) {
    if (task.arrival == Arrival::best_effort) continue;
    if (task.arrival != Arrival::periodic) return "needs periodic tasks: task '" + task.name + "' is not";
    if (task.jitter > Duration{}) {
      return "needs releases without jitter: task '" + task.name + "' has " + to_text(task.jitter);
    }
  }
  return {};
}

std::string in_phase_from_zero_obstacle(const System& system) {
  if (std::string obstacle = in_phase_obstacle(system); !obstacle.empty()) return obstacle;
  for (const Task& task : system.tasks) {
    if (task.arrival == Arrival::periodic && task.offset != Duration{}) {
      return "needs releases in phase with the reservation: task '" + task.name + "' has offset " +
             to_text(task.offset);
    }
  }
  return {};
}

}  // namespace tactus::analysis
