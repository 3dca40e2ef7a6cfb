#include "tactus/sched/gpu_work.hpp"

#include <algorithm>
#include <variant>

namespace tactus::sched {

namespace {

/// "task 'a'", "tasks 'a', 'b'", "tasks 'a', 'b', 'c', 'd' and 3 more".
std::string some_tasks(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  std::string text = names.size() == 1 ? "task" : "tasks";
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    text += (i == 0 ? " '" : ", '") + names[i] + "'";
  }
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

template <class Kind>
std::vector<std::string> tasks_with(const System& system) {
  std::vector<std::string> names;
  for (const Task& task : system.tasks) {
    if (std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                    [](const Node& node) { return std::holds_alternative<Kind>(node.segment); })) {
      names.push_back(task.name);
    }
  }
  return names;
}

}  // namespace

std::vector<GpuCall> call_order(const Task& task) {
  std::vector<GpuCall> order;
  for (const std::size_t node : topological_order(task.work)) {
    order.push_back({static_cast<std::uint32_t>(node), server_of(task.work.nodes[node].segment)});
  }
  return order;
}

std::vector<std::string> refuse_virtual_sms(const System& system) {
  const std::vector<std::string> names = tasks_with<GpuSegment>(system);
  if (names.empty()) return {};
  return {some_tasks(names) +
          ": a `gpu` segment needs virtual SMs, which only federated gives; use `kernel`"};
}

std::vector<std::string> refuse_other_than_gpu_work(const System& system, std::string_view strategy) {
  std::vector<std::string> refusals = refuse_virtual_sms(system);
  if (const std::vector<std::string> names = tasks_with<CpuSegment>(system); !names.empty()) {
    refusals.insert(refusals.begin(), some_tasks(names) + ": " + std::string{strategy} +
                                          " calls GPU work only, not `cpu` segments");
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
