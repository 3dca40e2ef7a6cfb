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

}  // namespace

std::vector<GpuCall> call_order(const Task& task) {
  std::vector<GpuCall> order;
  for (const std::size_t node : topological_order(task.work)) {
    order.push_back({static_cast<std::uint32_t>(node), server_of(task.work.nodes[node].segment)});
  }
  return order;
}

std::vector<std::string> refuse_other_than_gpu_work(const System& system, std::string_view strategy) {
  const auto has = [](const Task& task, auto is_kind) {
    return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                       [&](const Node& node) { return is_kind(node.segment); });
  };
  std::vector<std::string> with_cpu;
  std::vector<std::string> with_gpu;
  for (const Task& task : system.tasks) {
    if (has(task, [](const Segment& s) { return std::holds_alternative<CpuSegment>(s); })) {
      with_cpu.push_back(task.name);
    }
    if (has(task, [](const Segment& s) { return std::holds_alternative<GpuSegment>(s); })) {
      with_gpu.push_back(task.name);
    }
  }
  std::vector<std::string> refusals;
  if (!with_cpu.empty()) {
    refusals.push_back(some_tasks(with_cpu) + ": " + std::string{strategy} +
                       " calls GPU work only, not `cpu` segments");
  }
  if (!with_gpu.empty()) {
    refusals.push_back(some_tasks(with_gpu) +
                       ": a `gpu` segment needs virtual SMs, which only federated gives; use `kernel`");
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
