#include "graph.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace hog {

namespace {

constexpr std::array<std::string_view, stages> stage_names{"resize", "gradient", "histogram", "normalise",
                                                           "classify"};

Graph make_fine(int levels) {
  Graph graph;
  const auto add = [&](std::string name, Step step) {
    graph.nodes.push_back({std::move(name), {step}});
    return graph.nodes.size() - 1;
  };
  const auto draw = add("grab.draw", {.action = Action::draw});
  const auto upload = add("grab.upload", {.action = Action::upload});
  graph.edges.push_back({draw, upload});
  std::vector<std::size_t> last;
  for (int level = 0; level < levels; ++level) {
    std::size_t before = upload;
    for (int stage = 0; stage < stages; ++stage) {
      const auto node = add(
          "level" + std::to_string(level) + "." + std::string{stage_names[static_cast<std::size_t>(stage)]},
          {.action = Action::kernel, .stage = static_cast<Stage>(stage), .level = level});
      graph.edges.push_back({before, node});
      before = node;
    }
    last.push_back(before);
  }
  const auto download = add("collect.download", {.action = Action::download});
  for (const std::size_t node : last) graph.edges.push_back({node, download});
  graph.edges.push_back({download, add("collect.suppress", {.action = Action::suppress})});
  return graph;
}

/// Nodes whose names begin alike become one.
Graph make_coarse(const Graph& fine) {
  Graph graph;
  std::vector<std::size_t> places;  // of fine nodes among the coarse ones
  for (const GraphNode& node : fine.nodes) {
    const std::string name = node.name.substr(0, node.name.find('.'));
    if (graph.nodes.empty() || graph.nodes.back().name != name) graph.nodes.push_back({name, {}});
    graph.nodes.back().steps.push_back(node.steps.front());
    places.push_back(graph.nodes.size() - 1);
  }
  for (const tactus::Edge& edge : fine.edges) {
    const tactus::Edge coarse{places[edge.from], places[edge.to]};
    if (coarse.from != coarse.to) graph.edges.push_back(coarse);
  }
  return graph;
}

}  // namespace

Graph make_graph(int levels, Grain grain) {
  const Graph fine = make_fine(levels);
  switch (grain) {
    case Grain::fine:
      return fine;
    case Grain::coarse:
      return make_coarse(fine);
    case Grain::monolithic:
      break;
  }
  return {{{"frame", steps_named(fine, "frame")}}, {}};
}

std::vector<Step> steps_named(const Graph& fine, std::string_view name) {
  std::vector<Step> steps;
  for (const GraphNode& node : fine.nodes) {
    const bool is_part = node.name.starts_with(name) && node.name.substr(name.size()).starts_with('.');
    if (name == "frame" || node.name == name || is_part) steps.push_back(node.steps.front());
  }
  return steps;
}

int levels_of(std::span<const tactus::Node> nodes) {
  constexpr std::string_view prefix = "level";
  int levels = 0;
  for (const tactus::Node& node : nodes) {
    if (!node.name.starts_with(prefix)) continue;
    int level = -1;
    std::from_chars(node.name.data() + prefix.size(), node.name.data() + node.name.size(), level);
    levels = std::max(levels, level + 1);
  }
  return levels;
}

}  // namespace hog
