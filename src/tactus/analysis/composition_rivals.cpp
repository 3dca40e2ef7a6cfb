#include "tactus/analysis/composition_rivals.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "tactus/analysis/effort.hpp"

namespace tactus::analysis {

namespace {

bool is_before(const ChainServer& server, std::size_t a, std::size_t b) {
  return rank_on(server, a) < rank_on(server, b);
}

/// The longest block of a less urgent task, under EDF of any other one.
std::int64_t low_block_of(const CompositionState& state, std::size_t task, std::size_t server) {
  const ChainServer& given = state.system().servers[server];
  if (service_of(given) != ServiceKind::levels) return 0;
  Duration longest{};
  for (const std::size_t other : state.clients(server)) {
    if (other == task || (!is_by_deadline(given) && is_before(given, other, task))) continue;
    for (const ChainNode& node : state.system().tasks[other].nodes) {
      if (node.server == server) longest = std::max(longest, node.longest_block);
    }
  }
  return longest.count();
}

/// Under EDF a blocker has the later deadline although it came first.
bool may_come_first(const CompositionState& state, std::size_t task, std::size_t server,
                    std::optional<std::int64_t> reached, std::size_t other, std::size_t node) {
  const ChainServer& given = state.system().servers[server];
  const ChainTask& blocker = state.system().tasks[other];
  if (!is_by_deadline(given) || blocker.best_effort || !reached) return true;
  return static_cast<Int128>(point_of(blocker, given)) - state.facts(other).before[node] >
         static_cast<Int128>(point_of(state.system().tasks[task], given)) - *reached;
}

/// In windows: a block of a less urgent task.
std::vector<NodeBlocker> blocks_in_window(const CompositionState& state, std::size_t task, std::size_t server,
                                          std::optional<std::int64_t> reached) {
  std::vector<NodeBlocker> blockers;
  for (const std::size_t other : state.clients(server)) {
    const ChainServer& given = state.system().servers[server];
    if (other == task || (!is_by_deadline(given) && is_before(given, other, task))) continue;
    const std::vector<ChainNode>& nodes = state.system().tasks[other].nodes;
    for (std::size_t u = 0; u < nodes.size(); ++u) {
      if (nodes[u].server != server || !may_come_first(state, task, server, reached, other, u)) continue;
      blockers.push_back({other, u, nodes[u].longest_block.count()});
    }
  }
  return blockers;
}

}  // namespace

RivalsOn::RivalsOn(const CompositionState& state, std::size_t task, std::size_t server)
    : task_{task}, rivals_{state.loads(server)}, low_block_{low_block_of(state, task, server)} {
  const ChainServer& given = state.system().servers[server];
  if (is_by_deadline(given)) return;
  const auto own = std::lower_bound(
      rivals_.begin(), rivals_.end(), task,
      [&](const TaskLoad& rival, std::size_t sought) { return is_before(given, rival.task, sought); });
  rivals_ = rivals_.first(static_cast<std::size_t>(own - rivals_.begin()));
}

std::vector<Int128> RivalsOn::before_deadline(std::int64_t length) const {
  spend_steps(rivals_.size());
  std::vector<Int128> most;
  for_each([&](const ServerLoad& load) {
    const Int128 low = low_block_ == 0 ? 0 : capped_product(load.ends_by_deadline(length), low_block_);
    most.push_back(capped(load.by_deadline(length) + low));
  });
  return most;
}

Demand RivalsOn::any(std::int64_t length, std::span<const Int128> most) const {
  spend_steps(rivals_.size());
  Demand sum;
  std::size_t place = 0;
  for_each([&](const ServerLoad& load) {
    Demand work = load.in_any(length);
    if (low_block_ > 0) work = work + capped_product(load.ends_in_any(length), low_block_);
    if (!most.empty()) work = lesser(work, {most[place++], 0});
    sum = sum + work;
  });
  return sum;
}

Demand RivalsOn::fresh(std::int64_t length) const {
  spend_steps(rivals_.size());
  Demand sum;
  for_each([&](const ServerLoad& load) {
    Demand work = load.in_any(length);
    if (low_block_ > 0) work = work + capped_product(load.ends_in_any(length), low_block_);
    sum = sum + lesser(work, {load.in_fresh(length, low_block_), 0});
  });
  return sum;
}

Demand RivalsOn::all_cores_busy(std::int64_t length, std::int32_t cores, std::span<const std::int64_t> beside,
                                std::span<const Int128> most) const {
  struct Rival {
    std::vector<Demand> lines;
    Int128 most = endless;
  };
  std::vector<Rival> rivals;
  spend_steps(rivals_.size() + beside.size());
  bool is_bounded = true;
  for_each([&](const ServerLoad& load) {
    is_bounded = is_bounded && load.is_bounded();
    Rival& rival = rivals.emplace_back();
    for (std::size_t line = 0; line < load.lines(); ++line) rival.lines.push_back(load.in_any(length, line));
    if (!most.empty()) rival.most = most[rivals.size() - 1];
  });
  const Demand always{length, std::numeric_limits<std::int64_t>::max()};
  if (!is_bounded) return always;
  for (const std::int64_t work : beside) rivals.push_back({.lines = {{work, 0}}});
  // The greatest time with cores * time <= sum of what each line can do within that time: from above.
  Int128 busy = length;
  while (true) {
    Int128 sum = 0;
    for (const Rival& rival : rivals) {
      Int128 work = 0;
      for (const Demand& line : rival.lines) work += std::min(line.work, busy);
      sum += std::min(work, rival.most);
    }
    if (sum / cores >= busy) break;
    busy = sum / cores;
  }
  // It grows as long as that many lines can go on.
  std::vector<std::int64_t> growing;
  for (const Rival& rival : rivals) {
    if (rival.most < endless) continue;
    for (const Demand& line : rival.lines) {
      const Int128 left = std::max<Int128>(line.work - busy, 0) + line.grows_for;
      growing.push_back(static_cast<std::int64_t>(std::min<Int128>(left, always.grows_for)));
    }
  }
  const auto needed = static_cast<std::size_t>(cores);
  if (growing.size() < needed) return {busy, 0};
  std::nth_element(growing.begin(), growing.begin() + (cores - 1), growing.end(), std::greater<>{});
  return {busy, growing[needed - 1]};
}

Int128 RivalsOn::jobs_in_fresh(std::int64_t length) const {
  spend_steps(rivals_.size());
  Int128 sum = 0;
  for_each([&](const ServerLoad& load) { sum = capped(sum + load.in_fresh(length, 0)); });
  return sum;
}

Int128 RivalsOn::min_length(Int128 work, const SupplyBound& supply) const {
  RatioSum needed;
  for_each([&](const ServerLoad& load) { needed.add(load.share()); });
  RatioSum given;
  given.add({supply.budget(), supply.period()});
  if (given.upper() <= needed.lower()) return endless;
  return static_cast<Int128>((static_cast<UInt128>(work) << 64U) / (given.upper() - needed.lower()));
}

std::optional<std::size_t> RivalsOn::without_bound() const {
  for (const TaskLoad& rival : rivals_) {
    if (rival.task != task_ && !rival.load.is_bounded()) return rival.task;
  }
  return std::nullopt;
}

std::vector<NodeBlocker> blockers_of(const CompositionState& state, std::size_t task, std::size_t server,
                                     std::optional<std::int64_t> reached) {
  const ChainServer& given = state.system().servers[server];
  const ServiceKind service = service_of(given);
  std::vector<NodeBlocker> blockers;
  if (service == ServiceKind::window) return blocks_in_window(state, task, server, reached);
  if (service != ServiceKind::non_preemptive && service != ServiceKind::levels) return blockers;
  const std::vector<std::size_t>& clients = state.clients(server);
  spend_steps(clients.size());
  const auto levels = static_cast<std::size_t>(given.levels);
  if (service == ServiceKind::levels && is_by_deadline(given) && clients.size() < levels + 1) return blockers;
  const std::int64_t own_low = is_by_deadline(given) ? low_block_of(state, task, server) : 0;
  // From the least urgent one, so that the longest block below each is known.
  std::int64_t low = 0;
  for (std::size_t n = clients.size(); n > 0; --n) {
    const std::size_t other = clients[n - 1];
    if (other == task) {
      if (!is_by_deadline(given)) break;
      continue;
    }
    const ChainTask& blocker = state.system().tasks[other];
    const std::size_t below = clients.size() - n;
    const bool reaches =
        service == ServiceKind::non_preemptive || is_by_deadline(given) || below + 1 >= levels;
    std::int64_t more = 0;
    if (service == ServiceKind::levels) more = checked_mul(is_by_deadline(given) ? own_low : low, 2);
    std::int64_t own_block = low;
    for (std::size_t u = 0; u < blocker.nodes.size(); ++u) {
      const ChainNode& node = blocker.nodes[u];
      if (node.server != server) continue;
      own_block = std::max(own_block, node.longest_block.count());
      if (reaches && may_come_first(state, task, server, reached, other, u))
        blockers.push_back({other, u, checked_add(node.time.worst.count(), more)});
    }
    low = own_block;
  }
  return blockers;
}

std::optional<std::int64_t> latest_reach(const CompositionState& state, std::size_t task, std::size_t node) {
  const std::optional<std::int64_t>& ready = state.unknowns(task).nodes[node].ready;
  if (!ready) return std::nullopt;
  return checked_add(*ready, state.system().tasks[task].nodes[node].ahead.count());
}

std::int64_t longest_blocking(std::span<const NodeBlocker> blockers, const RivalsOn& rivals) {
  std::int64_t longest = rivals.low_block();
  for (const NodeBlocker& blocker : blockers) longest = std::max(longest, blocker.length);
  return longest;
}

std::int64_t work_in_queue(const CompositionState& state, std::size_t task, std::size_t server) {
  const std::vector<ChainNode>& nodes = state.system().tasks[task].nodes;
  std::int64_t sum = 0;
  for (const NodesOnServer& there : state.facts(task).servers) {
    if (there.server != server) continue;
    for (const NodeLine& line : there.lines) {
      Duration longest{};
      for (const std::size_t v : line.nodes) {
        longest = std::max(longest, nodes[v].longest_turn.value_or(nodes[v].time.worst));
      }
      sum = checked_add(sum, longest.count());
    }
  }
  return sum;
}

}  // namespace tactus::analysis
