#include "tactus/analysis/composition_state.hpp"

#include <algorithm>
#include <utility>

namespace tactus::analysis {

bool is_always_open(const ChainServer& server) {
  return server.service == ServiceKind::window && server.budget >= server.period;
}

bool is_by_deadline(const ChainServer& server) { return server.order != Order::fp; }

std::size_t rank_on(const ChainServer& server, std::size_t task) {
  const bool has_order = server.service != ServiceKind::fifo && server.service != ServiceKind::own;
  return has_order && !server.ranks.empty() ? server.ranks[task] : task;
}

std::int64_t point_of(const ChainTask& task, const ChainServer& server) {
  const bool has_point = server.order == Order::fair_lateness && task.priority_point;
  return (has_point ? *task.priority_point : task.deadline).count();
}

ServiceKind service_of(const ChainServer& server) {
  return server.service == ServiceKind::levels && server.levels == 1 ? ServiceKind::non_preemptive
                                                                     : server.service;
}

void place_nodes(const ChainTask& task, const ChainFacts& facts, ChainUnknowns& unknowns) {
  if (!unknowns.response) {
    for (NodeUnknowns& node : unknowns.nodes) node.ready = node.end = std::nullopt;
    return;
  }
  const std::int64_t response = *unknowns.response;
  for (std::size_t v = 0; v < task.nodes.size(); ++v) {
    NodeUnknowns& node = unknowns.nodes[v];
    std::optional<std::int64_t> previous;  // the latest end of what it waits for
    if (unknowns.calm) previous = task.jitter.count();
    for (const std::size_t u : facts.predecessors[v]) {
      previous = std::max(previous.value_or(0), *unknowns.nodes[u].end);
    }
    const std::int64_t latest_end = response - facts.after[v];
    const std::int64_t latest_ready = latest_end - task.nodes[v].time.best.count();
    node.ready = previous ? std::min(*previous, latest_ready) : latest_ready;
    node.end = node.response ? std::min(checked_add(*node.ready, *node.response), latest_end) : latest_end;
  }
}

namespace {

/// Tasks, or loads of tasks, in the order of a server.
struct ByRank {
  const ChainServer& server;
  bool operator()(std::size_t a, std::size_t b) const { return rank_on(server, a) < rank_on(server, b); }
  bool operator()(const TaskLoad& a, std::size_t b) const { return (*this)(a.task, b); }
  bool operator()(std::size_t a, const TaskLoad& b) const { return (*this)(a, b.task); }
};

}  // namespace

CompositionState::CompositionState(const ChainSystem& system, ChainForm form)
    : system_{system}, form_{form}, loads_(system.servers.size()), clients_(system.servers.size()) {
  unknowns_.resize(system.tasks.size());
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const ChainTask& task = system.tasks[i];
    const ChainFacts& facts = facts_.emplace_back(facts_of(task));
    for (const NodesOnServer& there : facts.servers) {
      std::vector<std::size_t>& clients = clients_[there.server];
      clients.insert(
          std::upper_bound(clients.begin(), clients.end(), i, ByRank{system.servers[there.server]}), i);
    }
    ChainUnknowns unknowns;
    unknowns.nodes.resize(task.nodes.size());
    unknowns.spin = facts.worst;
    if (!task.best_effort) {
      unknowns.response = checked_add(task.jitter.count(), facts.worst);
      for (std::size_t v = 0; v < task.nodes.size(); ++v) {
        unknowns.nodes[v].response = task.nodes[v].time.worst.count();
      }
      const auto add_load = [&](std::size_t server) {
        std::vector<TaskLoad>& loads = loads_[server];
        const auto place = std::upper_bound(loads.begin(), loads.end(), i, ByRank{system.servers[server]});
        loads.insert(place, {i, {}});
      };
      for (const NodesOnServer& there : facts.servers) add_load(there.server);
      const auto is_held = [&](const NodesOnServer& there) { return there.server == task.held_core; };
      if (task.held_core && std::none_of(facts.servers.begin(), facts.servers.end(), is_held)) {
        add_load(*task.held_core);
      }
      place_nodes(task, facts, unknowns);
    }
    set(i, std::move(unknowns));
  }
}

WindowWork CompositionState::window_work(std::size_t server) const {
  if (form_ == ChainForm::chain) return WindowWork::parts_and_chain;
  const ChainServer& given = system_.servers[server];
  // With several engines there is no fresh window, so the plain form has to have another.
  const bool has_fresh = given.order == Order::fp && given.engines == 1;
  return has_fresh ? WindowWork::none : WindowWork::parts;
}

ServerLoad CompositionState::load_on(std::size_t task, std::size_t server) const {
  const ChainTask& given = system_.tasks[task];
  const ChainFacts& facts = facts_[task];
  const ChainUnknowns& unknowns = unknowns_[task];
  if (!unknowns.response) return {};
  LoadOwner owner{.period = std::nullopt,
                  .deadline = point_of(given, system_.servers[server]),
                  .response = *unknowns.response};
  if (given.period) owner.period = given.period->count();
  if (given.held_core == server) {
    const std::int64_t seen = unknowns.calm ? given.jitter.count() : owner.response - facts.best;
    return {owner, {{{.length = unknowns.spin, .end = owner.response, .seen = seen}}}, window_work(server)};
  }
  const auto there = std::find_if(facts.servers.begin(), facts.servers.end(),
                                  [&](const NodesOnServer& some) { return some.server == server; });
  std::vector<LoadLine> lines;
  for (const NodeLine& line : there->lines) {
    LoadLine& parts = lines.emplace_back();
    std::int64_t behind = facts.after[line.nodes.back()];
    for (std::size_t n = line.nodes.size(); n > 0; --n) {
      const std::size_t v = line.nodes[n - 1];
      const ChainNode& node = given.nodes[v];
      const std::int64_t end = *unknowns.nodes[v].end;
      parts.push_back({.length = node.time.worst.count(),
                       .before = facts.before[v],
                       .best = node.time.best.count(),
                       .end = end,
                       .seen = checked_add(*unknowns.nodes[v].ready, node.ahead.count()),
                       // The plain form knows nothing of the order of nodes.
                       .behind = form_ == ChainForm::chain ? behind : owner.response - end});
      behind += node.time.worst.count() + (n > 1 ? line.gaps[n - 2] : 0);
    }
    std::reverse(parts.begin(), parts.end());
  }
  return {owner, lines, window_work(server)};
}

void CompositionState::set(std::size_t task, ChainUnknowns unknowns) {
  unknowns_[task] = std::move(unknowns);
  if (system_.tasks[task].best_effort) return;
  const auto renew = [&](std::size_t server) {
    std::vector<TaskLoad>& loads = loads_[server];
    const auto place = std::lower_bound(loads.begin(), loads.end(), task, ByRank{system_.servers[server]});
    if (place != loads.end() && place->task == task) place->load = load_on(task, server);
  };
  for (const NodesOnServer& there : facts_[task].servers) renew(there.server);
  if (system_.tasks[task].held_core) renew(*system_.tasks[task].held_core);
}

}  // namespace tactus::analysis
