// When nodes are released and how long they take, where a job is a graph of nodes on shared servers (strategy
// `graph`).
//
// Claim: node v of a job is released offset(v) after the job: offset(v) = max over predecessors p of
// offset(p) + R_p, 0 without predecessors; it is done within R_v of that, and so the job within
// max over v of offset(v) + R_v. R_v is the bound of its server (priority_points.hpp for cores, with Y = T
// (EDF) or Y = T - (m-1)/m C (fair lateness), and for copy engines; kernel_fifo.hpp for the GPU). By
// induction over the graph every node is ready at its release. The releases of a node are as far apart as
// those of its jobs.
//
// A node may begin before its release where that is harmless: on cores freely, because the priority point
// remains (early release). Kernels and copies are served as they come, so they come in the order of jobs, at
// least a period apart: e_j = max(ready, e_(j-1) + T), which is no later than the release. They do without
// early release, too: a job that is seen late must not come close to the next one, which may be seen in time.
//
// History edges. Job j of node v may have to wait for node p of job j - d: then also
// offset(v) >= offset(p) + R_p - d T, and v is ready at its release. Along a cycle this needs bounds that add
// up to at most T for each job that it goes back; without that no bound is known. The jobs of a CPU node that
// waits for its own may wait all the same: where R > d T, they run in turn (priority_points.hpp), as all CPU
// nodes do with `parallel_jobs: false`.
//
// Lateness: sources of the graph come with the job's jitter and the `release` overhead late. Where a node
// waits for its release or for its turn, a timer may be `release` late, once more; then kernels and copies
// are so much less than a period apart, and by `launch`. `completion` is on the way back; `copy` and `cpu`
// are parts of the work.
//
// The engine (graph_engine.hpp): with L what a job waits for it at most on a run of kernels and copies, nodes
// on a run come up to L later than without it, so offsets along a run count no wait for the engine. A CPU
// node behind it comes up to L late. Kernels and copies are up to L less than a period apart: their turn
// follows from when the one before could have come without the engine. What a server that takes one node at a
// time loses is in the works of its nodes; in turn each takes L longer. The end of the job is known L later.
//
// Source: Yang, Amert et al. (2018). History, lateness and overheads are ours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/base/ratio_sum.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

struct NodeTiming {
  Duration offset{};
  Duration response{};  // R
  Duration point{};     // of the priority, after the release of the node; of CPU nodes
  Duration late{};      // how long after its release it is ready at the latest, without the engine
};

/// What a server is needed for, and how much of it there is: both in servers of its kind. The rest is slack,
/// without which no bound is known.
struct GraphServer {
  std::string name;
  RatioSum needed;
  std::int64_t available = 1;
};

struct GraphTiming {
  /// Why there is no bound; empty where there is one. Then offsets are longest paths of worst-case times, and
  /// responses these times.
  std::string unbounded;
  std::vector<std::vector<NodeTiming>> tasks;  // by node
  Duration engine{};                           // L
  std::vector<GraphServer> servers;            // cores, copy engines and the SMs, as far as they are used

  [[nodiscard]] bool is_bounded() const { return unbounded.empty(); }
  /// Until the end of a job is known.
  [[nodiscard]] Duration bound_of(TaskIndex task) const;
};

/// Why graphs of these nodes have no timing; empty where they have one.
std::string graph_obstacle(const System& system);

/// For a system without obstacle.
GraphTiming graph_timing(const System& system);

/// Sets the offsets of nodes whose responses are known and offsets are 0; `engine` is L. False, and history
/// edges do not count, where a cycle of them allows none.
bool place_in_time(const Work& work, Duration period, Duration engine, std::vector<NodeTiming>& nodes);

/// Until the last node has ended.
Duration end_to_end(const std::vector<NodeTiming>& nodes);

}  // namespace tactus::analysis
