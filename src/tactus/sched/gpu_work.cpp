#include "tactus/sched/gpu_work.hpp"

#include <variant>

namespace tactus::sched {

std::vector<std::uint32_t> call_order(const Task& task) {
  std::vector<std::uint32_t> order;
  for (const std::size_t node : topological_order(task.work)) {
    order.push_back(static_cast<std::uint32_t>(node));
  }
  return order;
}

std::vector<std::string> refuse_other_than_gpu_work(const System& system, std::string_view strategy) {
  std::vector<std::string> refusals;
  for (const Task& task : system.tasks) {
    for (std::size_t i = 0; i < task.work.nodes.size(); ++i) {
      const Segment& segment = task.work.nodes[i].segment;
      const std::string where = "task '" + task.name + "', segment " + std::to_string(i) + ": ";
      if (std::holds_alternative<CpuSegment>(segment)) {
        refusals.push_back(where + std::string{strategy} + " calls GPU work only, not `cpu` segments");
      } else if (std::holds_alternative<GpuSegment>(segment)) {
        refusals.push_back(where +
                           "a `gpu` segment needs virtual SMs, which only federated gives; use `kernel`");
      }
    }
  }
  return refusals;
}

std::vector<std::string> refuse_ideal_preemption(const System& system, const Capabilities& capabilities) {
  std::vector<std::string> refusals;
  if (capabilities.stops_kernels) return refusals;
  for (const Task& task : system.tasks) {
    if (task.longest_block != Duration{}) continue;
    refusals.push_back("task '" + task.name + "': longest_block is 0, but " + capabilities.engine +
                       " cannot stop a kernel at any instant");
  }
  return refusals;
}

}  // namespace tactus::sched
