#include "tactus/analysis/graph_engine.hpp"

#include <algorithm>
#include <vector>

#include "tactus/base/exact.hpp"
#include "tactus/base/ratio_sum.hpp"

namespace tactus::analysis {

namespace {

/// A group of actions for each job.
struct Actions {
  Duration work{};
  Duration period{};
  Duration spread{};  // X
};

bool is_issued(const Segment& segment) {
  return server_of(segment) == ServerKind::gpu || drawn_time(segment).worst > Duration{};
}

/// Every action may be done L later than its event is visible, and takes its time.
std::vector<Actions> actions_of(const System& system, const GraphTiming& timing) {
  const Duration event = system.platform.overheads.engine.event;
  std::vector<Actions> all;
  const auto add = [&](const Task& task, Duration work, Duration spread) {
    all.push_back({work, *task.period, checked_add(spread, checked_add(timing.engine, work))});
  };
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    const Duration late = checked_add(task.jitter, system.platform.overheads.release);
    add(task, event, late);
    if (task.on_miss == OnMiss::skip_next) {
      add(task, event, checked_add(late, task.deadline.value_or(Duration{})));
    }
    if (task.budget) add(task, event, checked_add(late, timing.bound_of(index)));
    for (std::size_t node = 0; node < task.work.nodes.size(); ++node) {
      const Segment& segment = task.work.nodes[node].segment;
      if (!is_issued(segment)) continue;
      const ServerKind server = server_of(segment);
      const bool may_need_timer = server != ServerKind::cpu || !system.policy.early_release;
      const Duration events = checked_mul(event, may_need_timer ? 2 : 1);
      const NodeTiming& times = timing.tasks[index][node];
      const Duration early = system.policy.early_release ? times.offset : Duration{};
      add(task, checked_add(events, submission_time(system, index, server)),
          checked_add(early, times.response));
    }
  }
  return all;
}

/// l of a task.
Duration longest_run(const Work& work, const std::vector<NodeTiming>& nodes) {
  std::vector<Duration> until(nodes.size());
  const auto follow = [&](std::size_t from, std::size_t to) { until[to] = std::max(until[to], until[from]); };
  Duration longest{};
  const auto pass = [&](std::size_t node) {
    const Segment& segment = work.nodes[node].segment;
    const bool ends_runs = server_of(segment) == ServerKind::cpu && is_issued(segment);
    until[node] = ends_runs ? Duration{} : checked_add(until[node], nodes[node].response);
    longest = std::max(longest, until[node]);
  };
  if (work.form != WorkForm::graph) {
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      if (node > 0) follow(node - 1, node);
      pass(node);
    }
    return longest;
  }
  const std::vector<Edge> edges = edges_within_job(work);
  std::vector<std::vector<std::size_t>> successors(nodes.size());
  for (const Edge& edge : edges) successors[edge.from].push_back(edge.to);
  for (const std::size_t node : topological_order(work)) {
    pass(node);
    for (const std::size_t successor : successors[node]) follow(node, successor);
  }
  return longest;
}

/// B
Duration busy_within(const std::vector<Actions>& all, Duration length) {
  Duration sum{};
  for (const Actions& actions : all) {
    const std::int64_t jobs = checked_add(length, actions.spread) / actions.period + 1;
    sum = checked_add(sum, checked_mul(actions.work, jobs));
  }
  return sum;
}

}  // namespace

Duration EngineOfGraphs::stretched(Duration work) const {
  if (load_ == 0) return work;
  const UInt128 rest = (UInt128{1} << 64U) - load_;
  const UInt128 scaled = static_cast<UInt128>(work.count()) << 64U;
  const UInt128 rounded = scaled / rest + (scaled % rest == 0 ? 0 : 1);
  if (rounded > static_cast<UInt128>(Duration::max().count())) {
    throw OverflowError{"a node with the time of the engine leaves 64 bits of nanoseconds"};
  }
  return Duration{static_cast<std::int64_t>(rounded)};
}

std::optional<EngineOfGraphs> engine_of_graphs(const System& system, const GraphTiming& timing) {
  const std::vector<Actions> all = actions_of(system, timing);
  RatioSum load;
  EngineOfGraphs engine;
  for (const Actions& actions : all) {
    load.add({actions.work.count(), actions.period.count()});
    const Int128 carried = Int128{actions.work.count()} * actions.spread.count() / actions.period.count() + 1;
    if (carried > Duration::max().count()) throw OverflowError{"the time of the engine leaves 64 bits"};
    const Duration more{static_cast<std::int64_t>(carried)};
    engine.burst_ = checked_add(engine.burst_, checked_add(actions.work, more));
  }
  if (load.upper() >> 64U != 0) return std::nullopt;
  engine.load_ = static_cast<std::uint64_t>(load.upper());
  Duration run{};
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    run = std::max(run, longest_run(system.tasks[index].work, timing.tasks[index]));
  }
  Duration longest{};
  for (const Actions& actions : all) longest = std::max(longest, actions.period);
  // Beyond this the delays of nodes and of the engine drive each other up without end.
  constexpr std::int64_t max_periods = 64;
  constexpr int max_rounds = 10'000;
  engine.delay_ = timing.engine;
  for (int round = 0; round < max_rounds; ++round) {
    const Duration next = busy_within(all, checked_add(run, engine.delay_));
    if (next / max_periods > longest || engine.burst_ / max_periods > longest) return std::nullopt;
    if (next <= engine.delay_) return engine;
    engine.delay_ = next;
  }
  return std::nullopt;
}

}  // namespace tactus::analysis
