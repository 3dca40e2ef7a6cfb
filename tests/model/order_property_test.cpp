// Orders of the model against their definitions, on random graphs and task sets.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "tactus/model/presets.hpp"
#include "tactus/model/system.hpp"
#include "tactus/model/validate.hpp"

namespace tactus {
namespace {

std::vector<Edge> random_edges(std::size_t nodes, bool acyclic) {
  std::vector<Edge> edges;
  const auto count = *rc::gen::inRange<std::size_t>(0, 2 * nodes);
  std::vector<std::size_t> rank(nodes);
  std::iota(rank.begin(), rank.end(), std::size_t{0});
  // A hidden order that edges follow, so that the file order is not already the answer.
  for (std::size_t i = nodes; i > 1; --i) std::swap(rank[i - 1], rank[*rc::gen::inRange<std::size_t>(0, i)]);
  for (std::size_t i = 0; i < count; ++i) {
    Edge edge{*rc::gen::inRange<std::size_t>(0, nodes), *rc::gen::inRange<std::size_t>(0, nodes)};
    if (edge.from == edge.to) continue;
    if (acyclic && rank[edge.from] > rank[edge.to]) std::swap(edge.from, edge.to);
    const bool given = std::find(edges.begin(), edges.end(), edge) != edges.end();
    if (!given) edges.push_back(edge);
  }
  return edges;
}

RC_GTEST_PROP(TopologicalOrderProperty, PredecessorsComeFirstAndFileOrderDecides, ()) {
  const auto nodes = *rc::gen::inRange<std::size_t>(1, 12);
  const Work work{
      .form = WorkForm::graph, .nodes = std::vector<Node>(nodes), .edges = random_edges(nodes, true)};
  const std::vector<std::size_t> order = topological_order(work);
  RC_ASSERT(order.size() == nodes);
  // Step by step: each node is the first of the file whose predecessors are all done.
  std::vector<bool> done(nodes, false);
  for (const std::size_t node : order) {
    std::size_t first = nodes;
    for (std::size_t candidate = nodes; candidate > 0; --candidate) {
      const bool ready = std::all_of(work.edges.begin(), work.edges.end(), [&](const Edge& edge) {
        return edge.to != candidate - 1 || done[edge.from];
      });
      if (ready && !done[candidate - 1]) first = candidate - 1;
    }
    RC_ASSERT(node == first);
    done[node] = true;
  }
}

RC_GTEST_PROP(TopologicalOrderProperty, ValidationFindsACycleExactlyWhenThereIsNoOrder, ()) {
  const auto nodes = *rc::gen::inRange<std::size_t>(1, 9);
  System system;
  system.platform = *find_preset("jetson-tx2");
  Task task;
  task.name = "g";
  task.period = task.deadline = Duration{1};
  task.work = {.form = WorkForm::graph, .nodes = {}, .edges = random_edges(nodes, false)};
  for (std::size_t i = 0; i < nodes; ++i) {
    task.work.nodes.push_back({std::string(i + 1, 'n'), CpuSegment{Interval::exactly(Duration{1})}});
  }
  system.tasks = {task};
  const std::vector<Violation> violations = validate(system);
  RC_ASSERT(violations.empty() == !topological_order(task.work).empty());
  // Without the edges that were named there is no cycle left.
  Work rest = task.work;
  rest.edges.clear();
  for (std::size_t i = 0; i < task.work.edges.size(); ++i) {
    const std::string path = "tasks[0].graph.edges[" + std::to_string(i) + "]";
    const bool named = std::any_of(violations.begin(), violations.end(),
                                   [&](const Violation& violation) { return violation.path == path; });
    if (!named) rest.edges.push_back(task.work.edges[i]);
  }
  RC_ASSERT(!topological_order(rest).empty());
}

/// The definition of the urgency order, word by word.
bool more_urgent(const Task& a, const Task& b) {
  const bool a_last = a.arrival == Arrival::best_effort;
  const bool b_last = b.arrival == Arrival::best_effort;
  if (a_last != b_last) return b_last;
  if (a.priority.has_value() != b.priority.has_value()) return a.priority.has_value();
  if (a.priority != b.priority) return *a.priority > *b.priority;
  if (a.deadline != b.deadline) return a.deadline && (!b.deadline || *a.deadline < *b.deadline);
  if (a.period != b.period) return a.period && (!b.period || *a.period < *b.period);
  return false;
}

RC_GTEST_PROP(UrgencyOrderProperty, IsTheStrictOrderOfItsDefinition, ()) {
  System system;
  const auto count = *rc::gen::inRange<std::size_t>(0, 12);
  for (std::size_t i = 0; i < count; ++i) {
    Task task;
    task.arrival = *rc::gen::element(Arrival::periodic, Arrival::once, Arrival::best_effort);
    if (*rc::gen::arbitrary<bool>()) task.priority = *rc::gen::inRange(0, 3);
    if (*rc::gen::arbitrary<bool>()) task.deadline = Duration{*rc::gen::inRange(1, 4)};
    if (*rc::gen::arbitrary<bool>()) task.period = Duration{*rc::gen::inRange(1, 4)};
    system.tasks.push_back(task);
  }
  const std::vector<TaskIndex> order = urgency_order(system);
  RC_ASSERT(order.size() == count);
  std::vector<TaskIndex> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (TaskIndex i = 0; i < count; ++i) RC_ASSERT(sorted[i] == i);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      const Task& before = system.tasks[order[i]];
      const Task& after = system.tasks[order[j]];
      RC_ASSERT(!more_urgent(after, before));
      if (!more_urgent(before, after)) RC_ASSERT(order[i] < order[j]);
    }
  }
}

}  // namespace
}  // namespace tactus
