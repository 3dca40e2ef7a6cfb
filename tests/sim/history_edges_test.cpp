// Edges to later jobs: what waits for what, and how long that may take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <tuple>

#include "support/effort.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/graph_timing.hpp"
#include "tactus/falsify/borderline_systems.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::sim {
namespace {

using testing::HasSubstr;

constexpr Duration ms(std::int64_t count) { return std::chrono::milliseconds{count}; }

ReadResult read(const std::string& graph, const std::string& policy = "") {
  return read_system(
      "tactus: 1\nplatform: {cpus: 2, gpu: {sms: 2, threads_per_sm: 1024}}\n"
      "policy: {strategy: graph" +
          policy + "}\ntasks:\n  - {name: a, period: 10ms, deadline: 90ms, graph: {" + graph + "}}\n",
      "test.yaml");
}

System graph(const std::string& text, const std::string& policy = "") {
  const ReadResult result = read(text, policy);
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message;
  return result.system.value();
}

trace::Recording recorded(const System& system, SimulationOptions options) {
  trace::Recorder recorder{{.keep = {.operations = true, .ends = true}}};
  const std::array<trace::Observer*, 1> observers{&recorder};
  simulate(system, options, observers);
  return recorder.take();
}

Duration longest_response(const System& system, Duration horizon) {
  SimulationOptions options;
  options.horizon = horizon;
  Duration longest{};
  for (const trace::JobEnded& job : recorded(system, options).ends) {
    if (job.completion != never) longest = std::max(longest, job.completion - job.release);
  }
  return longest;
}

/// 15 ms every 10 ms: two jobs at once keep up, one after the other do not.
TEST(HistoryEdges, ANodeMayReadItsOwnEarlierResult) {
  const System one_back = graph("nodes: {x: {cpu: 15ms}}, edges: [[x, x, {delay: 1}]]");
  const System two_back = graph("nodes: {x: {cpu: 15ms}}, edges: [[x, x, {delay: 2}]]");
  EXPECT_FALSE(analysis::graph_edf(one_back).tasks[0].bound.has_value());
  EXPECT_GT(longest_response(one_back, std::chrono::seconds{1}), ms(300));
  EXPECT_EQ(analysis::graph_edf(two_back).verdict, analysis::Verdict::schedulable);
  EXPECT_EQ(longest_response(two_back, std::chrono::seconds{1}), ms(15));
}

/// 4 + 7 ms: job j begins when job j - 1 is done, so every job is a millisecond later than the one before.
TEST(HistoryEdges, AResultMayComeFromALaterNode) {
  const std::string nodes = "nodes: {x: {cpu: 4ms}, y: {cpu: 7ms}}, edges: [[x, y], [y, x, {delay: ";
  const System one_back = graph(nodes + "1}]]");
  const analysis::Result unbounded = analysis::graph_edf(one_back);
  EXPECT_FALSE(unbounded.tasks[0].bound.has_value());
  EXPECT_THAT(unbounded.reason, HasSubstr("earlier jobs may come later"));
  EXPECT_EQ(longest_response(one_back, ms(101)), ms(11 + 8));
  const System four_back = graph(nodes + "4}]]");
  const analysis::Result bounded = analysis::graph_edf(four_back);
  EXPECT_EQ(bounded.tasks[0].bound, analysis::graph_edf(graph("nodes: {x: {cpu: 4ms}, y: {cpu: 7ms}}, "
                                                              "edges: [[x, y]]"))
                                        .tasks[0]
                                        .bound);
  EXPECT_EQ(longest_response(four_back, std::chrono::seconds{1}), ms(11));
}

/// What follows from an earlier job is released when that must be done.
TEST(HistoryEdges, MoveReleases) {
  const System system =
      graph("nodes: {x: {cpu: 6ms}, y: {cpu: 9ms}, z: {cpu: 1ms}}, edges: [[x, y], [y, z, {delay: 1}]]");
  const analysis::GraphTiming timing = analysis::graph_timing(system);
  ASSERT_TRUE(timing.is_bounded());
  const analysis::NodeTiming& y = timing.tasks[0][1];
  EXPECT_EQ(timing.tasks[0][2].offset, y.offset + y.response - ms(10));
}

/// Job 0 of `i` is seen a period late, job 1 in time. Without early release their copies, whose release
/// follows from an earlier job alone, would come together and keep the copy of `k` waiting for both.
TEST(HistoryEdges, CopiesOfJobsThatAreSeenLateComeAPeriodApart) {
  const ReadResult result = read_system(
      "tactus: 1\nplatform: {cpus: 2, gpu: {sms: 1}}\npolicy: {strategy: graph, early_release: "
      "false}\ntasks:\n"
      "  - {name: i, arrival: sporadic, period: 10ms, deadline: 100ms, jitter: 10ms, graph: {nodes: {b: "
      "{cpu: "
      "1ms}, c: {copy: 5ms}}, edges: [[b, c, {delay: 1}]]}, jobs: [{release: 0ms, late: 10ms}, {release: "
      "10ms, "
      "late: 0ms}]}\n"
      "  - {name: k, arrival: sporadic, period: 100ms, graph: {nodes: {c: {copy: 1ms}}}, jobs: [{release: "
      "11500us}]}\n",
      "test.yaml");
  ASSERT_TRUE(result.system.has_value());
  const Duration bound = analysis::graph_edf(*result.system).tasks[1].bound.value();
  SimulationOptions options;
  options.horizon = ms(100);
  for (const trace::JobEnded& job : recorded(*result.system, options).ends) {
    if (job.job.task != 1 || job.completion == never) continue;
    EXPECT_LE(job.completion - job.release, bound);
  }
}

TEST(HistoryEdges, HarmlessOnesChangeNothing) {
  const std::string nodes =
      "nodes: {x: {cpu: 2ms}, k: {kernel: {grid: 2, block: 64, block_time: 1ms}}}, edges: [[x, k]";
  for (const std::string policy :
       {"", ", early_release: false", ", cpu: {preemptive: false}", ", order: fl"}) {
    const System plain = graph(nodes + "]", policy);
    const System with = graph(nodes + ", [x, x, {delay: 1}], [k, x, {delay: 2}]]", policy);
    EXPECT_EQ(analysis::graph_timing(with).bound_of(0), analysis::graph_timing(plain).bound_of(0)) << policy;
    EXPECT_EQ(longest_response(with, ms(500)), longest_response(plain, ms(500))) << policy;
  }
}

/// A node waits for its job's predecessors and for the earlier jobs it names, and for no longer than that
/// where it has no other reason to wait.
TEST(HistoryEdges, AreKeptInRandomSystems) {
  std::size_t seen = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(std::uint64_t{2000}); ++seed) {
    falsify::Dice dice{seed, 0};
    falsify::Family family = *falsify::family_of("graph-edf");
    if (seed % 3 == 0) family.engine = falsify::EngineNeeds::time_in_some;
    const System system = falsify::random_system(family, dice);
    if (!analysis::graph_edf(system).applies()) continue;
    SimulationOptions options;
    options.execution = Execution::random;
    options.seed = seed;
    options.max_pending = 200;
    options.horizon = *system.tasks.front().period * 40;
    const trace::Recording recording = recorded(system, options);
    std::map<std::tuple<TaskIndex, std::uint64_t, std::uint32_t>, const trace::OperationFinished*> ran;
    for (const trace::OperationFinished& operation : recording.operations) {
      ran[{operation.job.task, operation.job.number, operation.segment}] = &operation;
    }
    for (const auto& [name, operation] : ran) {
      const auto [task, number, segment] = name;
      for (const Edge& edge : history_edges(system.tasks[task].work)) {
        const auto delay = static_cast<std::uint64_t>(edge.delay);
        if (edge.to != segment || number < delay) continue;
        const auto before = ran.find({task, number - delay, static_cast<std::uint32_t>(edge.from)});
        ASSERT_NE(before, ran.end()) << seed;
        ASSERT_LE(before->second->end, operation->start) << seed << ", job " << number;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, test::tries(std::size_t{5000}));
}

TEST(HistoryEdges, AreWrittenAndReadAgain) {
  const System system = graph("nodes: {x: {cpu: 2ms}, y: {cpu: 1ms}}, edges: [[x, y], [y, x, {delay: 3}]]");
  const ReadResult again = read_system(to_system_file(system), "again.yaml");
  ASSERT_TRUE(again.system.has_value());
  EXPECT_EQ(again.system->tasks, system.tasks);
}

TEST(HistoryEdges, MistakesAreToldWhereTheyAre) {
  const auto problem = [](const std::string& edge, const std::string& policy = "") -> std::string {
    const ReadResult result =
        read("nodes: {x: {cpu: 2ms}, y: {cpu: 0ms}, z: {cpu: 1ms}}, edges: [" + edge + "]", policy);
    return result.problems.empty() ? ""
                                   : result.problems.front().message + " | " + result.problems.front().hint;
  };
  EXPECT_THAT(problem("[x, x]"), HasSubstr("{delay: 1}"));
  EXPECT_THAT(problem("[x, x, {delay: 0}]"), HasSubstr("less than 1"));
  EXPECT_THAT(problem("[x, x, {delay: -1}]"), HasSubstr("less than 1"));
  EXPECT_THAT(problem("[x, x, {delay: 65}]"), HasSubstr("64"));
  EXPECT_THAT(problem("[x, x, {delay: 99999999999999999999}]"), HasSubstr("delay"));
  EXPECT_THAT(problem("[x, x, {dealy: 1}]"), HasSubstr("delay"));
  EXPECT_THAT(problem("[x, x, 1]"), HasSubstr("{delay: 1}"));
  EXPECT_THAT(problem("[x, x, {delay: 1}, 2]"), HasSubstr("instead of two names"));
  EXPECT_THAT(problem("[x, x, {}]"), HasSubstr("delay"));
  EXPECT_THAT(problem("[y, x, {delay: 1}]"), HasSubstr("takes no time"));
  EXPECT_THAT(problem("[x, z, {delay: 1}], [x, z]"), HasSubstr("given twice"));
  EXPECT_EQ(problem("[x, z], [z, x, {delay: 1}]"), "");
  const ReadResult elsewhere = read_system(
      "tactus: 1\nplatform: jetson-tx2\ntasks:\n  - {name: a, period: 10ms, graph: {nodes: {x: "
      "{kernel: {grid: 1, block: 32, block_time: 1ms}}}, edges: [[x, x, {delay: 1}]]}}\n",
      "test.yaml");
  ASSERT_FALSE(elsewhere.problems.empty());
  EXPECT_THAT(elsewhere.problems.front().hint, HasSubstr("`graph`"));
}

}  // namespace
}  // namespace tactus::sim
