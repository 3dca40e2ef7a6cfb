// The work of a frame as a graph, in three grains.
//
//   fine        a node for every copy and every kernel:
//               grab.draw - grab.upload - level0.resize - ... - level0.classify - collect.download
//                                       \ level1.resize - ... - level1.classify / \ collect.suppress
//   coarse      grab, level0, level1, ..., collect: CPU nodes that wait for their copies and kernels
//   monolithic  one CPU node, frame
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tactus/system.hpp>
#include <vector>

#include "geometry.hpp"

namespace hog {

enum class Action { draw, upload, kernel, download, suppress };

/// The smallest piece of work.
struct Step {
  Action action = Action::draw;
  Stage stage = Stage::resize;  // of a kernel
  int level = 0;                // of a kernel

  [[nodiscard]] bool is_cpu() const { return action == Action::draw || action == Action::suppress; }
};

struct GraphNode {
  std::string name;
  std::vector<Step> steps;  // in order
};

enum class Grain { monolithic, coarse, fine };

struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<tactus::Edge> edges;
};

Graph make_graph(int levels, Grain grain);

/// The steps of a node, or of all nodes that are parts of it: `level3` has those of `level3.resize` and the
/// others, `frame` all. Empty when there is no such node.
std::vector<Step> steps_named(const Graph& fine, std::string_view name);

/// The number of levels that nodes of these names belong to; 0 when they do not say.
int levels_of(std::span<const tactus::Node> nodes);

}  // namespace hog
