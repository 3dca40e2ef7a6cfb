#include "tactus/analysis/graph_timing.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "tactus/analysis/kernel_fifo.hpp"
#include "tactus/analysis/priority_points.hpp"
#include "tactus/base/exact.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

namespace {

/// A node of a task, and its place among the work of its server.
struct NodePlace {
  TaskIndex task = 0;
  std::size_t node = 0;
  Duration late{};    // how long after its release it comes to its server
  Duration spread{};  // by how much less than a period two of them may be apart there
};

bool has_predecessors(const Work& work, std::size_t node) {
  if (work.form == WorkForm::chain) return node > 0;
  return std::ranges::any_of(work.edges, [&](const Edge& edge) { return edge.to == node; });
}

class TimingOfGraphs {
 public:
  explicit TimingOfGraphs(const System& system) : system_{system} {
    for (const Task& task : system.tasks) result_.tasks.emplace_back(task.work.nodes.size());
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      for (std::size_t node = 0; node < system.tasks[task].work.nodes.size(); ++node) add(task, node);
    }
  }

  GraphTiming find() {
    for (const auto& [cores, nodes] : on_cores_) serve_on_cores(cores.second, nodes);
    serve_copies();
    serve_kernels();
    if (!result_.is_bounded()) forget_responses();
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      place_in_time(system_.tasks[task].work, result_.tasks[task]);
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Task& task_of(const NodePlace& place) const { return system_.tasks[place.task]; }
  [[nodiscard]] const Segment& segment_of(const NodePlace& place) const {
    return task_of(place).work.nodes[place.node].segment;
  }
  [[nodiscard]] NodeTiming& timing_of(const NodePlace& place) {
    return result_.tasks[place.task][place.node];
  }

  void add(TaskIndex index, std::size_t node) {
    const Task& task = system_.tasks[index];
    const Segment& segment = task.work.nodes[node].segment;
    const ServerKind server = server_of(segment);
    NodePlace place{index, node, {}, {}};
    const Duration timer = system_.platform.overheads.release;
    const bool is_source = !has_predecessors(task.work, node);
    if (is_source) place.late = checked_add(task.jitter, timer);
    if (server != ServerKind::cpu || (!is_source && !system_.policy.early_release)) {
      place.late = checked_add(place.late, timer);
      place.spread = timer;
    }
    if (server != ServerKind::gpu && drawn_time(segment).worst == Duration{}) {
      timing_of(place).response = place.late;  // it is never submitted
      return;
    }
    if (server == ServerKind::cpu) {
      const Cores cores = cores_of(system_, index, task.work.nodes[node]);
      on_cores_[{cores.first, cores.count}].push_back(place);
    } else {
      (server == ServerKind::copy ? copies_ : kernels_).push_back(place);
    }
  }

  void refuse(std::string why) {
    if (result_.unbounded.empty()) result_.unbounded = std::move(why);
  }

  /// Y of a node on so many cores, without its lateness.
  [[nodiscard]] Duration point_of(const NodePlace& place, Duration work, std::int64_t cores) const {
    const Duration period = *task_of(place).period;
    if (system_.policy.order != Order::fair_lateness) return period;
    return period - Duration{static_cast<std::int64_t>(Int128{work.count()} * (cores - 1) / cores)};
  }

  void serve_on_cores(std::int64_t cores, const std::vector<NodePlace>& nodes) {
    std::vector<PointSource> sources;
    for (const NodePlace& place : nodes) {
      const Duration work = checked_add(drawn_time(segment_of(place)).worst, system_.platform.overheads.cpu);
      const Duration point = point_of(place, work, cores);
      timing_of(place).point = point;
      sources.push_back({work, *task_of(place).period, point - place.late});
    }
    const bool is_preemptive = cpu_policy(system_.policy).preemptive;
    if (!system_.policy.parallel_jobs && !is_preemptive) {
      return refuse("no bound is known for sequential jobs that are not preempted");
    }
    const JobsOfSource jobs =
        !system_.policy.parallel_jobs
            ? JobsOfSource::sequential
            : (is_preemptive ? JobsOfSource::parallel : JobsOfSource::parallel_without_preemption);
    const std::optional<std::vector<Duration>> responses = responses_on_cores(sources, cores, jobs);
    if (!responses) {
      return refuse(jobs == JobsOfSource::sequential
                        ? "CPU nodes need more time than their cores have, or one more than its period"
                        : "CPU nodes need more time than their cores have");
    }
    keep(nodes, *responses, {});
  }

  void keep(const std::vector<NodePlace>& nodes, const std::vector<Duration>& responses, Duration more) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      timing_of(nodes[i]).response = checked_add(nodes[i].late, checked_add(responses[i], more));
    }
  }

  void serve_copies() {
    std::vector<RequestSource> sources;
    for (const NodePlace& place : copies_) {
      sources.push_back({checked_add(drawn_time(segment_of(place)).worst, system_.platform.overheads.copy),
                         *task_of(place).period, place.spread});
    }
    const std::optional<std::vector<Duration>> responses =
        responses_at_engines(sources, system_.platform.gpu.copy_engines);
    if (!responses) return refuse("copies need more time than the copy engines have");
    keep(copies_, *responses, {});
  }

  void serve_kernels() {
    if (kernels_.empty()) return;
    std::vector<KernelSource> sources;
    for (NodePlace& place : kernels_) {
      place.late = checked_add(place.late, system_.platform.overheads.launch);
      place.spread = checked_add(place.spread, system_.platform.overheads.launch);
      sources.push_back(
          {std::get_if<KernelSegment>(&segment_of(place)), task_of(place).period, place.spread});
    }
    const KernelFifo fifo{sources, system_.platform.gpu};
    if (!fifo.is_bounded()) {
      return refuse("kernels may keep the SMs for " + fifo.load() +
                    " of their time, blocks that do not fit included");
    }
    std::vector<Duration> responses;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      responses.push_back(checked_add(fifo.waiting(i), sources[i].kernel->block_time.worst));
    }
    keep(kernels_, responses, system_.platform.overheads.completion);
  }

  void forget_responses() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      for (std::size_t node = 0; node < result_.tasks[task].size(); ++node) {
        result_.tasks[task][node].response = drawn_time(system_.tasks[task].work.nodes[node].segment).worst;
      }
    }
  }

  const System& system_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<NodePlace>> on_cores_;
  std::vector<NodePlace> copies_;
  std::vector<NodePlace> kernels_;
  GraphTiming result_;
};

}  // namespace

std::string graph_obstacle(const System& system) {
  const std::optional<CpuChoice>& cpu = system.policy.cpu;
  if (cpu && (cpu->order || cpu->scope != CpuScope::partitioned)) {
    return "needs `order` and `clusters` in the place of `cpu: {order, scope}`";
  }
  if (copy_order(system.policy) != CopyOrder::fifo) return "needs copies as they come: leave `copies` out";
  for (const Task& task : system.tasks) {
    const std::string who = "task '" + task.name + "' ";
    if (!task.period) return "needs tasks that repeat: " + who + "has no period";
    // Its thread makes one call after the other, and jobs may overlap.
    if (task.launcher) return "needs work that the engine launches: " + who + "has a launcher";
    if (task.wait == Waiting::busy) return "needs tasks that give their core away: " + who + "waits busily";
    for (const Node& node : task.work.nodes) {
      if (server_of(node.segment) == ServerKind::gpu &&
          !std::holds_alternative<KernelSegment>(node.segment)) {
        return "needs GPU work given as kernels: " + who + "has `exclusive` or `gpu` work";
      }
    }
  }
  return {};
}

void place_in_time(const Work& work, std::vector<NodeTiming>& nodes) {
  const auto follow = [&](std::size_t from, std::size_t to) {
    nodes[to].offset = std::max(nodes[to].offset, checked_add(nodes[from].offset, nodes[from].response));
  };
  if (work.form == WorkForm::graph) {
    for (const std::size_t node : topological_order(work)) {
      for (const Edge& edge : work.edges) {
        if (edge.from == node) follow(node, edge.to);
      }
    }
  } else {
    for (std::size_t node = 1; node < nodes.size(); ++node) follow(node - 1, node);
  }
  for (NodeTiming& node : nodes) node.point = checked_add(node.offset, node.point);
}

GraphTiming graph_timing(const System& system) { return TimingOfGraphs{system}.find(); }

Duration end_to_end(const std::vector<NodeTiming>& nodes) {
  Duration last{};
  for (const NodeTiming& node : nodes) last = std::max(last, checked_add(node.offset, node.response));
  return last;
}

}  // namespace tactus::analysis
