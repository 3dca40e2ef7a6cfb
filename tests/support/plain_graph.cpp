#include "support/plain_graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <variant>

namespace tactus::test {

namespace {

double number(Duration duration) { return static_cast<double>(in_ns(duration)); }

struct PlainNode {
  std::size_t task = 0;
  std::size_t node = 0;
  double work = 0;
  double period = 1;
  double point = 0;
  double late = 0;
  double spread = 0;
  int own_delay = 0;
  bool in_turn = false;
};

double largest_sum(std::vector<double> values, std::size_t count) {
  std::sort(values.begin(), values.end(), std::greater<>{});
  double sum = 0;
  for (std::size_t i = 0; i < std::min(count, values.size()); ++i) sum += values[i];
  return sum;
}

/// Without the lateness of each; empty: no bound.
std::vector<double> on_cores(const std::vector<PlainNode>& all_nodes, double cores, bool is_preemptive,
                             const GraphTerms& terms) {
  // A node that waits for the job that is d before is d nodes with every d-th job.
  std::vector<PlainNode> nodes;
  std::vector<std::size_t> first_of;
  for (const PlainNode& node : all_nodes) {
    first_of.push_back(nodes.size());
    PlainNode one = node;
    if (node.in_turn && node.own_delay > 1 && !is_preemptive) return {};
    if (node.in_turn) one.period *= node.own_delay;
    for (int i = 0; i < (node.in_turn ? node.own_delay : 1); ++i) nodes.push_back(one);
  }
  double load = 0;
  double first = nodes.front().point;
  for (const PlainNode& node : nodes) {
    load += node.work / node.period;
    first = std::min(first, node.point);
    if (node.in_turn && node.work > node.period) return {};
  }
  if (load > cores + 1e-9) return {};
  double begun = std::max(0.0, std::ceil(load - 1e-9) - 1);
  if (!is_preemptive && terms.unpreempted) begun = cores;
  std::vector<double> shares;
  double all = 0;
  for (const PlainNode& node : nodes) {
    shares.push_back(node.work * std::max(0.0, 1 - (node.point - first) / node.period));
    if (terms.first_of_each) all += shares.back();
  }
  const auto response = [&](const PlainNode& node, double s) {
    const double later = terms.points ? node.point - first : 0;
    return node.work + std::max(0.0, (node.in_turn ? later : load * later / cores) + s - node.work / cores);
  };
  double s = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::vector<double> carried;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const PlainNode& node = nodes[i];
      double pending = node.work - shares[i];
      for (double before = node.period; before < node.work; before += node.period) {
        pending += node.work - before;
      }
      if (terms.late_jobs) {
        pending += node.work / node.period * (response(node, s) - node.work - (node.point - first));
      }
      if (node.in_turn) {
        const double least = is_preemptive ? 0 : node.work;
        carried.push_back(terms.carried ? std::max(least, pending) : least);
        continue;
      }
      for (double slot = 0; slot < begun && terms.pending; ++slot) {
        carried.push_back(is_preemptive ? std::clamp(pending, 0.0, node.work) : node.work);
        pending -= node.work;
      }
    }
    const double next = (all + largest_sum(carried, static_cast<std::size_t>(begun))) / cores;
    if (next > 1e15) return {};
    if (std::abs(next - s) < 1e-7) break;
    s = next;
  }
  std::vector<double> responses;
  for (const std::size_t i : first_of) responses.push_back(response(nodes[i], s));
  return responses;
}

/// Nodes whose jobs may come before their own earlier ones are done run in turn.
std::vector<double> with_turns(std::vector<PlainNode> nodes, double cores, const Policy& policy,
                               const GraphTerms& terms) {
  for (PlainNode& node : nodes) node.in_turn = !policy.parallel_jobs;
  while (true) {
    std::vector<double> found = on_cores(nodes, cores, cpu_policy(policy).preemptive, terms);
    bool is_new = false;
    for (std::size_t i = 0; i < found.size(); ++i) {
      PlainNode& node = nodes[i];
      if (node.in_turn || node.own_delay == 0 || !terms.turns) continue;
      if (node.late + found[i] <= node.period * node.own_delay) continue;
      node.in_turn = true;
      is_new = true;
    }
    if (!is_new) return found;
  }
}

std::vector<double> at_engines(const std::vector<PlainNode>& nodes, double engines, const GraphTerms& terms) {
  double load = 0;
  double all = 0;
  double longest = 0;
  for (const PlainNode& node : nodes) {
    load += node.work / node.period;
    all += node.work * (1 + node.spread / node.period);
    longest = std::max(longest, node.work);
  }
  if (load > engines + 1e-9) return {};
  std::vector<double> responses;
  for (const PlainNode& node : nodes) {
    const double before =
        (terms.other_copies ? all - node.work : 0) + (terms.other_engines ? (engines - 1) * longest : 0);
    responses.push_back(node.work + before / engines);
  }
  return responses;
}

}  // namespace

std::vector<double> plain_graph_bounds(const System& system, const GraphTerms& terms) {
  const Overheads& overheads = system.platform.overheads;
  std::vector<std::vector<double>> response;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<PlainNode>> cpu;
  std::vector<PlainNode> copies;
  std::vector<PlainNode> kernels;
  for (std::size_t t = 0; t < system.tasks.size(); ++t) {
    const Task& task = system.tasks[t];
    response.emplace_back(task.work.nodes.size());
    for (std::size_t n = 0; n < task.work.nodes.size(); ++n) {
      const Segment& segment = task.work.nodes[n].segment;
      const ServerKind server = server_of(segment);
      PlainNode node{.task = t, .node = n, .period = number(*task.period)};
      const bool is_source =
          task.work.form == WorkForm::graph
              ? std::ranges::none_of(task.work.edges,
                                     [&](const Edge& edge) { return edge.to == n && edge.delay == 0; })
              : n == 0;
      bool is_placed = !is_source;
      node.own_delay = system.policy.parallel_jobs ? 0 : 1;
      for (const Edge& edge : task.work.edges) {
        if (edge.delay == 0 || edge.to != n) continue;
        if (edge.from != n) is_placed = true;
        if (edge.from == n && system.policy.parallel_jobs) node.own_delay = static_cast<int>(edge.delay);
      }
      if (is_source && terms.late) node.late = number(task.jitter + overheads.release);
      if (server != ServerKind::cpu || (is_placed && !system.policy.early_release)) {
        if (terms.timers) node.late += number(overheads.release);
        if (terms.spread) node.spread = number(overheads.release);
      }
      node.work = number(drawn_time(segment).worst);
      if (server == ServerKind::gpu) {
        node.late += number(overheads.launch);
        if (terms.spread) node.spread += number(overheads.launch);
        kernels.push_back(node);
      } else if (node.work == 0) {
        response[t][n] = node.late;
      } else if (server == ServerKind::copy) {
        node.work += number(overheads.copy);
        copies.push_back(node);
      } else {
        node.work += number(overheads.cpu);
        const Cores cores = cores_of(system, static_cast<TaskIndex>(t), task.work.nodes[n]);
        node.point = node.period - node.late;
        if (system.policy.order == Order::fair_lateness) {
          node.point -= std::floor(node.work * (cores.count - 1) / cores.count);
        }
        cpu[{cores.first, cores.count}].push_back(node);
      }
    }
  }
  bool is_bounded = true;
  const auto keep = [&](const std::vector<PlainNode>& nodes, const std::vector<double>& found, double more) {
    is_bounded = is_bounded && found.size() == nodes.size();
    for (std::size_t i = 0; i < nodes.size() && is_bounded; ++i) {
      response[nodes[i].task][nodes[i].node] = nodes[i].late + found[i] + more;
    }
  };
  for (const auto& [cores, nodes] : cpu) {
    keep(nodes, with_turns(nodes, cores.second, system.policy, terms), 0);
  }
  keep(copies, at_engines(copies, system.platform.gpu.copy_engines, terms), 0);
  std::vector<PlainKernel> sources;
  for (const PlainNode& node : kernels) {
    sources.push_back({&std::get<KernelSegment>(system.tasks[node.task].work.nodes[node.node].segment),
                       node.period, node.spread});
  }
  if (!kernels.empty()) {
    keep(kernels, plain_kernel_responses(sources, system.platform.gpu, terms.kernels),
         terms.completion ? number(overheads.completion) : 0);
  }
  if (!is_bounded) return {};
  std::vector<double> bounds;
  for (std::size_t t = 0; t < system.tasks.size(); ++t) {
    const Work& work = system.tasks[t].work;
    std::vector<double> ends = response[t];
    // As many rounds as there are nodes settle any graph without a cycle.
    bool is_settled = !terms.longest_path;
    for (std::size_t round = 0; !is_settled && round <= 2 * ends.size(); ++round) {
      const std::vector<double> before = ends;
      for (std::size_t to = 0; to < ends.size(); ++to) {
        if (work.form != WorkForm::graph) {
          if (to > 0) ends[to] = ends[to - 1] + response[t][to];
          continue;
        }
        for (const Edge& edge : work.edges) {
          const bool is_own = edge.from == to && server_of(work.nodes[to].segment) == ServerKind::cpu;
          if (edge.to != to || is_own || (edge.delay > 0 && !terms.history)) continue;
          const double ready =
              ends[edge.from] - static_cast<double>(edge.delay) * number(*system.tasks[t].period);
          ends[to] = std::max(ends[to], ready + response[t][to]);
        }
      }
      is_settled = ends == before;
    }
    if (!is_settled) return {};
    bounds.push_back(*std::max_element(ends.begin(), ends.end()));
  }
  return bounds;
}

}  // namespace tactus::test
