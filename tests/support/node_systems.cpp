#include "support/node_systems.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/dice.hpp"

namespace tactus::test {

namespace {

Interval exactly(std::int64_t time) { return Interval::exactly(Duration{time}); }

/// CPU work, GPU work between copies, CPU work; some of it with a variant for the CPU alone. Small numbers,
/// often near the edge.
Task node_task(Dice& dice, std::int64_t number, std::int64_t count, std::int32_t cpus) {
  Task task;
  task.name = "task" + std::to_string(number);
  task.period = Duration{dice.between(40, 200)};
  task.deadline = dice.duration(task.period->count() / 2, task.period->count());
  task.work.form = WorkForm::chain;
  const std::int64_t share = std::max<std::int64_t>(task.deadline->count() * 2 / (count + 2), 4);
  const std::int64_t cpu = dice.between(1, share * 2 / 3);
  task.work.nodes.push_back({{}, CpuSegment{exactly(cpu)}});
  if (dice.percent(70)) {
    const ExclusiveSegment exclusive{exactly(dice.between(1, share))};
    std::vector<Segment> on_gpu{exclusive};
    if (dice.percent(40))
      on_gpu.insert(on_gpu.begin(), CopySegment{.time = exactly(dice.between(1, 3)), .bytes = {}});
    if (dice.percent(40)) {
      const std::int64_t slow = exclusive.time.worst.count() * 2;
      task.choices.push_back({.node = 1, .variants = {on_gpu, {CpuSegment{exactly(slow)}}}});
    }
    for (const Segment& segment : on_gpu) task.work.nodes.push_back({{}, segment});
    task.work.nodes.push_back({{}, CpuSegment{exactly(dice.between(1, 4))}});
    if (dice.percent(50)) task.longest_block = dice.duration(1, exclusive.time.worst.count());
  }
  if (dice.percent(70)) {
    task.any_core = true;
  } else {
    task.core = dice.small(0, cpus - 1);
  }
  return task;
}

}  // namespace

System node_system(std::uint64_t seed, std::int64_t count) {
  Dice dice{seed};
  System system;
  system.name = "nodes";
  system.platform.gpu.sms = 3;
  system.platform.gpu.priority_levels = 2;
  const std::int32_t cpus = dice.small(1, 3);
  system.platform.clusters = {cpus};
  system.policy.strategy = strategy_named(
      dice.pick({"as-submitted", "single-stream", "multi-stream", "sm-cores", "time-sliced", "federated"}));
  system.policy.time_slice = Duration{8};
  system.policy.order = Order::fp;
  if (dice.percent(20) && system.policy.strategy->sms != SmSharing::owned) system.policy.order = Order::edf;
  for (std::int64_t i = 0; i < count; ++i) system.tasks.push_back(node_task(dice, i, count, cpus));
  return system;
}

}  // namespace tactus::test
