#include "support/small_chains.hpp"

#include <string>
#include <utility>

#include "support/dice.hpp"

namespace tactus::test {

namespace {

Interval draw_interval(Dice& dice, std::int64_t least, std::int64_t most) {
  const Duration worst = dice.duration(least, most);
  return {dice.percent(50) ? worst : dice.duration(least, worst.count()), worst};
}

Segment draw_segment(Dice& dice) {
  const std::int64_t least = dice.percent(15) ? 0 : 1;
  const std::int64_t kind = dice.between(0, 99);
  if (kind < 40) return CpuSegment{draw_interval(dice, least, 5)};
  if (kind < 70) return CopySegment{.time = draw_interval(dice, least, 4), .bytes = {}};
  if (kind < 90) {
    const Rational interleave = dice.percent(50) ? Rational{1} : Rational{3, 2};
    const Duration overhead = dice.duration(0, 1);
    return GpuSegment{
        .work = draw_interval(dice, 1, 9), .overhead = {overhead, overhead}, .interleave = interleave};
  }
  if (kind < 95) return ExclusiveSegment{draw_interval(dice, 1, 3)};
  return KernelSegment{
      .grid = {dice.between(1, 6), 1, 1}, .block = 1024, .block_time = draw_interval(dice, 1, 3)};
}

/// The worst time of a segment on one SM.
struct WorstTime {
  const Gpu& gpu;

  Duration operator()(const CpuSegment& cpu) const { return cpu.time.worst; }
  Duration operator()(const CopySegment& copy) const { return copy.time.worst; }
  Duration operator()(const KernelSegment& kernel) const {
    return kernel.block_time.worst * waves_of(kernel, gpu, 1);
  }
  Duration operator()(const GpuSegment& work) const { return gpu_time(work, gpu.virtual_sms_per_sm).worst; }
  Duration operator()(const ExclusiveSegment& exclusive) const { return exclusive.time.worst; }
};

std::int64_t cost_of(const Task& task, const System& system) {
  Duration cost{1};
  for (const Node& node : task.work.nodes) cost += std::visit(WorstTime{system.platform.gpu}, node.segment);
  return cost.count();
}

Task draw_task(Dice& dice, const System& system, bool several_cores, std::int64_t stretch) {
  Task task;
  task.name = "task" + std::to_string(system.tasks.size());
  task.arrival = Arrival::sporadic;
  task.core = several_cores && dice.percent(50) ? 1 : 0;
  task.work.form = WorkForm::chain;
  const std::int64_t segments = dice.between(1, 6);
  for (std::int64_t s = 0; s < segments; ++s) task.work.nodes.push_back({"", draw_segment(dice)});
  const std::int64_t cost = cost_of(task, system);
  task.period = dice.duration(cost, cost * stretch);
  task.deadline = dice.percent(50) ? *task.period : dice.duration(cost, task.period->count());
  if (dice.percent(20)) task.jitter = dice.duration(0, 3);
  task.priority = dice.between(0, 5);
  return task;
}

Task draw_background(Dice& dice) {
  Task task;
  task.name = "background";
  task.arrival = Arrival::best_effort;
  task.work.form = WorkForm::chain;
  task.work.nodes.push_back({"", CpuSegment{{nanoseconds(1), nanoseconds(3)}}});
  task.work.nodes.push_back({"", CopySegment{.time = draw_interval(dice, 1, 4), .bytes = {}}});
  if (dice.percent(50)) task.work.nodes.push_back({"", ExclusiveSegment{draw_interval(dice, 1, 4)}});
  return task;
}

}  // namespace

System small_chain_system(std::uint64_t seed, bool several_cores) {
  Dice dice{seed};
  System system;
  system.name = "small chains";
  system.platform.clusters = {2};
  Gpu& gpu = system.platform.gpu;
  gpu.sms = dice.small(1, 4);
  gpu.threads_per_sm = 2048;
  gpu.blocks_per_sm = 32;
  gpu.virtual_sms_per_sm = dice.small(1, 2);
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  if (dice.percent(20)) {
    system.platform.overheads = {dice.duration(0, 2), dice.duration(0, 1), dice.duration(0, 1),
                                 dice.duration(0, 1)};
  }
  const std::int64_t tasks = dice.between(1, 4);
  const std::int64_t stretch = dice.between(2, 4 + 3 * tasks);
  for (std::int64_t i = 0; i < tasks; ++i) {
    system.tasks.push_back(draw_task(dice, system, several_cores, stretch));
  }
  if (dice.percent(20)) system.tasks.push_back(draw_background(dice));
  return system;
}

std::optional<std::vector<std::int64_t>> draw_sms(const System& system, std::uint64_t seed) {
  Dice dice{seed};
  std::vector<std::int64_t> sms(system.tasks.size());
  std::vector<std::size_t> users;
  for (std::size_t i = 0; i < sms.size(); ++i) {
    if (uses_gpu(system.tasks[i].work)) users.push_back(i);
  }
  std::int64_t left = system.platform.gpu.sms - static_cast<std::int64_t>(users.size());
  if (left < 0) return std::nullopt;
  for (const std::size_t i : users) sms[i] = 1;
  while (left > 0 && !users.empty()) {
    ++sms[users[static_cast<std::size_t>(dice.between(0, std::ssize(users) - 1))]];
    --left;
  }
  return sms;
}

System with_sms(System system, const std::vector<std::int64_t>& sms) {
  system.virtual_sms.assign(sms.size(), std::nullopt);
  for (std::size_t i = 0; i < sms.size(); ++i) {
    if (sms[i] > 0) system.virtual_sms[i] = sms[i] * system.platform.gpu.virtual_sms_per_sm;
  }
  return system;
}

}  // namespace tactus::test
