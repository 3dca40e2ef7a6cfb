// The same work in coarser or finer pieces: every step a node, every coarse node one piece that keeps its
// core, or the whole job one piece.
//
// Claim. In the coarse and the monolithic system a node keeps its core from its beginning to its end, also
// while the GPU works for it: cores do not preempt (`cpu: {preemptive: false}` is part of the
// transformation). It calls one GPU operation after the other and waits for each, or calls several in one
// stream and waits for the last: an operation joins its queue when it is first in its stream. All streams
// have one priority, and none is shared. Then a node takes no longer on its core than its time here:
//   CPU part   its own time
//   kernel k   launch + A_k + W + completion, A = ceil(blocks / blocks that the GPU holds) * block time: what
//   it
//              takes alone
//   copy       its time with the copy overhead, + W'
// and what the function needs to make each call (`enqueue`, or the engine's `submit`). W is the sum of A over
// the kernels that can be on the GPU besides: one on every other core. W' is the same sum of copies by the
// number of copy engines, rounded down; 0 where there are fewer others than engines. A core of a cluster has
// any node of the tasks that the cluster serves: the longest operation counts for every core.
//
// Proof (kernels). A core has at most one operation on its way: so when k comes to the queue of the GPU, at
// most one kernel of each other core is before it and not done. Let i be the first of them, in the order of
// the queue, and t an instant at which all before i are done. If all blocks of i are assigned, i is done a
// block time later. If not, the GPU has blocks of i only, since no block of a later kernel is assigned before
// the last one of i (rule X1). All blocks of i are alike, so an SM that has only such blocks is full, or all
// are assigned: as long as some are not, as many run as the GPU holds. Each of these places begins its n-th
// block (n from 1 on, one that runs at t counted) at t + (n-1) block times at the latest, so the last block
// has begun within (waves - 1) block times: i is done at t + A_i. By induction k is done A_k + W after it
// came. Kernels that come later wait behind it, and how late launches of others are does not matter: who is
// in the queue has come.
//
// Proof (copies). Copies begin in the order in which they come. With fewer copies before it than engines, a
// copy begins at once. Else, until it begins, every engine works on copies that came before it and were not
// done then: no longer than their sum by the number of engines.
//
// Best cases are those of the work alone, without overheads. GPU work counts as CPU time here
// (suspension-oblivious, as Yang, Amert et al., 2018, analyse coarse graphs; W and W' are ours), so the
// result has CPU work only, and the overheads `launch`, `completion` and `copy` are in its times; `release`
// and `cpu` are not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus {

enum class Granularity : std::uint8_t { monolithic, coarse, fine };

/// What a node of the result consists of. Its time is the sum.
struct NodeCost {
  std::string task;
  std::string node;    // its name, or its place in a chain
  Interval cpu;        // its own CPU work
  Interval gpu;        // its own kernels and copies, with their overheads
  Duration waiting{};  // for kernels and copies of others, at most

  [[nodiscard]] Interval time() const;
};

struct Regrouped {
  System system;
  std::vector<NodeCost> nodes;  // of a coarse or monolithic system
};

/// - fine: parts of coarse nodes are nodes of their own; nothing else changes.
/// - coarse: every coarse node, and every node that is no part of one, is one CPU node.
/// - monolithic: every job is one CPU node, `frame`, with its work in topological order.
/// InputError with the reason where the claim above says nothing about the system.
Regrouped regroup(const System& system, Granularity granularity);

}  // namespace tactus
