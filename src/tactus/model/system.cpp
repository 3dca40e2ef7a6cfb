#include "tactus/model/system.hpp"

#include <algorithm>
#include <numeric>

namespace tactus {

std::size_t max_segments(const System& system) {
  std::size_t most = 1;
  for (const Task& task : system.tasks) most = std::max(most, task.work.nodes.size());
  return most;
}

std::int64_t virtual_sms_of(const System& system, TaskIndex task) {
  return task < system.virtual_sms.size() ? system.virtual_sms[task].value_or(0) : 0;
}

std::int64_t virtual_sms_of(const System& system, TaskIndex task, const Node& node) {
  return node.virtual_sms ? *node.virtual_sms : virtual_sms_of(system, task);
}

Interval execution_time(const System& system, TaskIndex task, std::size_t segment) {
  const Node& node = system.tasks[task].work.nodes[segment];
  const auto* gpu = std::get_if<GpuSegment>(&node.segment);
  const std::int64_t virtual_sms =
      system.policy.strategy->sms == SmSharing::owned ? virtual_sms_of(system, task, node) : 0;
  return gpu != nullptr && virtual_sms > 0 ? gpu_time(*gpu, virtual_sms) : drawn_time(node.segment);
}

std::int64_t sms_of(const System& system, TaskIndex task, const Node& node) {
  if (system.policy.strategy->sms == SmSharing::cores &&
      system.tasks[task].sm.kind == SmAffinity::Kind::one) {
    return system.policy.sm_group;
  }
  if (system.policy.strategy->sms == SmSharing::owned) {
    const std::int64_t own = virtual_sms_of(system, task, node) / system.platform.gpu.virtual_sms_per_sm;
    if (own > 0) return own;
  }
  return system.platform.gpu.sms;
}

Interval whole_time(const System& system, TaskIndex task, std::size_t segment) {
  const Interval time = execution_time(system, task, segment);
  const Node& node = system.tasks[task].work.nodes[segment];
  const auto* kernel = std::get_if<KernelSegment>(&node.segment);
  if (kernel == nullptr) return time;
  const std::int64_t count = waves_of(*kernel, system.platform.gpu, sms_of(system, task, node));
  const auto times = [count](Duration one) {
    std::int64_t product = 0;
    const bool too_long = __builtin_mul_overflow(one.count(), count, &product);
    return too_long ? Duration::max() : nanoseconds(product);
  };
  return {times(time.best), times(time.worst)};
}

std::vector<TaskIndex> urgency_order(const System& system) {
  const auto more_urgent = [&](TaskIndex first, TaskIndex second) {
    const Task& a = system.tasks[first];
    const Task& b = system.tasks[second];
    const bool is_best_effort = a.arrival == Arrival::best_effort;
    if (is_best_effort != (b.arrival == Arrival::best_effort)) return !is_best_effort;
    if (a.priority != b.priority) return b.priority < a.priority;  // none is below all
    const auto or_last = [](const std::optional<Duration>& time) { return time.value_or(Duration::max()); };
    if (or_last(a.deadline) != or_last(b.deadline)) return or_last(a.deadline) < or_last(b.deadline);
    if (or_last(a.period) != or_last(b.period)) return or_last(a.period) < or_last(b.period);
    return first < second;
  };
  std::vector<TaskIndex> order(system.tasks.size());
  std::iota(order.begin(), order.end(), TaskIndex{0});
  std::sort(order.begin(), order.end(), more_urgent);
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

const Reservations* windows_of(const System& system) {
  const std::optional<Reservations>& reservations = system.policy.reservations;
  return system.policy.strategy->sms == SmSharing::cores && reservations ? &*reservations : nullptr;
}

}  // namespace tactus
