#include "support/by_node_systems.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "support/dice.hpp"
#include "support/federated_systems.hpp"

namespace tactus::test {

namespace {

/// `gpu` work becomes exclusive work, or a kernel, of the same time.
void share_gpu(Dice& dice, System& system) {
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    for (Node& node : system.tasks[i].work.nodes) {
      const auto* work = std::get_if<GpuSegment>(&node.segment);
      if (work == nullptr) continue;
      const Interval time = gpu_time(*work, std::max<std::int64_t>(1, virtual_sms_of(system, i)));
      if (dice.percent(50)) {
        node.segment = ExclusiveSegment{time};
      } else {
        node.segment =
            KernelSegment{.grid = {dice.between(1, 3), 1, 1},
                          .block = dice.between(1, system.platform.gpu.threads_per_sm /
                                                       system.platform.gpu.warp * system.platform.gpu.warp),
                          .block_time = time};
      }
    }
  }
  system.virtual_sms.clear();
}

/// Some task needs a core.
void give_cpu_work(Dice& dice, System& system) {
  const bool has_some = std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    return std::any_of(task.work.nodes.begin(), task.work.nodes.end(),
                       [](const Node& node) { return std::holds_alternative<CpuSegment>(node.segment); });
  });
  if (has_some) return;
  Task& task = system.tasks.front();
  task.work.form = WorkForm::chain;
  task.work.nodes.push_back({{}, CpuSegment{Interval::exactly(dice.duration(1, 4))}});
  task.jobs.clear();  // they speak of each segment
}

void make_graph(Dice& dice, Work& work) {
  work.form = WorkForm::graph;
  for (std::size_t i = 0; i < work.nodes.size(); ++i) {
    work.nodes[i].name = "n" + std::to_string(i);
    for (std::size_t j = i + 1; j < work.nodes.size(); ++j) {
      if (dice.percent(j == i + 1 ? 50 : 20)) work.edges.push_back({i, j});
    }
  }
}

void set_longest_block(Dice& dice, Task& task) {
  Duration longest{};
  for (const Node& node : task.work.nodes) {
    if (const auto* exclusive = std::get_if<ExclusiveSegment>(&node.segment)) {
      longest = std::max(longest, exclusive->time.worst);
    }
  }
  task.longest_block.reset();
  if (longest > Duration{} && dice.percent(60)) task.longest_block = dice.duration(0, longest.count());
}

void make_windows(Dice& dice, System& system) {
  const std::int64_t local = dice.between(4, 30);
  const std::int64_t all = dice.between(4, 30);
  const std::int64_t gap = dice.between(0, 5);
  system.policy.sm_group = dice.percent(70) ? 1 : dice.small(1, system.platform.gpu.sms);
  system.policy.reservations = {.period = nanoseconds(local + gap + all + dice.between(0, 5)),
                                .local = Window{Duration{}, nanoseconds(local)},
                                .all = Window{nanoseconds(local + gap), nanoseconds(all)}};
  for (Task& task : system.tasks) {
    if (dice.percent(40)) continue;
    task.sm = {.kind = SmAffinity::Kind::one,
               .core = dice.small(0, system.platform.gpu.sms / system.policy.sm_group - 1)};
  }
}

/// Some CPU segments get a core of their own.
void place_nodes(std::uint64_t seed, System& system) {
  Dice dice{~mix_bits(seed)};
  for (Task& task : system.tasks) {
    if (task.wait == Waiting::busy) continue;
    for (Node& node : task.work.nodes) {
      if (server_of(node.segment) != ServerKind::cpu || dice.percent(60)) continue;
      node.core = dice.small(0, static_cast<std::int32_t>(system.platform.cpus()) - 1);
    }
  }
}

}  // namespace

Scenario by_node_scenario_under(std::string_view strategy, std::uint64_t seed) {
  Scenario scenario = federated_scenario(seed);
  Dice dice{mix_bits(~seed)};
  System& system = scenario.system;
  Policy& policy = system.policy;
  policy.strategy = strategy_named(strategy);
  give_cpu_work(dice, system);
  policy.order = policy.strategy->orders.size() > 1 ? dice.pick({Order::fp, Order::edf}) : Order::fp;
  Gpu& gpu = system.platform.gpu;
  gpu.copy_engines = dice.small(1, 3);
  policy.time_slice = dice.duration(1, 6);
  gpu.priority_levels = dice.small(1, 4);
  policy.levels = dice.small(1, gpu.priority_levels);
  policy.refill = dice.percent(70) ? Refill::lazy : Refill::immediate;
  if (policy.strategy->sms != SmSharing::owned) share_gpu(dice, system);
  if (policy.strategy->sms == SmSharing::cores) make_windows(dice, system);

  const std::int32_t cores = static_cast<std::int32_t>(system.platform.cpus());
  if (cores > 1 && dice.percent(50)) system.platform.clusters = {1, cores - 1};
  if (dice.percent(70)) {
    policy.cpu = {.order = dice.pick({Order::fp, Order::edf, Order::fair_lateness}),
                  .scope = dice.pick(
                      {CpuScope::partitioned, CpuScope::partitioned, CpuScope::global, CpuScope::clustered}),
                  .preemptive = dice.percent(75)};
  }
  if (dice.percent(60)) policy.copies = dice.pick({CopyOrder::fp, CopyOrder::edf, CopyOrder::fifo});
  const CpuPolicy cpu = cpu_policy(policy);
  const bool may_wait_busily = cpu.preemptive && cpu.scope == CpuScope::partitioned;
  for (Task& task : system.tasks) {
    if (may_wait_busily && dice.percent(30)) task.wait = Waiting::busy;
    if (dice.percent(40)) make_graph(dice, task.work);
    set_longest_block(dice, task);
    if (policy.strategy->streams_of_tasks) {
      if (dice.percent(20)) task.stream = dice.percent(50) ? "a" : "b";
      task.stream_priority = -dice.small(0, gpu.priority_levels - 1);
    }
  }
  if (seed % 4 == 1) place_nodes(seed, system);
  if (seed % 5 == 0 && is_by_node(system)) {
    for (Task& task : system.tasks)
      task.gpu_priority = static_cast<std::int64_t>(
          mix_bits(seed + task.name.size() + static_cast<std::uint64_t>(&task - system.tasks.data())) % 4);
  }
  return scenario;
}

Scenario by_node_scenario(std::uint64_t seed) {
  return by_node_scenario_under(by_node_strategies[mix_bits(seed) % by_node_strategies.size()], seed);
}

}  // namespace tactus::test
