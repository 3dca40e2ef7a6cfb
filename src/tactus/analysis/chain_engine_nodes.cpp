#include "tactus/analysis/chain_engine_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tactus/analysis/engine_delays.hpp"

namespace tactus::analysis {

namespace {

/// On a server that takes everything at once; else it takes one node at a time, when the engine gives it.
bool is_taken_at_once(const SystemOfChains& made, const ChainNode& node) {
  const ServiceKind service = made.chains.servers[node.server].service;
  return service == ServiceKind::preemptive || service == ServiceKind::own;
}

bool has_pauses(const SystemOfChains& made) {
  return std::any_of(made.chains.tasks.begin(), made.chains.tasks.end(), [&](const ChainTask& task) {
    return std::any_of(task.nodes.begin(), task.nodes.end(),
                       [&](const ChainNode& node) { return !is_taken_at_once(made, node); });
  });
}

/// Nodes of a graph, which may be there side by side, have servers of their own, by number.
ChainNode engine_node(SystemOfChains& made, std::size_t number, Duration longest) {
  const std::string name = number == 0 ? "the engine" : fmt::format("the engine ({})", number);
  return {.server = server_named(made, name, {.service = ServiceKind::own}), .time = {Duration{}, longest}};
}

/// e_s of each node of a task.
std::vector<Duration> submissions_of(const System& system, TaskIndex index) {
  const Work& work = system.tasks[index].work;
  std::vector<Duration> submissions;
  for (const std::size_t segment : topological_order(work)) {
    const Node& node = work.nodes[segment];
    if (is_skipped(node)) continue;
    submissions.push_back(submission_time(system, index, server_of(node.segment)));
  }
  return submissions;
}

/// Replaces the nodes of a task by those with what the engine does.
void add_nodes(ChainTask& task, const std::vector<Duration>& submissions, Duration waiting,
               const ChainEngine& engine, SystemOfChains& made) {
  ChainTask chain;
  const bool is_graph = !task.predecessors.empty();
  std::vector<std::size_t> place(task.nodes.size());   // of each node in the new list
  std::vector<bool> is_last(task.nodes.size(), true);  // nothing waits for it
  const auto add = [&](const ChainNode& node, std::vector<std::size_t> predecessors) {
    chain.nodes.push_back(node);
    chain.predecessors.push_back(std::move(predecessors));
    return chain.nodes.size() - 1;
  };
  const auto delay = [&](Duration longest, std::vector<std::size_t>& predecessors) {
    if (longest == Duration{}) return;
    predecessors = {add(engine_node(made, is_graph ? chain.nodes.size() + 1 : 0, longest), predecessors)};
  };
  bool ends_at_once = false;
  for (std::size_t v = 0; v < task.nodes.size(); ++v) {
    std::vector<std::size_t> before;
    if (is_graph) before = task.predecessors[v];
    if (!is_graph && v > 0) before = {v - 1};
    Duration longest{};
    std::vector<std::size_t> predecessors;
    for (const std::size_t u : before) {
      if (is_taken_at_once(made, task.nodes[u])) longest = engine.decision;
      predecessors.push_back(place[u]);
      is_last[u] = false;
    }
    ChainNode node = task.nodes[v];
    node.time.best -= std::min(node.time.best, engine.pause);
    if (is_taken_at_once(made, node)) {
      longest = checked_add(longest, checked_add(waiting, submissions[v]));
    } else {
      const Duration more = checked_add(checked_add(engine.pause, submissions[v]), engine.decision);
      node.time.worst = checked_add(node.time.worst, more);
    }
    delay(longest, predecessors);
    place[v] = add(node, predecessors);
  }
  std::vector<std::size_t> ends;
  for (std::size_t v = 0; v < task.nodes.size(); ++v) {
    if (!is_last[v]) continue;
    ends.push_back(place[v]);
    ends_at_once = ends_at_once || is_taken_at_once(made, task.nodes[v]);
  }
  if (ends_at_once) delay(engine.decision, ends);
  task.nodes = std::move(chain.nodes);
  if (is_graph) task.predecessors = std::move(chain.predecessors);
}

/// What stands for the pauses of servers that take one node at a time.
void add_pauses(Duration pause, SystemOfChains& made) {
  ChainTask pauses{.deadline = Duration::max(), .best_effort = true};
  std::vector<ChainServer>& servers = made.chains.servers;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const bool has_pauses = servers[i].service == ServiceKind::non_preemptive;
    if (has_pauses) pauses.nodes.push_back({.server = i, .time = {Duration{}, pause}});
    if (!servers[i].ranks.empty()) servers[i].ranks.push_back(servers[i].ranks.size());
  }
  if (pauses.nodes.empty() || pause == Duration{}) return;
  made.chains.tasks.push_back(std::move(pauses));
}

}  // namespace

std::string why_engine_is_not_counted(const System& system, bool cuts_copies) {
  const StrategyFacts& strategy = *system.policy.strategy;
  const std::string with = "with engine time ";
  const bool has_levels = strategy.has_levels && system.policy.levels > 1;
  if (strategy.sms == SmSharing::cores || strategy.streams_of_tasks || strategy.slices_time || has_levels) {
    return with + "needs SMs of their own, or a GPU that takes one node at a time";
  }
  if (cuts_copies) return with + "needs whole copies: `platform.gpu.copy_chunk` cuts some";
  if (!strategy.one_copy_engine && system.platform.gpu.copy_engines > 1)
    return with + "needs one copy engine";
  const CpuPolicy cpu = cpu_policy(system.policy);
  if (!cpu.preemptive && cpu.scope != CpuScope::partitioned) {
    return with + "needs cores that preempt, or do not share their work";
  }
  for (const Task& task : system.tasks) {
    const std::string who = "task '" + task.name + "'";
    const bool best_effort = task.arrival == Arrival::best_effort;
    if (task.arrival == Arrival::once)
      return fmt::format("{}needs repeating tasks: {} arrives once", with, who);
    if (best_effort && copy_order(system.policy) == CopyOrder::fifo) {
      return fmt::format("{}needs an order of copies, or no best-effort tasks: {} is one", with, who);
    }
    if (best_effort && (task.preemptible || task.longest_block == Duration{})) {
      return fmt::format("{}needs work that is not asked to stop: {} may be", with, who);
    }
  }
  return {};
}

std::string add_engine(const System& system, ChainEngine engine, SystemOfChains& made) {
  if (!has_pauses(made)) engine.pause = {};
  made.earlier = engine.pause;
  made.all_or_none = true;
  std::string why_not;
  for (std::size_t i = 0; i < made.tasks.size(); ++i) {
    const TaskIndex index = made.tasks[i];
    ChainTask& task = made.chains.tasks[i];
    const bool passes_engine = uses_engine(system, index);
    if (passes_engine) {
      add_nodes(task, submissions_of(system, index), engine.waiting[index], engine, made);
    }
    if (task.best_effort) continue;
    task.deadline = checked_add(task.deadline, made.earlier);
    if (task.priority_point) task.priority_point = *task.priority_point + made.earlier;
    const Duration decision = passes_engine ? engine.decision : Duration{};
    task.jitter = checked_add(task.jitter, checked_add(decision, made.earlier));
    if (why_not.empty() && task.period && task.jitter > *task.period) {
      why_not = "needs jobs that are seen in order: with the engine's delays task '" +
                system.tasks[index].name + "' may be seen more than a period late";
    }
  }
  add_pauses(engine.pause, made);
  return why_not;
}

}  // namespace tactus::analysis
