#include "tactus/analysis/graph_timing.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tactus/analysis/graph_engine.hpp"
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
  Duration late{};             // how long after its release it comes to its server
  Duration spread{};           // by how much less than a period two of them may be apart there
  std::int64_t own_delay = 0;  // how many jobs back it waits for itself
  bool in_turn = false;
};

bool comes_with_its_job(const Work& work, std::size_t node) {
  if (work.form == WorkForm::chain) return node == 0;
  return std::ranges::none_of(work.edges,
                              [&](const Edge& edge) { return edge.to == node && edge.delay == 0; });
}

/// How many jobs back a node waits for itself; 0: for none.
std::int64_t own_delay(const Work& work, std::size_t node) {
  const auto own = std::ranges::find_if(
      work.edges, [&](const Edge& edge) { return edge.from == node && edge.to == node; });
  return own == work.edges.end() ? 0 : own->delay;
}

bool waits_for_earlier_jobs(const Work& work, std::size_t node) {
  return std::ranges::any_of(
      work.edges, [&](const Edge& edge) { return edge.to == node && edge.from != node && edge.delay > 0; });
}

class TimingOfGraphs {
 public:
  TimingOfGraphs(const System& system, const EngineOfGraphs& engine) : system_{system}, engine_{engine} {
    result_.engine = engine.delay();
    for (const Task& task : system.tasks) result_.tasks.emplace_back(task.work.nodes.size());
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      for (std::size_t node = 0; node < system.tasks[task].work.nodes.size(); ++node) add(task, node);
    }
  }

  GraphTiming refused(std::string why) {
    refuse(std::move(why));
    forget_responses();
    place_all();
    return std::move(result_);
  }

  GraphTiming find() {
    for (auto& [cores, nodes] : on_cores_) {
      do {
        serve_on_cores({.first = cores.first, .count = cores.second}, nodes);
      } while (result_.is_bounded() && take_in_turn(nodes));
    }
    serve_copies();
    serve_kernels();
    if (result_.is_bounded()) place_all();
    if (!result_.is_bounded()) return refused({});
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
    const bool is_source = comes_with_its_job(task.work, node);
    if (is_source) place.late = checked_add(task.jitter, timer);
    timing_of(place).late = place.late;
    const bool has_offset = !is_source || waits_for_earlier_jobs(task.work, node);
    if (server != ServerKind::cpu || (has_offset && !system_.policy.early_release)) {
      place.late = checked_add(place.late, timer);
      place.spread = timer;
    }
    if (server != ServerKind::gpu && drawn_time(segment).worst == Duration{}) {
      timing_of(place).response = place.late;  // it is never submitted
      return;
    }
    Duration& delayed = server == ServerKind::cpu ? place.late : place.spread;
    delayed = checked_add(delayed, engine_.delay());
    if (server == ServerKind::cpu) {
      place.own_delay = system_.policy.parallel_jobs ? own_delay(task.work, node) : 1;
      place.in_turn = !system_.policy.parallel_jobs;
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

  void serve_on_cores(Cores cluster, const std::vector<NodePlace>& nodes) {
    const std::int64_t cores = cluster.count;
    RatioSum needed;
    const bool is_preemptive = cpu_policy(system_.policy).preemptive;
    std::vector<PointSource> sources;
    for (const NodePlace& place : nodes) {
      Duration work = checked_add(drawn_time(segment_of(place)).worst, system_.platform.overheads.cpu);
      if (place.in_turn) work = checked_add(work, engine_.delay());
      if (!is_preemptive) work = engine_.stretched(work);
      needed.add({work.count(), task_of(place).period->count()});
      const Duration point = point_of(place, work, cores);
      timing_of(place).point = point;
      const PointSource source{work, *task_of(place).period, point - place.late, place.in_turn};
      if (place.in_turn && place.own_delay > 1 && !is_preemptive) {
        return refuse("cores are not preempted, and jobs of task '" + task_of(place).name +
                      "' may have to wait for those " + std::to_string(place.own_delay) + " before them");
      }
      if (place.in_turn) {
        add_in_turn(source, place.own_delay, sources);
      } else {
        sources.push_back(source);
      }
    }
    const std::optional<std::vector<Duration>> responses =
        responses_on_cores(sources, cores, is_preemptive, is_preemptive ? Duration{} : engine_.lost());
    if (!responses) {
      const bool has_turns = std::ranges::any_of(nodes, [](const NodePlace& node) { return node.in_turn; });
      return refuse(
          has_turns ? "CPU nodes need more time than their cores have, or one more than until its next turn"
                    : "CPU nodes need more time than their cores have");
    }
    const std::string last = cores == 1 ? "" : " to " + std::to_string(cluster.first + cluster.count - 1);
    serves(
        GraphServer{(cores == 1 ? "core " : "cores ") + std::to_string(cluster.first) + last, needed, cores});
    std::size_t source = 0;
    for (const NodePlace& place : nodes) {
      timing_of(place).response = checked_add(place.late, (*responses)[source]);
      source += place.in_turn ? static_cast<std::size_t>(place.own_delay) : 1;
    }
  }

  /// Once more where nodes turned out to run in turn.
  void serves(GraphServer server) {
    std::vector<GraphServer>& servers = result_.servers;
    const auto known = std::ranges::find(servers, server.name, &GraphServer::name);
    if (known == servers.end()) {
      servers.push_back(std::move(server));
    } else {
      *known = std::move(server);
    }
  }

  /// So many sources, each with every so-manieth job.
  static void add_in_turn(PointSource source, std::int64_t delay, std::vector<PointSource>& sources) {
    source.period = checked_mul(source.period, delay);
    for (std::int64_t i = 0; i < delay; ++i) sources.push_back(source);
  }

  /// Nodes whose jobs may have to wait for their own earlier ones. Whether there are new ones.
  bool take_in_turn(std::vector<NodePlace>& nodes) {
    bool has_new = false;
    for (NodePlace& place : nodes) {
      if (place.in_turn || place.own_delay == 0) continue;
      if (timing_of(place).response <= checked_mul(*task_of(place).period, place.own_delay)) continue;
      place.in_turn = true;
      has_new = true;
    }
    return has_new;
  }

  void place_all() {
    for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
      const Task& task = system_.tasks[index];
      if (place_in_time(task.work, *task.period, engine_.delay(), result_.tasks[index])) continue;
      refuse("task '" + task.name +
             "': results of earlier jobs may come later than the nodes that need them are released");
    }
  }

  void keep(const std::vector<NodePlace>& nodes, const std::vector<Duration>& responses, Duration more) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      timing_of(nodes[i]).response = checked_add(nodes[i].late, checked_add(responses[i], more));
    }
  }

  void serve_copies() {
    if (copies_.empty()) return;
    std::vector<RequestSource> sources;
    RatioSum needed;
    for (const NodePlace& place : copies_) {
      const Duration work = checked_add(drawn_time(segment_of(place)).worst, system_.platform.overheads.copy);
      sources.push_back({engine_.stretched(work), *task_of(place).period, place.spread});
      needed.add({sources.back().work.count(), sources.back().period.count()});
    }
    const std::optional<std::vector<Duration>> responses =
        responses_at_engines(sources, system_.platform.gpu.copy_engines, engine_.lost());
    if (!responses) return refuse("copies need more time than the copy engines have");
    serves({"copy engines", needed, system_.platform.gpu.copy_engines});
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
      return refuse("kernels may keep the SMs for " + to_decimal(fifo.load(), Rounding::up) +
                    " of their time, blocks that do not fit included");
    }
    serves({"SMs", fifo.load(), 1});
    std::vector<Duration> responses;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      responses.push_back(checked_add(fifo.waiting(i), sources[i].kernel->block_time.worst));
    }
    keep(kernels_, responses, system_.platform.overheads.completion);
  }

  void forget_responses() {
    for (TaskIndex task = 0; task < system_.tasks.size(); ++task) {
      for (std::size_t node = 0; node < result_.tasks[task].size(); ++node) {
        result_.tasks[task][node].offset = {};
        result_.tasks[task][node].response = drawn_time(system_.tasks[task].work.nodes[node].segment).worst;
      }
    }
  }

  const System& system_;
  EngineOfGraphs engine_;
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

bool place_in_time(const Work& work, Duration period, Duration engine, std::vector<NodeTiming>& nodes) {
  const auto follow = [&](std::size_t from, std::size_t to) {
    nodes[to].offset = std::max(nodes[to].offset, checked_add(nodes[from].offset, nodes[from].response));
  };
  if (work.form != WorkForm::graph) {
    for (std::size_t node = 1; node < nodes.size(); ++node) follow(node - 1, node);
    return true;
  }
  std::vector<std::vector<std::size_t>> successors(nodes.size());
  for (const Edge& edge : edges_within_job(work)) successors[edge.from].push_back(edge.to);
  const std::vector<std::size_t> order = topological_order(work);
  const auto follow_all = [&] {
    for (const std::size_t node : order) {
      for (const std::size_t successor : successors[node]) follow(node, successor);
    }
  };
  follow_all();
  const std::vector<Edge> earlier = history_edges(work);
  // A longest path without a cycle has every node at most once.
  for (std::size_t round = 0; round <= nodes.size(); ++round) {
    bool has_changed = false;
    for (const Edge& edge : earlier) {
      if (edge.from == edge.to && server_of(work.nodes[edge.to].segment) == ServerKind::cpu) continue;
      Duration done = checked_add(nodes[edge.from].offset, nodes[edge.from].response);
      if (server_of(work.nodes[edge.from].segment) != ServerKind::cpu) done = checked_add(done, engine);
      const Duration ready = done - std::min(done, checked_mul(period, edge.delay));
      if (ready <= nodes[edge.to].offset) continue;
      nodes[edge.to].offset = ready;
      has_changed = true;
    }
    if (!has_changed) return true;
    follow_all();
  }
  for (NodeTiming& node : nodes) node.offset = {};
  follow_all();
  return false;
}

GraphTiming graph_timing(const System& system) {
  constexpr int max_rounds = 1000;
  EngineOfGraphs engine;
  for (int round = 0; round < max_rounds; ++round) {
    GraphTiming timing = TimingOfGraphs{system, engine}.find();
    if (!timing.is_bounded() || !has_engine_time(system)) return timing;
    const std::optional<EngineOfGraphs> next = engine_of_graphs(system, timing);
    if (!next) break;
    if (*next == engine) return timing;
    engine = *next;
  }
  return TimingOfGraphs{system, {}}.refused(
      "the engine needs almost all the time there is, or its delays and those of nodes drive each other up");
}

Duration GraphTiming::bound_of(TaskIndex task) const { return checked_add(end_to_end(tasks[task]), engine); }

Duration end_to_end(const std::vector<NodeTiming>& nodes) {
  Duration last{};
  for (const NodeTiming& node : nodes) last = std::max(last, checked_add(node.offset, node.response));
  return last;
}

}  // namespace tactus::analysis
