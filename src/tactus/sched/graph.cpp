// Strategy `graph`: fine-grained graphs, after real-time OpenVX (Yang, Amert, et al., 2018).
//
// Every node is a task of its own: it is released a fixed time after its job, by when its predecessors are
// done (analysis/graph_timing.hpp), and has a priority point of its own on cores that a cluster, or all,
// share (node_gate.hpp, by_node.hpp). Kernels go to the GPU as they come, each in a stream of its own.
#include <string>
#include <vector>

#include "tactus/analysis/graph_timing.hpp"
#include "tactus/sched/strategies.hpp"

namespace tactus::sched {

namespace {

constexpr std::array graph_orders{Order::edf, Order::fair_lateness};

std::vector<std::string> graph_refusals(const System& system, const Capabilities& capabilities) {
  std::vector<std::string> refusals = as_submitted.refusals(system, capabilities);
  if (std::string obstacle = analysis::graph_obstacle(system); !obstacle.empty()) {
    refusals.push_back("the strategy graph " + obstacle);
  }
  for (const Task& task : system.tasks) {
    if (task.on_overrun != OnOverrun::demote) continue;
    refusals.push_back("task '" + task.name + "': the strategy graph cannot demote a job");
  }
  return refusals;
}

}  // namespace

constinit const StrategyEntry graph{.facts = {.name = "graph",
                                              .orders = graph_orders,
                                              .streams_of_tasks = true,
                                              .handed = Handed::nodes,
                                              .times_nodes = true,
                                              .stream_names = streams_of_tasks},
                                    .refusals = graph_refusals,
                                    .make = make_as_submitted};

}  // namespace tactus::sched
