#include "support/effect_chain_systems.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tactus::test {

namespace {

Task random_task(Dice& dice, bool has_gpu, std::int32_t cores) {
  Task task;
  const std::int64_t period =
      dice.percent(75) ? dice.pick<std::int64_t>({10, 12, 15, 20, 24, 30, 40, 60}) : dice.between(8, 60);
  task.arrival = dice.percent(15) ? Arrival::sporadic : Arrival::periodic;
  task.period = nanoseconds(period);
  task.deadline = nanoseconds(dice.percent(70) ? period : dice.between(period / 2, 2 * period));
  if (dice.percent(60)) task.offset = dice.duration(0, 2 * period);
  if (dice.percent(30)) task.jitter = dice.duration(0, period / 3);
  task.core = dice.small(0, cores - 1);
  const auto time = [&](std::int64_t most) {
    const std::int64_t worst = dice.between(1, most);
    return Interval{nanoseconds(dice.between(0, worst)), nanoseconds(worst)};
  };
  task.work.form = WorkForm::chain;
  task.work.nodes.push_back({.name = {}, .segment = CpuSegment{time(std::max<std::int64_t>(1, period / 8))}});
  if (has_gpu && dice.percent(50)) {
    CopySegment copy;
    copy.time = time(2);
    if (dice.percent(30)) task.work.nodes.push_back({.name = {}, .segment = copy});
    task.work.nodes.push_back(
        {.name = {}, .segment = ExclusiveSegment{time(std::max<std::int64_t>(1, period / 10))}});
  }
  return task;
}

}  // namespace

void add_chains(System& system, Dice& dice) {
  std::vector<TaskIndex> members;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (repeats(system.tasks[i])) members.push_back(i);
  }
  if (members.empty()) return;
  const std::int64_t chains = dice.between(1, 3);
  for (std::int64_t i = 0; i < chains; ++i) {
    for (std::size_t j = members.size() - 1; j > 0; --j) {
      std::swap(members[j], members[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(j)))]);
    }
    EffectChain chain;
    chain.name = "chain" + std::to_string(i);
    chain.communication = dice.pick(
        {Communication::latest_value, Communication::queue, Communication::let, Communication::let_period});
    const auto length = dice.between(1, std::min<std::int64_t>(4, static_cast<std::int64_t>(members.size())));
    chain.tasks.assign(members.begin(), members.begin() + length);
    if (dice.percent(50)) chain.age = dice.duration(1, 300);
    if (dice.percent(50)) chain.reaction = dice.duration(1, 300);
    system.chains.push_back(std::move(chain));
  }
}

System effect_chain_system(std::uint64_t seed) {
  Dice dice{seed};
  System system;
  system.name = "chains";
  system.platform.gpu.sms = 2;
  const std::int32_t cores = dice.small(1, 4);
  system.platform.clusters = {cores};
  if (dice.percent(20)) {
    system.platform.overheads = {
        .release = dice.duration(0, 2), .launch = dice.duration(0, 1), .completion = dice.duration(0, 1)};
  }
  const bool has_gpu = dice.percent(60);
  system.policy.strategy =
      strategy_named(dice.pick({"single-stream", "multi-stream", "as-submitted", "time-sliced"}));
  system.policy.order =
      system.policy.strategy->orders.size() > 1 ? dice.pick({Order::fp, Order::edf}) : Order::fp;
  system.policy.cpu = CpuChoice{.order = Order::fp};
  const std::int64_t tasks = dice.between(1, 5);
  for (std::int64_t i = 0; i < tasks; ++i) {
    system.tasks.push_back(random_task(dice, has_gpu, cores));
    system.tasks.back().name = "t" + std::to_string(i);
  }
  add_chains(system, dice);
  return system;
}

}  // namespace tactus::test
