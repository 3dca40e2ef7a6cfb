// What follows from the nodes of one task and their order alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tactus/analysis/composition.hpp"

namespace tactus::analysis {

/// Nodes of one server of which each comes behind the one before it, whatever happens.
struct NodeLine {
  std::vector<std::size_t> nodes;
  std::vector<std::int64_t>
      gaps;  // ahead of each node but the first: what lies between takes at least so long
};

/// The nodes of a task on one server.
struct NodesOnServer {
  std::size_t server = 0;
  std::vector<std::size_t> nodes;
  std::vector<NodeLine> lines;  // every node is in one; a chain has one line
};

struct ChainFacts {
  std::vector<std::int64_t> before;  // pb: by node, the least time from the release to its start
  std::vector<std::int64_t> after;   // tb: the least time from its end to that of the job
  std::int64_t best = 0;             // the longest way through the job in best cases; of a chain sum b
  std::int64_t worst = 0;            // the same in worst cases
  std::vector<std::vector<std::size_t>> predecessors;  // by node
  /// By node: the others on its server that may be ready at the same time.
  std::vector<std::vector<std::size_t>> beside;
  std::vector<NodesOnServer> servers;  // in the order of first use
  /// All ways through the job. Where there are too many, one imagined way through all nodes, which takes
  /// longer than any.
  std::vector<std::vector<std::size_t>> ways;
};

ChainFacts facts_of(const ChainTask& task);

/// The nodes of a way on a server.
std::vector<std::size_t> nodes_on(const ChainTask& task, std::span<const std::size_t> way,
                                  std::size_t server);

}  // namespace tactus::analysis
