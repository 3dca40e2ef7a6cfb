#include "tactus/model/system.hpp"

#include <algorithm>
#include <numeric>
#include <variant>

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

namespace {

bool has_work_for(const System& system, ServerKind server) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) {
    return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                       [&](const Node& node) { return server_of(node.segment) == server; });
  });
}

}  // namespace

bool has_exclusive_work(const System& system) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    return std::any_of(task.work.nodes.begin(), task.work.nodes.end(), [](const Node& node) {
      return std::holds_alternative<ExclusiveSegment>(node.segment);
    });
  });
}

bool has_engine_time(const System& system) {
  const EngineTime& engine = system.platform.overheads.engine;
  return engine.event > Duration{} || engine.submit > Duration{} ||
         std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
           return !task.launcher && task.enqueue.value_or(Duration{}) > Duration{} && uses_gpu(task.work);
         });
}

Duration submission_time(const System& system, TaskIndex task, ServerKind server) {
  return submission_time(system.platform, system.tasks[task], server);
}

Duration submission_time(const Platform& platform, const Task& task, ServerKind server) {
  const Duration usual = platform.overheads.engine.submit;
  // A launcher is handed the work, and enqueues it later.
  if (server != ServerKind::gpu || task.launcher) return usual;
  return task.enqueue.value_or(usual);
}

bool is_by_node(const System& system) {
  const Handed handed = system.policy.strategy->handed;
  if (handed != Handed::jobs_or_nodes) return handed == Handed::nodes;
  return has_work_for(system, ServerKind::cpu) ||
         (system.policy.copies && has_work_for(system, ServerKind::copy));
}

Cores cores_of(const System& system, TaskIndex task, const Node& node) {
  return cores_of(system, system.tasks[task], node);
}

Cores cores_of(const System& system, const Task& task, const Node& node) {
  const std::int32_t core = core_of(task, node);
  switch (cpu_policy(system.policy).scope) {
    case CpuScope::partitioned:
      break;
    case CpuScope::global:
      return {.first = 0, .count = static_cast<std::int32_t>(system.platform.cpus())};
    case CpuScope::clustered: {
      std::int32_t first = 0;
      for (const std::int32_t count : system.platform.clusters) {
        if (core < first + count) return {.first = first, .count = count};
        first += count;
      }
      break;
    }
  }
  return {.first = core};
}

Duration time_slice_of(const System& system, TaskIndex task) {
  return system.tasks[task].time_slice.value_or(system.policy.time_slice);
}

Duration fair_lead(const System& system, TaskIndex task) {
  Int128 time = 0;
  std::int32_t cores = 1;
  for (const Node& node : system.tasks[task].work.nodes) {
    const auto* cpu = std::get_if<CpuSegment>(&node.segment);
    if (cpu == nullptr) continue;
    time += cpu->time.worst.count();
    cores = cores_of(system, task, node).count;
  }
  const Int128 lead = time * (cores - 1) / cores;
  return nanoseconds(static_cast<std::int64_t>(std::min<Int128>(lead, Duration::max().count())));
}

Interval execution_time(const System& system, TaskIndex task, std::size_t segment) {
  const Node& node = system.tasks[task].work.nodes[segment];
  const auto* gpu = std::get_if<GpuSegment>(&node.segment);
  const std::int64_t virtual_sms =
      system.policy.strategy->sms == SmSharing::owned ? virtual_sms_of(system, task, node) : 0;
  return gpu != nullptr && virtual_sms > 0 ? gpu_time(*gpu, virtual_sms) : drawn_time(node.segment);
}

std::int64_t sm_count(const System& system, TaskIndex task, const Node& node) {
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
  const std::int64_t count = waves_of(*kernel, system.platform.gpu, sm_count(system, task, node));
  const auto times = [count](Duration one) {
    std::int64_t product = 0;
    const bool too_long = __builtin_mul_overflow(one.count(), count, &product);
    return too_long ? Duration::max() : nanoseconds(product);
  };
  return {times(time.best), times(time.worst)};
}

namespace {

template <class Priority>
std::vector<TaskIndex> strict_order(const System& system, const Priority& priority_of) {
  const auto more_urgent = [&](TaskIndex first, TaskIndex second) {
    const Task& a = system.tasks[first];
    const Task& b = system.tasks[second];
    const bool is_best_effort = a.arrival == Arrival::best_effort;
    if (is_best_effort != (b.arrival == Arrival::best_effort)) return !is_best_effort;
    if (priority_of(a) != priority_of(b)) return priority_of(b) < priority_of(a);  // none is below all
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

}  // namespace

std::vector<TaskIndex> urgency_order(const System& system) {
  return strict_order(system, [](const Task& task) { return task.priority; });
}

std::vector<TaskIndex> gpu_urgency_order(const System& system) {
  return strict_order(system,
                      [](const Task& task) { return task.gpu_priority ? task.gpu_priority : task.priority; });
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
