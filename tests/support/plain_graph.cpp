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
};

double largest_sum(std::vector<double> values, std::size_t count) {
  std::sort(values.begin(), values.end(), std::greater<>{});
  double sum = 0;
  for (std::size_t i = 0; i < std::min(count, values.size()); ++i) sum += values[i];
  return sum;
}

/// Without the lateness of each; empty: no bound.
std::vector<double> on_cores(const std::vector<PlainNode>& nodes, double cores, const Policy& policy,
                             const GraphTerms& terms) {
  double load = 0;
  double first = nodes.front().point;
  double longest = 0;
  for (const PlainNode& node : nodes) {
    load += node.work / node.period;
    first = std::min(first, node.point);
    longest = std::max(longest, node.work);
    if (!policy.parallel_jobs && node.work > node.period) return {};
  }
  const bool is_preemptive = cpu_policy(policy).preemptive;
  if (load > cores + 1e-9 || (!policy.parallel_jobs && !is_preemptive)) return {};
  const double others = std::max(0.0, std::ceil(load - 1e-9) - 1);
  std::vector<double> shares;
  double all = 0;
  for (const PlainNode& node : nodes) {
    shares.push_back(node.work * std::max(0.0, 1 - (node.point - first) / node.period));
    if (terms.first_of_each) all += shares.back();
  }
  std::vector<double> responses;
  if (policy.parallel_jobs) {
    const double begun = is_preemptive || !terms.unpreempted ? others : cores;
    for (const PlainNode& node : nodes) {
      const double before = (terms.points ? load * (node.point - first) : 0) + all +
                            (terms.pending ? begun * longest : 0) - node.work;
      responses.push_back(node.work + std::max(0.0, before) / cores);
    }
    return responses;
  }
  double s = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::vector<double> carried;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      carried.push_back(std::max(
          0.0, nodes[i].work / nodes[i].period * (s - nodes[i].work / cores) + nodes[i].work - shares[i]));
    }
    const double next =
        (all + (terms.carried ? largest_sum(carried, static_cast<std::size_t>(others)) : 0)) / cores;
    if (std::abs(next - s) < 1e-7) break;
    s = next;
  }
  for (const PlainNode& node : nodes) {
    responses.push_back((terms.points ? node.point - first : 0) + s - node.work / cores + node.work);
  }
  return responses;
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
              ? std::ranges::none_of(task.work.edges, [&](const Edge& edge) { return edge.to == n; })
              : n == 0;
      if (is_source && terms.late) node.late = number(task.jitter + overheads.release);
      if (server != ServerKind::cpu || (!is_source && !system.policy.early_release)) {
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
  for (const auto& [cores, nodes] : cpu) keep(nodes, on_cores(nodes, cores.second, system.policy, terms), 0);
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
    // As many rounds as there are nodes settle any graph.
    for (std::size_t round = 0; terms.longest_path && round < ends.size(); ++round) {
      for (std::size_t to = 0; to < ends.size(); ++to) {
        if (work.form != WorkForm::graph) {
          if (to > 0) ends[to] = ends[to - 1] + response[t][to];
          continue;
        }
        for (const Edge& edge : work.edges) {
          if (edge.to == to) ends[to] = std::max(ends[to], ends[edge.from] + response[t][to]);
        }
      }
    }
    bounds.push_back(*std::max_element(ends.begin(), ends.end()));
  }
  return bounds;
}

}  // namespace tactus::test
