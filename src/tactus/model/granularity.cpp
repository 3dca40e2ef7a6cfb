#include "tactus/model/granularity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/model/strategy_text.hpp"

namespace tactus {

namespace {

Interval operator+(const Interval& a, const Interval& b) {
  return {checked_add(a.best, b.best), checked_add(a.worst, b.worst)};
}

std::string name_of(const Work& work, std::size_t node) {
  return work.nodes[node].name.empty() ? std::to_string(node) : work.nodes[node].name;
}

// --- What is refused --------------------------------------------------------------------------------------

void refuse_scripts(const Task& task) {
  if (std::ranges::all_of(task.jobs, [](const ScriptedJob& job) { return job.times.empty(); })) return;
  throw InputError{fmt::format("task '{}' has scripted jobs with times of single segments", task.name),
                   "leave `time` out of its `jobs`: the segments are put together here"};
}

void refuse_other_work(const Task& task) {
  for (std::size_t i = 0; i < task.work.nodes.size(); ++i) {
    const Segment& segment = task.work.nodes[i].segment;
    if (server_of(segment) != ServerKind::gpu || std::holds_alternative<KernelSegment>(segment)) continue;
    throw InputError{
        fmt::format("node '{}' of task '{}' is `{}` work: how long it waits for others on the GPU is "
                    "not known",
                    name_of(task.work, i), task.name, kind_name(segment)),
        "give GPU work as `kernel`"};
  }
}

/// Where kernels, or copies, do not come to one queue each, in the order of calls.
void refuse_other_queues(const System& system) {
  if (!system.policy.strategy->streams_of_tasks) {
    throw InputError{fmt::format("under the strategy {} kernels are not served as they come",
                                 system.policy.strategy->name),
                     "choose another for the result, with --strategy: " +
                         strategies_text([](const StrategyFacts& facts) { return facts.streams_of_tasks; })};
  }
  if (copy_order(system.policy) != CopyOrder::fifo) {
    throw InputError{
        "the policy has an order of copies: how long they wait is known where they are served as they come",
        "leave `copies` out, or choose `fifo`"};
  }
  const Task* first = nullptr;
  for (const Task& task : system.tasks) {
    const bool is_cpu_only = std::ranges::all_of(
        task.work.nodes, [](const Node& node) { return server_of(node.segment) == ServerKind::cpu; });
    if (is_cpu_only) continue;
    if (task.budget && task.on_overrun == OnOverrun::abort) {
      throw InputError{
          fmt::format("task '{}' gives jobs up, which may leave a kernel on the GPU and begin the next",
                      task.name),
          "choose another `on_overrun`"};
    }
    if (task.stream) {
      throw InputError{
          fmt::format("the jobs of task '{}' share a stream, in which they wait for each other", task.name),
          "leave `stream` out: then every job has streams of its own"};
    }
    if (first != nullptr && task.stream_priority != first->stream_priority) {
      throw InputError{
          fmt::format("tasks '{}' and '{}' have different stream priorities: kernels overtake each other",
                      first->name, task.name),
          "give all the same `stream_priority`"};
    }
    first = &task;
  }
}

// --- Costs ------------------------------------------------------------------------------------------------

/// Nodes of a task that become one, in the order in which they run.
using Pieces = std::vector<std::size_t>;

/// One node of the result.
struct Piece {
  TaskIndex task = 0;
  Pieces nodes;
  Cores cores;
};

/// The longest operation, by cores.
using AheadOf = std::map<std::pair<std::int32_t, std::int32_t>, Duration>;

/// A copy without time is never issued.
bool is_issued(const Segment& segment) {
  return server_of(segment) != ServerKind::copy || drawn_time(segment).worst > Duration{};
}

class Costs {
 public:
  Costs(const System& system, std::vector<Piece> pieces) : system_{system}, pieces_{std::move(pieces)} {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      Duration kernel{};
      Duration copy{};
      for (const std::size_t node : pieces_[i].nodes) {
        const Segment& segment = segment_of(pieces_[i], node);
        if (server_of(segment) == ServerKind::gpu) {
          kernel = std::max(kernel, whole_time(system_, pieces_[i].task, node).worst);
        } else if (server_of(segment) == ServerKind::copy && is_issued(segment)) {
          copy = std::max(copy, copy_of(segment).worst);
        }
      }
      add(kernels_, i, kernel);
      add(copies_, i, copy);
    }
  }

  [[nodiscard]] NodeCost of(std::size_t index) const {
    const Piece& piece = pieces_[index];
    const Task& task = system_.tasks[piece.task];
    const Overheads& overheads = system_.platform.overheads;
    const Duration call = task.enqueue.value_or(overheads.engine.submit);
    const Duration behind_kernels = ahead_of(index, kernels_).sum;
    const Duration behind_copies = wait_for_engine(ahead_of(index, copies_));
    NodeCost cost{.task = task.name, .node = {}, .cpu = {}, .gpu = {}};
    for (const std::size_t node : piece.nodes) {
      const Segment& segment = segment_of(piece, node);
      const Interval alone = whole_time(system_, piece.task, node);
      switch (server_of(segment)) {
        case ServerKind::cpu:
          cost.cpu = cost.cpu + alone;
          break;
        case ServerKind::copy:
          if (!is_issued(segment)) break;
          cost.gpu = cost.gpu + copy_of(segment) + Interval{{}, call};
          cost.waiting = checked_add(cost.waiting, behind_copies);
          break;
        case ServerKind::gpu:
          cost.gpu = cost.gpu + alone + Interval{{}, overheads.launch} + Interval{{}, overheads.completion} +
                     Interval{{}, call};
          cost.waiting = checked_add(cost.waiting, behind_kernels);
          break;
      }
    }
    return cost;
  }

 private:
  [[nodiscard]] const Segment& segment_of(const Piece& piece, std::size_t node) const {
    return system_.tasks[piece.task].work.nodes[node].segment;
  }
  [[nodiscard]] Interval copy_of(const Segment& segment) const {
    return drawn_time(segment) + Interval{{}, system_.platform.overheads.copy};
  }

  /// Operations of other cores that can be on their way when one comes.
  struct Ahead {
    std::size_t count = 0;
    Duration sum{};
  };

  void add(AheadOf& longest, std::size_t piece, Duration time) const {
    if (time == Duration{}) return;
    const Cores& cores = pieces_[piece].cores;
    Duration& known = longest[{cores.first, cores.count}];
    known = std::max(known, time);
  }

  [[nodiscard]] Ahead ahead_of(std::size_t piece, const AheadOf& longest) const {
    Ahead ahead;
    for (const auto& [cores, longest_of_cores] : longest) {
      const bool is_own = pieces_[piece].cores.first == cores.first;
      const auto others = static_cast<std::size_t>(cores.second - (is_own ? 1 : 0));
      ahead.count += others;
      ahead.sum = checked_add(ahead.sum, checked_mul(longest_of_cores, static_cast<std::int64_t>(others)));
    }
    return ahead;
  }

  [[nodiscard]] Duration wait_for_engine(const Ahead& ahead) const {
    const std::int32_t engines = system_.platform.gpu.copy_engines;
    return ahead.count < static_cast<std::size_t>(engines) ? Duration{} : ahead.sum / engines;
  }

  const System& system_;
  std::vector<Piece> pieces_;
  AheadOf kernels_;
  AheadOf copies_;
};

// --- Work -------------------------------------------------------------------------------------------------

/// The nodes of a task that become one, by the node of the result.
std::vector<Pieces> pieces_of(const Work& work, Granularity granularity) {
  if (granularity == Granularity::monolithic) return {topological_order(work)};
  std::vector<Pieces> pieces;
  for (const NodeGroup& group : node_groups(work)) {
    Pieces& piece = pieces.emplace_back();
    for (std::size_t node = group.first; node < group.first + group.count; ++node) piece.push_back(node);
  }
  return pieces;
}

/// Edges between pieces: every piece waits for all of another when a node of it waited for one of the other.
/// A file has one edge between two nodes, so what waits for this job and for an earlier one, too, waits
/// through the node before, whose jobs wait for each other then.
std::vector<Edge> edges_between(const Work& work, const std::vector<std::size_t>& piece_of) {
  std::vector<Edge> edges;
  std::set<std::pair<std::size_t, std::size_t>> within;
  for (const Edge& edge : work.edges) {
    const Edge between{.from = piece_of[edge.from], .to = piece_of[edge.to]};
    if (edge.delay > 0 || between.from == between.to) continue;
    if (within.emplace(between.from, between.to).second) edges.push_back(between);
  }
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> delays;
  for (const Edge& edge : work.edges) {
    if (edge.delay == 0) continue;
    const std::size_t from = piece_of[edge.from];
    const std::size_t to = within.contains({from, piece_of[edge.to]}) ? from : piece_of[edge.to];
    const auto [known, is_new] = delays.try_emplace({from, to}, edge.delay);
    if (!is_new) known->second = std::min(known->second, edge.delay);
  }
  for (const auto& [ends, delay] : delays) {
    edges.push_back({.from = ends.first, .to = ends.second, .delay = delay});
  }
  return edges;
}

Work work_of(const Task& task, const std::vector<Pieces>& pieces, Granularity granularity) {
  const Work& work = task.work;
  Work result;
  result.form = work.form == WorkForm::graph || granularity == Granularity::monolithic ? WorkForm::graph
                                                                                       : WorkForm::chain;
  std::vector<std::size_t> piece_of(work.nodes.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (const std::size_t node : pieces[i]) piece_of[node] = i;
    const Node& first = work.nodes[pieces[i].front()];
    Node& node = result.nodes.emplace_back();
    if (granularity == Granularity::monolithic) {
      node.name = "frame";
    } else {
      node.name = first.part_of.empty() ? first.name : first.part_of;
      node.core = first.core;
    }
  }
  if (result.form != WorkForm::graph) return result;
  result.edges = edges_between(work, piece_of);
  if (topological_order(result).empty()) {
    throw InputError{
        fmt::format("the coarse nodes of task '{}' wait for each other in a circle", task.name),
        "an edge leads into or out of the middle of a node: let it lead to the node, or give its parts to "
        "two nodes"};
  }
  return result;
}

/// Nothing of the task goes to the GPU any more.
void forget_gpu(Task& task) {
  task.enqueue.reset();
  task.stream.reset();
  task.launcher = false;
  task.dispatch = Dispatch::launch;
  task.gpu_priority.reset();
  task.preemptible = false;
  task.wait = Waiting::suspend;  // it keeps its core anyway
}

System split(System system) {
  for (Task& task : system.tasks) {
    for (Node& node : task.work.nodes) node.part_of.clear();
  }
  return system;
}

}  // namespace

Interval NodeCost::time() const { return cpu + gpu + Interval{{}, waiting}; }

Regrouped regroup(const System& system, Granularity granularity) {
  if (granularity == Granularity::fine) return {split(system), {}};
  refuse_other_queues(system);
  Regrouped result{system, {}};
  CpuChoice cpu = system.policy.cpu.value_or(CpuChoice{});
  cpu.preemptive = false;
  result.system.policy.cpu = cpu;
  result.system.virtual_sms.clear();
  std::vector<Piece> pieces;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    refuse_scripts(task);
    refuse_other_work(task);
    const std::vector<Pieces> of_task = pieces_of(task.work, granularity);
    Task& changed = result.system.tasks[index];
    changed.work = work_of(task, of_task, granularity);
    forget_gpu(changed);
    for (std::size_t i = 0; i < of_task.size(); ++i) {
      pieces.push_back({.task = index,
                        .nodes = of_task[i],
                        .cores = cores_of(result.system, index, changed.work.nodes[i])});
    }
  }
  const Costs costs{system, std::move(pieces)};
  std::size_t next = 0;
  for (Task& task : result.system.tasks) {
    for (std::size_t i = 0; i < task.work.nodes.size(); ++i) {
      NodeCost& cost = result.nodes.emplace_back(costs.of(next++));
      cost.node = name_of(task.work, i);
      task.work.nodes[i].segment = CpuSegment{cost.time()};
    }
  }
  return result;
}

}  // namespace tactus
