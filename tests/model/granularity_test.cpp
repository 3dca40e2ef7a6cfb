#include "tactus/model/granularity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/source_folder.hpp"
#include "tactus/base/error.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/validate.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

System read(const std::string& text) {
  const ReadResult result = read_system("tactus: 1\n" + text, "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << to_string(problem) << "\n" << text;
  return result.system.value_or(System{});
}

/// Valid, CPU work only, without preemption, and equal when written and read again.
Regrouped checked(const System& system, Granularity granularity) {
  Regrouped result = regroup(system, granularity);
  EXPECT_THAT(validate(result.system), IsEmpty());
  EXPECT_FALSE(cpu_policy(result.system.policy).preemptive);
  for (const Task& task : result.system.tasks) {
    for (const Node& node : task.work.nodes) EXPECT_TRUE(std::holds_alternative<CpuSegment>(node.segment));
  }
  const ReadResult again = read_system(to_system_file(result.system), "again.yaml");
  EXPECT_TRUE(again.system == result.system) << to_system_file(result.system);
  return result;
}

std::vector<std::string> names_of(const Work& work) {
  std::vector<std::string> names;
  for (const Node& node : work.nodes) names.push_back(node.name);
  return names;
}

std::vector<std::string> edges_of(const Work& work) {
  std::vector<std::string> edges;
  for (const Edge& edge : work.edges)
    edges.push_back(work.nodes[edge.from].name + " -> " + work.nodes[edge.to].name);
  return edges;
}

System cameras() { return load(test::in_repository("examples/graphs/cameras.yaml")); }

TEST(Granularity, FineHasEveryPartAsANode) {
  const Regrouped result = regroup(cameras(), Granularity::fine);
  EXPECT_THAT(
      names_of(result.system.tasks[0].work),
      ElementsAre("grab", "pyramid.scale", "pyramid.build", "track", "detect.features", "detect.classify"));
  EXPECT_THAT(result.nodes, IsEmpty());
  System joined = result.system;
  for (std::size_t task = 0; task < joined.tasks.size(); ++task) {
    for (const std::size_t i : {1U, 2U}) joined.tasks[task].work.nodes[i].part_of = "pyramid";
    for (const std::size_t i : {4U, 5U}) joined.tasks[task].work.nodes[i].part_of = "detect";
  }
  EXPECT_EQ(joined, cameras());
}

/// Every kernel takes 5 ms alone, and three others can be before it: 15 ms.
TEST(Granularity, CoarseNodesKeepTheirCores) {
  const Regrouped result = checked(cameras(), Granularity::coarse);
  const Work& work = result.system.tasks[5].work;
  EXPECT_THAT(names_of(work), ElementsAre("grab", "pyramid", "track", "detect"));
  EXPECT_THAT(edges_of(work),
              ElementsAre("grab -> pyramid", "grab -> track", "pyramid -> detect", "track -> detect"));
  ASSERT_EQ(result.nodes.size(), 24U);
  EXPECT_EQ(result.nodes[0].time(), (Interval{1ms, 2ms}));
  EXPECT_EQ(result.nodes[1].cpu, Interval::exactly(1ms));
  EXPECT_EQ(result.nodes[1].gpu, (Interval{4ms, 5ms}));
  EXPECT_EQ(result.nodes[1].waiting, 15ms);
  EXPECT_EQ(std::get<CpuSegment>(work.nodes[1].segment).time, (Interval{5ms, 21ms}));
  EXPECT_EQ(std::get<CpuSegment>(work.nodes[3].segment).time, (Interval{7ms, 27ms}));
}

TEST(Granularity, MonolithicIsOneNode) {
  const Regrouped result = checked(cameras(), Granularity::monolithic);
  ASSERT_EQ(result.nodes.size(), 6U);
  EXPECT_THAT(names_of(result.system.tasks[0].work), ElementsAre("frame"));
  EXPECT_EQ(result.nodes[0].node, "frame");
  EXPECT_EQ(result.nodes[0].cpu, (Interval{8ms, 16ms}));
  EXPECT_EQ(result.nodes[0].gpu, (Interval{7ms, 10ms}));
  EXPECT_EQ(result.nodes[0].waiting, 30ms);
}

const std::string platform =
    "platform: {cpus: {clusters: [2, 3]}, overheads: {release: 7us, launch: 10us, completion: 20us, copy: "
    "30us, cpu: 5us},"
    " gpu: {sms: 2, threads_per_sm: 1024, copy_engines: 2}}\n";

/// Overheads of the GPU are in the times, those of cores and releases are not. Of each cluster its own
/// longest kernel counts, and four copies share two engines.
TEST(Granularity, OverheadsAndClusters) {
  const Regrouped result = checked(
      read(
          platform +
          "policy: {strategy: graph, clusters: per-cluster}\n"
          "tasks:\n"
          "  - {name: a, period: 10ms, core: 0, segments: [{cpu: [1ms, 2ms]}, {kernel: {grid: 5, block: 512, "
          "block_time: 1ms}}, {copy: 1ms}, {copy: 0ms}]}\n"
          "  - {name: b, period: 10ms, core: 4, kernel: {grid: 1, block: 32, block_time: [1ms, 3ms]}}\n"),
      Granularity::coarse);
  ASSERT_EQ(result.nodes.size(), 5U);
  EXPECT_EQ(result.nodes[0].time(), (Interval{1ms, 2ms}));
  // Two waves alone; one other core of its cluster, three of the other.
  EXPECT_EQ(result.nodes[1].gpu, (Interval{2ms, 2ms + 30us}));
  EXPECT_EQ(result.nodes[1].waiting, 2ms + 9ms);
  // One other core has copies, and there are two engines.
  EXPECT_EQ(result.nodes[2].gpu, (Interval{1ms, 1ms + 30us}));
  EXPECT_EQ(result.nodes[2].waiting, 0ms);
  EXPECT_EQ(result.nodes[3].time(), Interval{});
  EXPECT_EQ(result.nodes[4].gpu, (Interval{1ms, 3ms + 30us}));
  EXPECT_EQ(result.nodes[4].waiting, 2 * 2ms + 2 * 3ms);
  EXPECT_EQ(result.system.tasks[1].work.form, WorkForm::chain);
}

TEST(Granularity, CopiesShareTheirEngines) {
  const Regrouped result =
      checked(read(platform + "policy: {strategy: graph}\n"
                              "tasks: [{name: a, period: 10ms, segments: [{copy: 1ms}]}]\n"),
              Granularity::monolithic);
  EXPECT_EQ(result.nodes[0].waiting, 4 * (1ms + 30us) / 2);
}

/// A file that names no strategy: jobs of a task are served in turn, each on its core.
TEST(Granularity, TakesPlainChains) {
  const Regrouped result = checked(read("platform: {cpus: 2, gpu: {sms: 1}}\n"
                                        "tasks:\n"
                                        "  - {name: a, period: 10ms, wait: busy, segments: [{cpu: 1ms}, "
                                        "{kernel: {grid: 1, block: 32, block_time: 2ms}}]}\n"
                                        "  - {name: b, period: 10ms, core: 1, segments: [{kernel: {grid: 1, "
                                        "block: 32, block_time: 3ms}}]}\n"),
                                   Granularity::monolithic);
  EXPECT_EQ(result.nodes[0].time(), (Interval{3ms, 6ms}));
  EXPECT_EQ(result.nodes[1].time(), (Interval{3ms, 5ms}));
}

/// What is waited for between coarse nodes: the latest earlier job, once; what also waits within the job
/// waits through the node before.
TEST(Granularity, HistoryStays) {
  System system = cameras();
  system.tasks.resize(1);
  Work& work = system.tasks[0].work;
  work.edges.push_back({.from = 2, .to = 1, .delay = 2});
  work.edges.push_back({.from = 3, .to = 0, .delay = 3});
  work.edges.push_back({.from = 0, .to = 3, .delay = 4});
  const Work coarse = regroup(system, Granularity::monolithic).system.tasks[0].work;
  EXPECT_THAT(coarse.edges, ElementsAre(Edge{.from = 0, .to = 0, .delay = 2}));
}

void expect_refused(const std::string& text, const std::string& why,
                    Granularity granularity = Granularity::coarse) {
  try {
    regroup(read(text), granularity);
    ADD_FAILURE() << "not refused: " << text;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST(Granularity, SaysWhatItDoesNotKnow) {
  const std::string head =
      "platform: {cpus: 2, gpu: {sms: 2, priority_levels: 2}}\npolicy: {strategy: graph}\n";
  const std::string kernel = "kernel: {grid: 1, block: 32, block_time: 1ms}";
  expect_refused(head + "tasks: [{name: a, period: 1ms, segments: [{cpu: 1us}, {exclusive: 1us}]}]\n",
                 "`exclusive` work");
  expect_refused(head + "tasks: [{name: a, period: 10ms, stream: s, " + kernel + "}]\n", "share a stream");
  expect_refused(head + "tasks: [{name: a, period: 10ms, " + kernel +
                     "}, {name: b, period: 10ms, stream_priority: -1, " + kernel + "}]\n",
                 "stream priorities");
  expect_refused(head + "tasks: [{name: a, period: 10ms, budget: 1ms, on_overrun: abort, " + kernel + "}]\n",
                 "gives jobs up");
  expect_refused(head + "tasks: [{name: a, period: 10ms, " + kernel + ", jobs: [{time: 1ms}]}]\n",
                 "scripted jobs");
  expect_refused("platform: jetson-tx2\npolicy: {strategy: single-stream}\ntasks: [{name: a, period: 10ms, " +
                     kernel + "}]\n",
                 "under the strategy single-stream");
  expect_refused(
      "platform: jetson-tx2\npolicy: {strategy: graph, copies: {order: edf}}\ntasks: [{name: a, period: "
      "10ms, " +
          kernel + "}]\n",
      "order of copies");
  const std::string through =
      head +
      "tasks: [{name: a, period: 10ms, graph: {nodes: {x: {parts: [{cpu: 1ms}, {cpu: 1ms}]}, y: {cpu: "
      "1ms}}, edges: [[x.0, y], [y, x.1]]}}]\n";
  expect_refused(through, "wait for each other in a circle");
  EXPECT_EQ(regroup(read(through), Granularity::monolithic).nodes[0].cpu.worst, 3ms);
}

}  // namespace
}  // namespace tactus
