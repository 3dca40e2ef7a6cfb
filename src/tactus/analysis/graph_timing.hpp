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
// least a period apart: e_j = max(ready, e_(j-1) + T), which is no later than the release.
//
// Lateness: sources of the graph come with the job's jitter and the `release` overhead late. Where a node
// waits for its release or for its turn, a timer may be `release` late, once more; then kernels and copies
// are so much less than a period apart, and by `launch`. `completion` is on the way back; `copy` and `cpu`
// are parts of the work.
//
// Source: Yang, Amert et al. (2018). Lateness and overheads are ours.
#pragma once

#include <string>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::analysis {

struct NodeTiming {
  Duration offset{};
  Duration response{};  // R
  Duration point{};     // of the priority, after the release of the job; of CPU nodes
};

struct GraphTiming {
  /// Why there is no bound; empty where there is one. Then offsets are longest paths of worst-case times, and
  /// responses these times.
  std::string unbounded;
  std::vector<std::vector<NodeTiming>> tasks;  // by node

  [[nodiscard]] bool is_bounded() const { return unbounded.empty(); }
};

/// Why graphs of these nodes have no timing; empty where they have one.
std::string graph_obstacle(const System& system);

/// For a system without obstacle.
GraphTiming graph_timing(const System& system);

/// Sets the offsets of nodes whose responses are known, and counts their points, which are after the release
/// of the node, from the release of the job.
void place_in_time(const Work& work, std::vector<NodeTiming>& nodes);

/// The bound of a task.
Duration end_to_end(const std::vector<NodeTiming>& nodes);

}  // namespace tactus::analysis
