#include "tactus/model/task.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace tactus {

std::vector<NodeGroup> node_groups(const Work& work) {
  std::vector<NodeGroup> groups;
  for (std::size_t node = 0; node < work.nodes.size(); ++node) {
    const std::string& coarse = work.nodes[node].part_of;
    if (node > 0 && !coarse.empty() && coarse == work.nodes[node - 1].part_of) {
      ++groups.back().count;
    } else {
      groups.push_back({.first = node});
    }
  }
  return groups;
}

bool uses_gpu(const Work& work) {
  return std::any_of(work.nodes.begin(), work.nodes.end(), [](const Node& node) {
    return std::holds_alternative<KernelSegment>(node.segment) ||
           std::holds_alternative<GpuSegment>(node.segment) ||
           std::holds_alternative<ExclusiveSegment>(node.segment);
  });
}

std::vector<Edge> edges_within_job(const Work& work) {
  std::vector<Edge> edges;
  std::ranges::copy_if(work.edges, std::back_inserter(edges),
                       [](const Edge& edge) { return edge.delay == 0; });
  return edges;
}

std::vector<Edge> history_edges(const Work& work) {
  std::vector<Edge> edges;
  std::ranges::copy_if(work.edges, std::back_inserter(edges),
                       [](const Edge& edge) { return edge.delay > 0; });
  return edges;
}

std::vector<std::size_t> topological_order(const Work& work) {
  const std::size_t size = work.nodes.size();
  std::vector<std::size_t> order;
  order.reserve(size);
  if (work.form != WorkForm::graph) {
    order.resize(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
  }
  std::vector<std::size_t> waiting_for(size, 0);
  std::vector<std::vector<std::size_t>> successors(size);
  for (const Edge& edge : edges_within_job(work)) {
    ++waiting_for[edge.to];
    successors[edge.from].push_back(edge.to);
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t node = 0; node < size; ++node) {
    if (waiting_for[node] == 0) ready.push(node);
  }
  while (!ready.empty()) {
    const std::size_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const std::size_t successor : successors[node]) {
      if (--waiting_for[successor] == 0) ready.push(successor);
    }
  }
  if (order.size() != size) order.clear();
  return order;
}

namespace {

struct BestCase {
  Duration operator()(const CpuSegment& segment) const { return segment.time.best; }
  Duration operator()(const CopySegment& segment) const { return segment.time.best; }
  Duration operator()(const KernelSegment& segment) const { return segment.block_time.best; }
  Duration operator()(const GpuSegment& segment) const { return segment.work.best; }
  Duration operator()(const ExclusiveSegment& segment) const { return segment.time.best; }
};

}  // namespace

Duration min_time(const Work& work) {
  Time end = origin;
  for (const Node& node : work.nodes) end = saturating_add(end, std::visit(BestCase{}, node.segment));
  return end.time_since_epoch();
}

}  // namespace tactus
