// The strategy `graph`: releases of nodes, bounds, and what the simulator makes of them.
#include "tactus/analysis/graph_timing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "support/effort.hpp"
#include "support/plain_graph.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/falsify/borderline_systems.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::analysis {
namespace {

using testing::HasSubstr;

constexpr Duration ms(std::int64_t count) { return std::chrono::milliseconds{count}; }

System read(const std::string& policy, const std::string& tasks, const std::string& cpus = "2") {
  const ReadResult result = read_system("tactus: 1\nplatform: {cpus: " + cpus +
                                            ", gpu: {sms: 2, threads_per_sm: 1024, copy_engines: 1}}\n"
                                            "policy: {strategy: graph" +
                                            policy + "}\ntasks:\n" + tasks,
                                        "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message;
  return result.system.value();
}

/// The longest response of each task.
std::vector<Duration> observed(const System& system) {
  sim::SimulationOptions options;
  options.horizon = std::chrono::seconds{1};
  options.max_pending = 1000;
  trace::Recorder recorder{{.keep = {.ends = true}}};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::simulate(system, options, observers);
  std::vector<Duration> longest(system.tasks.size());
  const trace::Recording recording = recorder.take();
  for (const trace::JobEnded& job : recording.ends) {
    if (job.completion != never) {
      longest[job.job.task] = std::max(longest[job.job.task], job.completion - job.release);
    }
  }
  return longest;
}

/// Example 1 of real-time OpenVX.
TEST(GraphTiming, OffsetsOfADiamond) {
  Work work{.form = WorkForm::graph, .nodes = {}, .edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}}};
  for (const char* name : {"a", "b", "c", "d"}) work.nodes.push_back({name, CpuSegment{}});
  std::vector<NodeTiming> nodes{{{}, ms(9), {}}, {{}, ms(5), {}}, {{}, ms(7), {}}, {{}, ms(9), {}}};
  EXPECT_TRUE(place_in_time(work, ms(100), {}, nodes));
  EXPECT_EQ(nodes[0].offset, ms(0));
  EXPECT_EQ(nodes[1].offset, ms(9));
  EXPECT_EQ(nodes[2].offset, ms(9));
  EXPECT_EQ(nodes[3].offset, ms(16));
  EXPECT_EQ(end_to_end(nodes), ms(25));
}

TEST(GraphTiming, OneNodeAloneIsATask) {
  for (const std::string mode : {"", ", parallel_jobs: false", ", early_release: false", ", order: fl"}) {
    const System system = read(mode, "  - {name: a, period: 10ms, segments: [{cpu: 7ms}]}\n", "1");
    EXPECT_EQ(end_to_end(graph_timing(system).tasks[0]), ms(7)) << mode;
    EXPECT_EQ(observed(system)[0], ms(7)) << mode;
  }
}

/// A node that takes longer than its period: its jobs overlap on two cores.
TEST(GraphTiming, JobsOverlapWhereTheyMay) {
  const std::string tasks = "  - {name: a, period: 10ms, deadline: 30ms, segments: [{cpu: 15ms}]}\n";
  const System parallel = read("", tasks);
  const Result bounded = graph_edf(parallel);
  EXPECT_EQ(bounded.verdict, Verdict::schedulable);
  EXPECT_EQ(observed(parallel)[0], ms(15));
  EXPECT_LE(ms(15), bounded.tasks[0].bound.value());
  const Result sequential = graph_edf(read(", parallel_jobs: false", tasks));
  EXPECT_EQ(sequential.verdict, Verdict::unproven);
  EXPECT_FALSE(sequential.tasks[0].bound.has_value());
  EXPECT_THAT(sequential.reason, HasSubstr("no bound is known"));
  EXPECT_FALSE(is_bounded(sequential));
  EXPECT_GT(observed(read(", parallel_jobs: false", tasks))[0], ms(100));
}

TEST(GraphTiming, ABoundMayLieBeyondTheDeadline) {
  const System system = read("", "  - {name: a, period: 10ms, deadline: 11ms, segments: [{cpu: 15ms}]}\n");
  const Result result = graph_edf(system);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_EQ(result.tasks[0].bound, end_to_end(graph_timing(system).tasks[0]));
  EXPECT_THAT(result.reason, HasSubstr("never longer"));
  EXPECT_TRUE(is_bounded(result));
}

/// Without early release every node begins at its release, or later.
TEST(GraphTiming, SaysWhatServersHaveLeftAndHowManyJobsAreInProgress) {
  const System system =
      read(", order: edf",
           "  - {name: a, period: 4ms, deadline: 100ms, graph: {nodes: {x: {cpu: 5ms}, y: {copy: 1ms}},"
           " edges: [[x, y]]}}\n");
  const Result result = graph_edf(system);
  ASSERT_EQ(result.verdict, Verdict::schedulable);
  const Duration bound = *result.tasks[0].bound;
  const std::vector<Detail> servers{
      {{"server", "cores 0 to 1"}, {"utilisation", "1.25"}, {"available", 2}, {"slack", "0.750000"}},
      {{"server", "copy engines"}, {"utilisation", "0.25"}, {"available", 1}, {"slack", "0.750000"}}};
  const std::vector<Detail> tasks{{{"task", "a"}, {"jobs_at_once", bound / ms(4) + 1}}};
  EXPECT_EQ(result.detail, (Detail{{"servers", servers}, {"tasks", tasks}}));
}

TEST(GraphTiming, NodesWaitForTheirReleases) {
  const std::string tasks =
      "  - {name: a, period: 20ms, graph: {nodes: {x: {cpu: [1ms, 4ms]}, k: {kernel: {grid: 4, block: 512, "
      "block_time: 1ms}}, y: {cpu: 2ms}}, edges: [[x, k], [k, y]]}}\n"
      "  - {name: b, period: 10ms, segments: [{cpu: 3ms}]}\n";
  const System early = read("", tasks);
  const System late = read(", early_release: false", tasks);
  const GraphTiming timing = graph_timing(late);
  EXPECT_LT(observed(early)[0], timing.tasks[0][2].offset);
  EXPECT_EQ(observed(late)[0], timing.tasks[0][2].offset + ms(2));
  EXPECT_LE(observed(late)[0], end_to_end(timing.tasks[0]));
}

/// A small kernel that takes longer than its period: its jobs run side by side, unless a stream that all of
/// them share lets one wait for the other, and the backlog grows without end on a GPU that is almost empty.
/// Jobs begin in their order, so one waits for the third before it although the second has ended; on cores
/// that do not preempt others then take the core that it would need.
TEST(GraphTiming, SeveralJobsInTurnWithoutPreemptionHaveNoBound) {
  const std::string others =
      "  - {name: b1, period: 10ms, graph: {nodes: {x: {cpu: 100us}}}}\n"
      "  - {name: b2, period: 10ms, graph: {nodes: {x: {cpu: 100us}}}}\n"
      "  - {name: b3, period: 10ms, offset: 1us, graph: {nodes: {x: {cpu: 100us}}}}\n";
  const auto turns = [&](const std::string& policy, const std::string& delay) {
    return read(", order: edf" + policy, others +
                                             "  - name: a\n    period: 10us\n    offset: 1us\n"
                                             "    deadline: 140us\n"
                                             "    graph: {nodes: {x: {cpu: [1us, 18us]}}, edges: [[x, x, "
                                             "{delay: " +
                                             delay + "}]]}\n    jobs: [{}, {time: 1us}]\n");
  };
  const System system = turns(", cpu: {preemptive: false}", "2");
  const Result result = graph_edf(system);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_THAT(result.reason,
              HasSubstr("jobs of task 'a' may have to wait for those 2 before them: no bound"));
  // As two sources in turn it would have 127.15 us.
  EXPECT_GT(observed(system).back(), std::chrono::microseconds{147});
  const System preemptive = turns("", "2");
  EXPECT_TRUE(graph_timing(preemptive).is_bounded());
  EXPECT_LE(observed(preemptive).back(), graph_timing(preemptive).bound_of(3));
}

TEST(GraphTiming, AStreamForAllJobsOfATaskHasNoBound) {
  const std::string kernel = "kernel: {grid: 1, block: 32, block_time: 15ms}}\n";
  const System by_job = read("", "  - {name: a, period: 10ms, deadline: 90ms, " + kernel);
  EXPECT_EQ(graph_edf(by_job).verdict, Verdict::schedulable);
  EXPECT_EQ(observed(by_job)[0], ms(15));
  const System by_task = read("", "  - {name: a, period: 10ms, deadline: 90ms, stream: s, " + kernel);
  EXPECT_FALSE(graph_edf(by_task).applies());
  EXPECT_GT(observed(by_task)[0], ms(300));
}

/// Blocks of more than half an SM leave the rest of it free: 58 % of the threads are too much.
TEST(GraphTiming, BlocksThatDoNotFitHaveNoBound) {
  const System system = read(
      "", "  - {name: a, period: 10ms, deadline: 90ms, kernel: {grid: 2, block: 544, block_time: 11ms}}\n");
  const Result result = graph_edf(system);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_FALSE(result.tasks[0].bound.has_value());
  EXPECT_GT(observed(system)[0], ms(90));
}

TEST(GraphTiming, SaysWhatItNeeds) {
  const auto why_not = [](const std::string& task) {
    return graph_edf(read("", "  - {name: a, " + task + "}\n")).why_not;
  };
  EXPECT_THAT(why_not("period: 10ms, exclusive: 1ms"), HasSubstr("kernels"));
  EXPECT_THAT(why_not("period: 10ms, launcher: true, enqueue: 1ms, kernel: {grid: 1, block: 32, block_time: "
                      "1ms}"),
              HasSubstr("launcher"));
  const std::string cpu = "  - {name: a, period: 10ms, segments: [{cpu: 1ms}]}\n";
  EXPECT_THAT(graph_edf(read(", cpu: {scope: global}", cpu)).why_not, HasSubstr("clusters"));
  EXPECT_THAT(graph_edf(read(", copies: {order: edf}", cpu)).why_not, HasSubstr("as they come"));
  EXPECT_THAT(why_not("arrival: once, segments: [{cpu: 1ms}]"), HasSubstr("repeat"));
  EXPECT_THAT(why_not("period: 10ms, stream: s, kernel: {grid: 1, block: 32, block_time: 1ms}"),
              HasSubstr("stream"));
  EXPECT_THAT(why_not("period: 10ms, jitter: 11ms, segments: [{cpu: 1ms}]"), HasSubstr("in order"));
  EXPECT_THAT(graph_fl(read("", "  - {name: a, period: 10ms, segments: [{cpu: 1ms}]}\n")).why_not,
              HasSubstr("order"));
}

TEST(GraphTiming, IsThePlainFormula) {
  int bounded = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(std::uint64_t{5000}); ++seed) {
    falsify::Dice dice{seed, 0};
    const bool by_deadline = seed % 2 == 0;
    const System system =
        falsify::random_system(*falsify::family_of(by_deadline ? "graph-edf" : "graph-fl"), dice);
    const Result result = by_deadline ? graph_edf(system) : graph_fl(system);
    if (!result.applies() || has_engine_time(system)) continue;
    const std::vector<double> plain = test::plain_graph_bounds(system);
    // Loads of kernels are rounded up, by a nanosecond for each.
    if (plain.empty()) {
      ASSERT_FALSE(result.tasks.front().bound.has_value()) << seed;
    }
    if (!result.tasks.front().bound) continue;
    ++bounded;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const auto bound = static_cast<double>(in_ns(*result.tasks[i].bound));
      ASSERT_GE(bound, plain[i] - 1e-2) << seed;
      ASSERT_LE(bound, plain[i] + 100) << seed;  // every term of every node is rounded up
    }
  }
  EXPECT_GT(bounded, test::tries(5000) / 5);
}

}  // namespace
}  // namespace tactus::analysis
