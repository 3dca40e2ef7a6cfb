#include "support/composed_systems.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/composed_examples.hpp"

namespace tactus::test {

namespace {

using analysis::ChainNode;
using analysis::ChainServer;
using analysis::ChainSystem;
using analysis::ChainTask;
using analysis::ServiceKind;

std::vector<ChainServer> draw_servers(const ComposedKinds& kinds, Dice& dice) {
  const auto order = [&] { return kinds.edf && dice.percent(40) ? Order::edf : Order::fp; };
  std::vector<ChainServer> servers;
  servers.push_back(
      served(dice.percent(80) ? ServiceKind::preemptive : ServiceKind::non_preemptive, order()));
  servers.push_back(served(dice.percent(80) ? ServiceKind::non_preemptive : ServiceKind::fifo, order()));
  if (dice.percent(15)) servers.back().engines = 2;
  std::int64_t kind = dice.between(0, 9);
  if (kinds.gpu == ServiceKind::levels) kind = 4;
  if (kinds.gpu == ServiceKind::window) kind = 8;
  if (kinds.gpu == ServiceKind::non_preemptive) kind = 0;
  ChainServer gpu = served(ServiceKind::non_preemptive, order());
  if (kind >= 3 && kind <= 5 && kinds.levels) {
    gpu = served(ServiceKind::levels, gpu.order, dice.small(2, 3));
  } else if (kind == 6) {
    gpu = served(ServiceKind::fifo);
  } else if (kind == 7) {
    gpu = served(ServiceKind::own);
  } else if (kind >= 8 && kinds.windows) {
    gpu = served(ServiceKind::window, gpu.order);
    gpu.period = dice.duration(2, 8);
    if (kinds.window_blocks) gpu.period = dice.duration(4, 14);
    gpu.budget = dice.duration(kinds.window_blocks ? gpu.period.count() / 2 : 1, gpu.period.count());
  }
  servers.push_back(gpu);
  if (dice.percent(25)) servers.push_back(served(ServiceKind::preemptive, servers.front().order));
  if (kinds.clusters) {
    servers.front() = served(ServiceKind::preemptive, order());
    servers.front().engines = dice.small(2, 3);
    if (servers.front().order == Order::edf && dice.percent(50)) servers.front().order = Order::fair_lateness;
  }
  return servers;
}

void draw_edges(ChainTask& task, Dice& dice) {
  for (std::size_t v = 0; v < task.nodes.size(); ++v) {
    auto& before = task.predecessors.emplace_back();
    for (std::size_t u = 0; u < v; ++u) {
      if (dice.percent(35)) before.push_back(u);
    }
  }
}

ChainTask draw_task(const ComposedKinds& kinds, const std::vector<ChainServer>& servers, Dice& dice) {
  ChainTask task;
  const std::int64_t count = kinds.one_node ? 1 : dice.between(1, kinds.graphs ? 7 : 5);
  // A task has one core.
  const std::size_t core = servers.size() > 3 && dice.percent(50) ? 3 : 0;
  for (std::int64_t v = 0; v < count; ++v) {
    std::size_t server = dice.pick(
        {core, std::size_t{on_copy}, std::size_t{on_gpu}, kinds.clusters ? core : std::size_t{on_gpu}});
    if (kinds.one_node) server = on_gpu;
    const std::int64_t worst = dice.between(1, 4);
    const std::int64_t best = dice.percent(40) ? worst : dice.between(0, worst);
    task.nodes.push_back(node(server, best, worst, dice.between(1, worst)));
  }
  const bool in_blocks = kinds.window_blocks && dice.percent(70);
  for (ChainNode& some : task.nodes) {
    if (servers[some.server].service == ServiceKind::window && !in_blocks) some.longest_block = {};
  }
  if (kinds.overheads && dice.percent(20)) {
    for (ChainNode& some : task.nodes) {
      if (some.server == core) continue;
      some.ahead = dice.duration(0, 2);
      some.time.worst += some.ahead + dice.duration(0, 1);
    }
  }
  if (kinds.graphs && task.nodes.size() > 2 && dice.percent(70)) draw_edges(task, dice);
  if (kinds.jitter && dice.percent(30)) task.jitter = dice.duration(1, 4);
  if (kinds.busy && dice.percent(20) && servers[core].service == ServiceKind::preemptive)
    task.held_core = core;
  if (task.held_core && servers[core].engines > 1) task.held_core.reset();
  return task;
}

}  // namespace

ChainSystem draw_chain_system(const ComposedKinds& kinds, Dice& dice) {
  ChainSystem system;
  system.servers = draw_servers(kinds, dice);
  const std::int64_t count = dice.between(2, kinds.max_tasks);
  for (std::int64_t i = 0; i < count; ++i) system.tasks.push_back(draw_task(kinds, system.servers, dice));
  for (ChainTask& task : system.tasks) {
    std::int64_t work = 0;
    for (const ChainNode& some : task.nodes) work += some.time.worst.count();
    const std::int64_t spread = dice.between(50, 250);
    const std::int64_t period = std::max<std::int64_t>(work * count * spread / (2 * kinds.load), 2);
    task.period = nanoseconds(period);
    task.deadline = *task.period;
    if (dice.percent(30)) task.deadline = dice.duration(std::min(work, period), period);
    if (kinds.late_deadlines && dice.percent(25)) task.deadline = dice.duration(period, 3 * period);
    if (kinds.clusters && dice.percent(80)) task.priority_point = dice.duration(0, task.deadline.count());
    if (kinds.background && dice.percent(4)) task.period.reset();
  }
  if (dice.percent(50)) {
    std::stable_sort(system.tasks.begin(), system.tasks.end(),
                     [](const ChainTask& a, const ChainTask& b) { return a.deadline < b.deadline; });
  }
  if (kinds.background && dice.percent(15)) {
    ChainTask task = draw_task(kinds, system.servers, dice);
    task.held_core.reset();
    task.jitter = {};
    task.best_effort = true;
    system.tasks.push_back(task);
  }
  if (kinds.gpu_order) {
    std::vector<std::size_t>& ranks = system.servers[on_gpu].ranks;
    ranks.resize(system.tasks.size());
    std::iota(ranks.begin(), ranks.end(), std::size_t{0});
    for (auto i = static_cast<std::size_t>(count); i > 1; --i) {
      std::swap(ranks[i - 1],
                ranks[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(i) - 1))]);
    }
  }
  return system;
}

}  // namespace tactus::test
