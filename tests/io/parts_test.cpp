// Coarse nodes of a file: their parts become nodes, and are written as parts again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/source_folder.hpp"
#include "tactus/base/file.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"

namespace tactus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string file_with(const std::string& graph) {
  return "tactus: 1\nplatform: jetson-tx2\npolicy: {strategy: graph}\ntasks:\n  - name: a\n    period: "
         "10ms\n    graph:\n"
         "      nodes:\n" +
         graph;
}

System read(const std::string& text) {
  const ReadResult result = read_system(text, "test.yaml", Completeness::to_be_planned);
  for (const Problem& problem : result.problems) ADD_FAILURE() << to_string(problem) << "\n" << text;
  return result.system.value_or(System{});
}

std::vector<std::string> names_of(const Work& work) {
  std::vector<std::string> names;
  for (const Node& node : work.nodes) names.push_back(node.name);
  return names;
}

/// "a -> b", in the order of the work.
std::vector<std::string> edges_of(const Work& work) {
  std::vector<std::string> edges;
  for (const Edge& edge : work.edges)
    edges.push_back(work.nodes[edge.from].name + " -> " + work.nodes[edge.to].name);
  return edges;
}

const std::string coarse_graph =
    "        grab: {cpu: 1ms}\n"
    "        features: {parts: [{cpu: 1ms}, {copy: 200us}, {kernel: {grid: 4, block: 32, block_time: "
    "1ms}}]}\n"
    "        detect: {parts: {prepare: {cpu: 500us}, run: {kernel: {grid: 1, block: 32, block_time: 1ms}}}}\n"
    "      edges: [[grab, features], [features, detect], [grab, detect.run], [features.1, detect]]\n";

TEST(Parts, BecomeNodesInAChain) {
  const Work work = read(file_with(coarse_graph)).tasks[0].work;
  EXPECT_THAT(names_of(work),
              ElementsAre("grab", "features.0", "features.1", "features.2", "detect.prepare", "detect.run"));
  EXPECT_THAT(edges_of(work),
              ElementsAre("grab -> features.0", "features.2 -> detect.prepare", "grab -> detect.run",
                          "features.1 -> detect.prepare", "features.0 -> features.1",
                          "features.1 -> features.2", "detect.prepare -> detect.run"));
  EXPECT_EQ(work.nodes[0].part_of, "");
  EXPECT_EQ(work.nodes[2].part_of, "features");
  EXPECT_EQ(part_name(work.nodes[5]), "run");
  EXPECT_EQ(node_groups(work).size(), 3U);
}

TEST(Parts, AreWrittenAsTheyWereRead) {
  const System system = read(file_with(coarse_graph));
  const std::string text = to_system_file(system);
  EXPECT_THAT(text, HasSubstr(coarse_graph));
  EXPECT_EQ(read(text), system);
}

/// Only where it was written can be told: the fine file has the same nodes and edges.
TEST(Parts, AreTheNodesOfTheFineFile) {
  const System coarse = load(test::in_repository("examples/graphs/cameras.yaml"));
  const System fine = load(test::in_repository("examples/graphs/fine.yaml"));
  for (std::size_t task = 0; task < fine.tasks.size(); ++task) {
    const Work& parts = coarse.tasks[task].work;
    const Work& nodes = fine.tasks[task].work;
    ASSERT_EQ(parts.nodes.size(), nodes.nodes.size());
    EXPECT_EQ(parts.edges.size(), nodes.edges.size());
    for (std::size_t i = 0; i < nodes.nodes.size(); ++i)
      EXPECT_EQ(parts.nodes[i].segment, nodes.nodes[i].segment);
  }
}

TEST(Parts, MayHaveVariants) {
  const System system =
      read(file_with("        find: {parts: [{cpu: 1ms}, {either: [{exclusive: 3ms}, {cpu: 9ms}]}]}\n"
                     "        end: {cpu: 1ms}\n"
                     "      edges: [[find, end]]\n"));
  ASSERT_EQ(system.tasks[0].choices.size(), 1U);
  EXPECT_EQ(system.tasks[0].choices[0].node, 1U);
  EXPECT_EQ(read(to_system_file(system)), system);
}

TEST(Parts, CanBeChangedForOnce) {
  const std::vector<Override> changes{
      {"--set", "tasks.a.graph.nodes.features.parts[0].cpu", "2ms"},
      {"--set", "tasks.a.graph.nodes.detect.parts.prepare.cpu", "3ms"},
  };
  const ReadResult result =
      read_system(file_with(coarse_graph), "test.yaml", Completeness::complete, changes);
  ASSERT_TRUE(result.system);
  EXPECT_EQ(drawn_time(result.system->tasks[0].work.nodes[1].segment).worst, std::chrono::milliseconds{2});
  EXPECT_EQ(drawn_time(result.system->tasks[0].work.nodes[4].segment).worst, std::chrono::milliseconds{3});
}

}  // namespace
}  // namespace tactus
