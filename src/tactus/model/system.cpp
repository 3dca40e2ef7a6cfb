#include "tactus/model/system.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tactus {

Interval execution_time(const System& system, TaskIndex task, std::size_t segment) {
  const Segment& work = system.tasks[task].work.nodes[segment].segment;
  const auto* gpu = std::get_if<GpuSegment>(&work);
  const bool known = system.policy.strategy == StrategyKind::federated && task < system.virtual_sms.size() &&
                     system.virtual_sms[task].value_or(0) > 0;
  return gpu != nullptr && known ? gpu_time(*gpu, *system.virtual_sms[task]) : drawn_time(work);
}

std::vector<TaskIndex> urgency_order(const System& system) {
  // Smaller key = more urgent; absent values sort last.
  const auto key = [&](TaskIndex index) {
    const Task& task = system.tasks[index];
    return std::tuple{task.arrival == Arrival::best_effort,
                      !task.priority.has_value(),
                      -static_cast<Int128>(task.priority.value_or(0)),
                      task.deadline.value_or(Duration::max()),
                      task.period.value_or(Duration::max()),
                      index};
  };
  std::vector<TaskIndex> order(system.tasks.size());
  std::iota(order.begin(), order.end(), TaskIndex{0});
  std::sort(order.begin(), order.end(), [&](TaskIndex a, TaskIndex b) { return key(a) < key(b); });
  return order;
}

std::optional<Duration> hyperperiod(const System& system) {
  std::optional<std::int64_t> result;
  for (const Task& task : system.tasks) {
    if (!task.period) continue;
    result = checked_lcm(result.value_or(1), task.period->count());
    if (!result) return std::nullopt;
  }
  if (!result) return std::nullopt;
  return Duration{*result};
}

}  // namespace tactus
