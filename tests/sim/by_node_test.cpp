// Jobs of CPU work, copies and GPU work under every strategy, held against schedules worked out by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "support/by_node_systems.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/recording.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {
namespace {

/// A system on two CPU cores and two SMs; a line of a file for each task.
System by_node(const std::string& policy, const std::string& tasks, const std::string& cpus = "2",
               std::int32_t copy_engines = 1) {
  const std::string text = fmt::format(
      "tactus: 1\nplatform: {{cpus: {}, gpu: {{sms: 2, threads_per_sm: 128, copy_engines: {}}}}}\n"
      "policy: {{{}}}\ntasks:\n{}",
      cpus, copy_engines, policy, tasks);
  const ReadResult result = read_system(text, "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message << "\n" << text;
  return result.system.value();
}

/// "server name start-end" of everything that ran, by server; exclusive work on its first SM alone.
std::string schedule(const System& system, std::int64_t horizon) {
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::SimulationOptions options;
  options.horizon = nanoseconds(horizon);
  sim::simulate(system, options, observers);
  sort_events(recorder.recording);
  std::string text;
  const auto add = [&](const std::string& server, const trace::JobName& job, Time start, Time end) {
    text += fmt::format("{} {}{} {}-{}\n", server, system.tasks[job.task].name, job.number, in_ns(start),
                        in_ns(end));
  };
  std::ranges::stable_sort(recorder.recording.cpus, {}, &trace::CpuRan::core);
  for (const auto& e : recorder.recording.cpus) add(fmt::format("cpu{}", e.core), e.job, e.start, e.end);
  for (const auto& e : recorder.recording.copies) add(fmt::format("copy{}", e.engine), e.job, e.start, e.end);
  for (const auto& e : recorder.recording.blocks) {
    if (e.sm == 0) add("gpu", e.job, e.start, e.end);
  }
  return text;
}

const std::string two_chains =
    "  - {name: a, period: 100ns, priority: 2, segments: [{cpu: 3ns}, {copy: 2ns}, {exclusive: 4ns}, {cpu: "
    "1ns}]}\n"
    "  - {name: b, period: 100ns, priority: 1, segments: [{cpu: 2ns}, {copy: 3ns}, {exclusive: 5ns}, {cpu: "
    "2ns}]}\n";

TEST(ByNode, WaitingForTheGpuGivesTheCoreAway) {
  EXPECT_EQ(schedule(by_node("strategy: single-stream, order: fp", two_chains), 100),
            "cpu0 a0 0-3\ncpu0 b0 3-5\ncpu0 a0 9-10\ncpu0 b0 14-16\n"
            "copy0 a0 3-5\ncopy0 b0 5-8\ngpu a0 5-9\ngpu b0 9-14\n");
}

TEST(ByNode, TheGpuMayHaveAnOrderOfItsOwn) {
  const std::string tasks =
      "  - {name: a, period: 100ns, priority: 2, gpu_priority: 1, segments: [{cpu: 2ns}, {exclusive: 4ns}]}\n"
      "  - {name: b, period: 100ns, priority: 1, gpu_priority: 2, segments: [{cpu: 1ns}, {exclusive: 5ns}]}\n"
      "  - {name: c, period: 100ns, priority: 0, core: 1, segments: [{cpu: 1ns}, {exclusive: 6ns}]}\n";
  for (const char* strategy : {"single-stream", "multi-stream, levels: 1"}) {
    EXPECT_EQ(schedule(by_node(fmt::format("strategy: {}, order: fp", strategy), tasks), 100),
              "cpu0 a0 0-2\ncpu0 b0 2-3\ncpu1 c0 0-1\ngpu c0 1-7\ngpu b0 7-12\ngpu a0 12-16\n");
  }
}

TEST(ByNode, WaitingBusilyKeepsTheCore) {
  System system = by_node("strategy: single-stream, order: fp", two_chains);
  system.tasks[0].wait = Waiting::busy;
  EXPECT_EQ(schedule(system, 100),
            "cpu0 a0 0-3\ncpu0 a0 9-10\ncpu0 b0 10-12\ncpu0 b0 20-22\n"
            "copy0 a0 3-5\ncopy0 b0 12-15\ngpu a0 5-9\ngpu b0 15-20\n");
  system.tasks[0].wait = Waiting::suspend;
  system.tasks[1].wait = Waiting::busy;
  EXPECT_EQ(schedule(system, 100),
            "cpu0 a0 0-3\ncpu0 b0 3-5\ncpu0 a0 9-10\ncpu0 b0 14-16\n"
            "copy0 a0 3-5\ncopy0 b0 5-8\ngpu a0 5-9\ngpu b0 9-14\n")
      << "the more urgent task takes the core from one that waits";
}

TEST(ByNode, ABusyCoreIsFreeAgainAfterTheJob) {
  const System system = by_node("strategy: single-stream, order: fp",
                                "  - {name: a, period: 10ns, wait: busy, segments: [{exclusive: 4ns}]}\n"
                                "  - {name: b, period: 40ns, segments: [{cpu: 8ns}]}\n");
  EXPECT_EQ(schedule(system, 40),
            "cpu0 b0 4-10\ncpu0 b0 14-16\ngpu a0 0-4\ngpu a1 10-14\ngpu a2 20-24\ngpu a3 30-34\n");
}

TEST(ByNode, EachServerHasAnOrderOfItsOwn) {
  // By deadline b is more urgent, by priority a.
  const std::string tasks =
      "  - {name: a, period: 100ns, priority: 2, segments: [{cpu: 2ns}, {copy: 2ns}, {exclusive: 2ns}]}\n"
      "  - {name: b, period: 50ns, priority: 1, core: 1, segments: [{cpu: 2ns}, {copy: 2ns}, {exclusive: "
      "2ns}]}\n";
  EXPECT_EQ(
      schedule(by_node("strategy: single-stream, order: edf, cpu: {order: fp}, copies: {order: fp}", tasks),
               50),
      "cpu0 a0 0-2\ncpu1 b0 0-2\ncopy0 a0 2-4\ncopy0 b0 4-6\ngpu a0 4-6\ngpu b0 6-8\n");
  EXPECT_EQ(
      schedule(
          by_node("strategy: single-stream, order: fp, cpu: {order: fp, scope: global}, copies: {order: edf}",
                  tasks),
          50),
      "cpu0 a0 0-2\ncpu1 b0 0-2\ncopy0 b0 2-4\ncopy0 a0 4-6\ngpu b0 4-6\ngpu a0 6-8\n");
  EXPECT_EQ(schedule(by_node("strategy: single-stream, order: fp, cpu: {order: edf}", tasks, "2", 2), 50),
            "cpu0 a0 0-2\ncpu1 b0 0-2\ncopy0 a0 2-4\ncopy1 b0 2-4\ngpu a0 4-6\ngpu b0 6-8\n")
      << "two copy engines serve side by side";
}

TEST(ByNode, CopiesThatAreServedAsTheyComeDoNotOvertake) {
  const std::string tasks =
      "  - {name: a, period: 100ns, offset: 1ns, priority: 2, segments: [{copy: 2ns}, {cpu: 1ns}]}\n"
      "  - {name: b, period: 100ns, priority: 1, segments: [{copy: 4ns}]}\n"
      "  - {name: c, period: 100ns, priority: 0, segments: [{copy: 3ns}]}\n";
  EXPECT_EQ(schedule(by_node("strategy: single-stream, order: fp, copies: {order: fifo}", tasks), 50),
            "cpu0 a0 9-10\ncopy0 b0 0-4\ncopy0 c0 4-7\ncopy0 a0 7-9\n");
  EXPECT_EQ(schedule(by_node("strategy: single-stream, order: fp", tasks), 50),
            "cpu0 a0 6-7\ncopy0 b0 0-4\ncopy0 a0 4-6\ncopy0 c0 6-9\n");
}

TEST(ByNode, CoresWithoutPreemptionFinishWhatTheyBegan) {
  const std::string tasks =
      "  - {name: a, period: 100ns, offset: 1ns, priority: 2, segments: [{cpu: 2ns}]}\n"
      "  - {name: b, period: 100ns, priority: 1, segments: [{cpu: 4ns}]}\n"
      "  - {name: c, period: 100ns, priority: 0, segments: [{cpu: 3ns}]}\n";
  EXPECT_EQ(schedule(by_node("strategy: single-stream, cpu: {order: fp, preemptive: false}", tasks), 50),
            "cpu0 b0 0-4\ncpu0 a0 4-6\ncpu0 c0 6-9\n");
  EXPECT_EQ(
      schedule(by_node("strategy: single-stream, cpu: {order: fp, preemptive: false, scope: global}", tasks),
               50),
      "cpu0 b0 0-4\ncpu1 c0 0-3\ncpu1 a0 3-5\n");
  EXPECT_EQ(schedule(by_node("strategy: single-stream, cpu: {order: fp}", tasks), 50),
            "cpu0 b0 0-1\ncpu0 a0 1-3\ncpu0 b0 3-6\ncpu0 c0 6-9\n");
}

TEST(ByNode, ATaskOfAClusterRunsOnItsCores) {
  const std::string tasks =
      "  - {name: a, period: 100ns, core: 1, segments: [{cpu: 2ns}]}\n"
      "  - {name: b, period: 100ns, core: 2, segments: [{cpu: 2ns}]}\n"
      "  - {name: c, period: 100ns, core: 0, segments: [{cpu: 2ns}]}\n";
  EXPECT_EQ(schedule(by_node("strategy: single-stream, cpu: {order: fp, scope: clustered}", tasks,
                             "{clusters: [1, 2]}"),
                     50),
            "cpu0 c0 0-2\ncpu1 a0 0-2\ncpu2 b0 0-2\n");
  EXPECT_EQ(schedule(by_node("strategy: single-stream, cpu: {order: fp, scope: clustered}", tasks,
                             "{clusters: [2, 1]}"),
                     50),
            "cpu0 a0 0-2\ncpu1 c0 0-2\ncpu2 b0 0-2\n");
}

/// Fair lateness takes the deadline half of the CPU time earlier on two cores.
TEST(ByNode, FairLatenessPrefersLongWork) {
  const std::string tasks =
      "  - {name: x, period: 90ns, segments: [{cpu: 4ns}]}\n"
      "  - {name: y, period: 90ns, segments: [{cpu: 4ns}]}\n"
      "  - {name: a, period: 100ns, segments: [{cpu: 2ns}]}\n"
      "  - {name: b, period: 101ns, segments: [{cpu: 10ns}]}\n";
  EXPECT_EQ(schedule(by_node("strategy: single-stream, cpu: {order: edf, scope: global}", tasks), 90),
            "cpu0 x0 0-4\ncpu0 a0 4-6\ncpu1 y0 0-4\ncpu1 b0 4-14\n");
  EXPECT_EQ(schedule(by_node("strategy: single-stream, cpu: {order: fl, scope: global}", tasks), 90),
            "cpu0 x0 0-4\ncpu0 b0 4-14\ncpu1 y0 0-4\ncpu1 a0 4-6\n");
}

TEST(ByNode, BranchesOfAGraphRunSideBySide) {
  const std::string tasks =
      "  - name: g\n    period: 100ns\n    graph:\n"
      "      nodes: {in: {cpu: 2ns}, up: {copy: 3ns}, k: {exclusive: 4ns}, side: {cpu: 5ns}, out: {cpu: "
      "1ns}}\n"
      "      edges: [[in, up], [up, k], [in, side], [k, out], [side, out]]\n";
  for (const char* strategy : {"single-stream", "multi-stream", "as-submitted"}) {
    EXPECT_EQ(schedule(by_node(fmt::format("strategy: {}", strategy), tasks), 100),
              "cpu0 g0 0-2\ncpu0 g0 2-7\ncpu0 g0 9-10\ncopy0 g0 2-5\ngpu g0 5-9\n")
        << strategy;
  }
}

TEST(ByNode, ACopyDoesNotWaitForTheLaunchOfAnotherBranch) {
  // The copy of g is submitted at 2, when that of x is over; g's kernel is on its way until 5.
  const std::string tasks =
      "  - {name: x, period: 100ns, priority: 2, segments: [{copy: 2ns}, {cpu: 1ns}]}\n"
      "  - {name: g, period: 100ns, priority: 1, graph: {nodes: {up: {copy: 3ns}, k: {exclusive: 4ns}}, "
      "edges: []}}\n";
  for (const char* strategy : {"single-stream", "multi-stream", "as-submitted"}) {
    System system = by_node(fmt::format("strategy: {}, copies: {{order: fp}}", strategy), tasks);
    system.platform.overheads.launch = nanoseconds(5);
    EXPECT_EQ(schedule(system, 100), "cpu0 x0 2-3\ncopy0 x0 0-2\ncopy0 g0 2-5\ngpu g0 5-9\n") << strategy;
  }
}

TEST(ByNode, LevelsHoldNodes) {
  const std::string tasks =
      "  - {name: a, period: 100ns, offset: 4ns, priority: 2, segments: [{cpu: 1ns}, {exclusive: 2ns}, {cpu: "
      "1ns}, {exclusive: 2ns}]}\n"
      "  - {name: b, period: 100ns, priority: 1, core: 1, longest_block: 3ns, segments: [{exclusive: 12ns}, "
      "{cpu: 1ns}]}\n";
  EXPECT_EQ(schedule(by_node("strategy: multi-stream, order: fp, levels: 2", tasks), 100),
            "cpu0 a0 4-5\ncpu0 a0 8-9\ncpu1 b0 16-17\n"
            "gpu b0 0-3\ngpu b0 3-6\ngpu a0 6-8\ngpu b0 8-11\ngpu a0 11-13\ngpu b0 13-16\n");
  EXPECT_EQ(schedule(by_node("strategy: single-stream, order: fp", tasks), 100),
            "cpu0 a0 4-5\ncpu0 a0 14-15\ncpu1 b0 12-13\n"
            "gpu b0 0-3\ngpu b0 3-6\ngpu b0 6-9\ngpu b0 9-12\ngpu a0 12-14\ngpu a0 15-17\n");
}

TEST(ByNode, WindowsServeNodes) {
  const std::string tasks =
      "  - {name: a, period: 100ns, sm: 0, segments: [{cpu: 1ns}, {exclusive: 3ns}, {cpu: 1ns}, {exclusive: "
      "2ns}]}\n";
  const std::string windows =
      "strategy: sm-cores, reservations: {period: 10ns, local: {offset: 0ns, budget: 5ns}}";
  EXPECT_EQ(schedule(by_node(windows, tasks), 100), "cpu0 a0 0-1\ncpu0 a0 4-5\ngpu a0 1-4\ngpu a0 10-12\n");
}

TEST(ByNode, JobsOfATaskRunOneAfterTheOther) {
  const std::string tasks =
      "  - {name: a, period: 5ns, deadline: 9ns, segments: [{cpu: 3ns}, {exclusive: 4ns}]}\n";
  for (const char* strategy : {"single-stream", "multi-stream", "as-submitted"}) {
    EXPECT_EQ(schedule(by_node(fmt::format("strategy: {}", strategy), tasks), 20),
              "cpu0 a0 0-3\ncpu0 a1 7-10\ncpu0 a2 14-17\ngpu a0 3-7\ngpu a1 10-14\ngpu a2 17-21\n")
        << strategy;
  }
}

TEST(ByNode, RandomSystemsAreValid) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(2000); ++seed) {
    const Scenario scenario = by_node_scenario(seed);
    EXPECT_TRUE(validate(scenario.system).empty())
        << describe(scenario) << validate(scenario.system)[0].message;
  }
}

}  // namespace
}  // namespace tactus::test
