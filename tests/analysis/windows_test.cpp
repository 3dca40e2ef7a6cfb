// window-necessary, -sbf, -linear, -blocks and -fp: examples of the paper, counterexamples, degenerate cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/gpu_job_systems.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/json.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::analysis {
namespace {

using test::add_best_effort;
using test::bounds_of;
using test::Job;
using test::one_core;
using testing::ElementsAre;
using testing::HasSubstr;

/// Example 2 of the paper: two tasks on core 0, one on core 1, one on all SMs.
System example_two(Order order = Order::edf) {
  System system = one_core(0, 8, 12, order, {{3, 10, 10}, {5, 15, 15}, {1, 10, 10}, {4, 12, 12}});
  system.tasks[2].sm.core = 1;
  system.tasks[3].sm = {};
  system.policy.reservations->all = Window{nanoseconds(8), nanoseconds(4)};
  return system;
}

TEST(WindowSbf, ExampleTwoMissesByOneUnitAndOnlyOnCoreZero) {
  const Result result = window_sbf(example_two());
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  EXPECT_EQ(to_json(result.detail)["server"], "core 0");
  EXPECT_THAT(bounds_of(result), ElementsAre(-1, -1, 10, 12));
  EXPECT_FALSE(result.tasks[0].ok);
  EXPECT_TRUE(result.tasks[2].ok && result.tasks[3].ok);
}

TEST(WindowSbf, RefutesWhatTheSignErrorAccepts) {
  const Result result = window_sbf(one_core(1, 2, 5, Order::edf, {{1, 1, 3}}));
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  EXPECT_EQ(result.reason,
            "in an interval of 1ns the tasks of core 0 may need 1ns, but the windows give 0ns: 1ns too much");
}

TEST(WindowSbf, FirstSetOfTheoremFive) {
  const Result result = window_sbf(one_core(0, 16, 20, Order::edf, {{4, 5, 10}, {6, 40, 40}}));
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  EXPECT_EQ(to_json(result.detail)["interval_ns"], 5);
  EXPECT_EQ(to_json(result.detail)["demand_ns"], 4);
  EXPECT_EQ(to_json(result.detail)["supply_ns"], 1);
  EXPECT_EQ(to_json(result.detail)["blocking_ns"], 0);
  EXPECT_TRUE(to_json(result.detail)["blocker"].is_null());
}

TEST(WindowSbf, SecondSetOfTheoremFive) {
  // (3,10,10) and (4,15,15) in windows of 8 every 12: at 10 the supply is 6, at 15 it is 8, the demand 7.
  const Result result = window_sbf(one_core(0, 8, 12, Order::edf, {{3, 10, 10}, {4, 15, 15}}));
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds_of(result), ElementsAre(10, 15));
}

TEST(WindowSbf, TheWholeShareCanBeUsed) {
  // 3 of every 5, one task of that share: at 5 k the windows have given 3 k.
  EXPECT_EQ(window_sbf(one_core(1, 3, 5, Order::edf, {{3, 5, 5}})).verdict, Verdict::schedulable);
  EXPECT_EQ(window_sbf(one_core(1, 3, 5, Order::edf, {{3, 4, 5}})).verdict, Verdict::unschedulable);
  // The share is enough, but 10 is not a multiple of 4: an interval of 10 has 2 + 2 + 0.
  EXPECT_EQ(window_sbf(one_core(0, 2, 4, Order::edf, {{5, 10, 10}})).verdict, Verdict::unschedulable);
  EXPECT_EQ(window_sbf(one_core(0, 2, 4, Order::edf, {{4, 10, 10}})).verdict, Verdict::schedulable);
}

TEST(WindowSbf, PeriodicTasksOverheadsAndJitterAreNotRefuted) {
  System system = one_core(0, 16, 20, Order::edf, {{4, 5, 10}, {6, 40, 40}});
  system.tasks[0].arrival = Arrival::periodic;
  EXPECT_EQ(window_sbf(system).verdict, Verdict::unproven);
  system.tasks[0].arrival = Arrival::sporadic;
  system.tasks[1].jitter = nanoseconds(1);
  EXPECT_EQ(window_sbf(system).verdict, Verdict::unproven);
  system.tasks[1].jitter = {};
  system.platform.overheads.launch = nanoseconds(1);
  EXPECT_EQ(window_sbf(system).verdict, Verdict::unproven);
  system.platform.overheads = {};
  EXPECT_EQ(window_sbf(system).verdict, Verdict::unschedulable);
}

TEST(WindowSbf, NoWindowIsNoTime) {
  System system = example_two();
  system.policy.reservations->all.reset();
  system.tasks[0].arrival = Arrival::periodic;
  const Result result = window_sbf(system);
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  EXPECT_THAT(result.reason, HasSubstr("all SMs need 0.333334 of its time, but it has no window"));
}

TEST(WindowSbf, OverloadIsRefutedForPeriodicTasksToo) {
  System system = one_core(0, 2, 4, Order::edf, {{6, 10, 10}});
  system.tasks[0].arrival = Arrival::periodic;
  EXPECT_EQ(window_sbf(system).verdict, Verdict::unschedulable);
  system = one_core(0, 2, 4, Order::edf, {{5, 10, 10}});
  system.tasks[0].arrival = Arrival::periodic;
  EXPECT_EQ(window_sbf(system).verdict, Verdict::unproven);
}

TEST(WindowSbf, BlocksAreReferredToTheOtherTest) {
  System system = one_core(0, 8, 12, Order::edf, {{3, 10, 10}, {4, 15, 15, 2}});
  EXPECT_THAT(window_sbf(system).why_not,
              HasSubstr("task 'task2' has blocks of 2ns; window-blocks takes them"));
  EXPECT_THAT(window_linear(system).why_not, HasSubstr("window-blocks"));
  system = one_core(0, 8, 12, Order::edf, {{3, 10, 10}});
  add_best_effort(system, 5);
  EXPECT_THAT(window_sbf(system).why_not, HasSubstr("has blocks of 5ns"));
  system.tasks[1].longest_block = nanoseconds(0);
  EXPECT_EQ(window_sbf(system).verdict, Verdict::schedulable);
}

TEST(WindowSbf, OverheadsShrinkWindowsAndAddToCosts) {
  // Ideal work: 2 (l + c) for each job, r + l + c off each window.
  System system = one_core(0, 12, 20, Order::edf, {{3, 20, 20}});
  system.platform.overheads.release = nanoseconds(2);
  system.platform.overheads.launch = nanoseconds(1);
  system.platform.overheads.completion = nanoseconds(1);
  // 7 of 8; deadline 18 after the release was seen: 18 - 12 = 6.
  EXPECT_EQ(window_sbf(system).verdict, Verdict::unproven);
  EXPECT_EQ(to_json(window_sbf(system).detail)["interval_ns"], 18);
  EXPECT_EQ(to_json(window_sbf(system).detail)["demand_ns"], 7);
  EXPECT_EQ(to_json(window_sbf(system).detail)["supply_ns"], 6);
  system.tasks[0].work.nodes[0].segment = ExclusiveSegment{Interval::exactly(nanoseconds(2))};
  EXPECT_EQ(window_sbf(system).verdict, Verdict::schedulable);
}

TEST(WindowLinear, TouchesTheSupplyOnlyWhereAGapEnds) {
  // At 15 the windows have given 8, the line 7 1/3.
  const auto jobs = [](std::int64_t cost) { return std::vector<Job>{{cost, 15, 15}}; };
  EXPECT_EQ(window_linear(one_core(0, 8, 12, Order::edf, jobs(7))).verdict, Verdict::schedulable);
  EXPECT_EQ(window_sbf(one_core(0, 8, 12, Order::edf, jobs(8))).verdict, Verdict::schedulable);
  EXPECT_EQ(window_linear(one_core(0, 8, 12, Order::edf, jobs(8))).verdict, Verdict::unproven);
  EXPECT_EQ(window_linear(one_core(0, 8, 12, Order::edf, {{8, 16, 16}})).verdict, Verdict::schedulable);
  EXPECT_EQ(window_linear(one_core(0, 8, 12, Order::edf, {{11, 15, 15}})).verdict, Verdict::unschedulable);
}

TEST(WindowNecessary, JudgesEachCoreWithTheGang) {
  System system = example_two();
  const Result passes = window_necessary(system);  // 0.3 + 1/3 + 1/3 < 1
  EXPECT_EQ(passes.verdict, Verdict::unproven);
  EXPECT_FALSE(passes.tasks[0].ok);
  system.tasks[0].work.nodes[0].segment = ExclusiveSegment{Interval::exactly(nanoseconds(4))};
  for (Task& task : system.tasks) task.arrival = Arrival::periodic;
  const Result fails = window_necessary(system);
  EXPECT_EQ(fails.verdict, Verdict::unschedulable);
  EXPECT_EQ(to_json(fails.detail)["server"], "core 0");
  EXPECT_EQ(to_json(fails.detail)["utilisation"], "1.066667");
  system.policy.reservations.reset();
  system.policy.order = Order::fp;
  EXPECT_EQ(window_necessary(system).verdict, Verdict::unschedulable);
}

TEST(WindowNecessary, ExactlyAllOfTheTimePasses) {
  System system = one_core(0, 6, 12, Order::edf, {{1, 3, 3}, {2, 6, 6}, {4, 12, 12}});
  system.tasks[2].sm = {};
  EXPECT_EQ(window_necessary(system).verdict, Verdict::unproven);
  system.tasks[2].period = nanoseconds(11);
  system.tasks[2].deadline = nanoseconds(11);
  EXPECT_EQ(window_necessary(system).verdict, Verdict::unschedulable);
}

TEST(WindowBlocks, LosesTheLongestBlockOfEachWindow) {
  // Windows of 8 every 12 lose 2: at 15 there are 6. A block of the other task is in the way up to 19.
  const auto set = [](std::int64_t cost) {
    return one_core(0, 8, 12, Order::edf, {{cost, 15, 20, 2}, {1, 20, 20, 1}});
  };
  EXPECT_EQ(window_blocks(set(5)).verdict, Verdict::schedulable);
  const Result result = window_blocks(set(6));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_EQ(to_json(result.detail)["interval_ns"], 15);
  EXPECT_EQ(to_json(result.detail)["blocking_ns"], 1);
  EXPECT_EQ(to_json(result.detail)["blocker"], "task2");
  EXPECT_EQ(to_json(result.detail)["supply_ns"], 6);
}

TEST(WindowBlocks, ABlockThatFillsTheWindowIsRejected) {
  System system = one_core(0, 8, 12, Order::edf, {{1, 20, 20, 0}, {8, 60, 60, 8}});
  const Result result = window_blocks(system);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_THAT(result.reason, HasSubstr("a block of 'task2' takes 8ns, the windows of core 0 have 8ns"));
  system.policy.order = Order::fp;
  EXPECT_EQ(window_fp(system).verdict, Verdict::unproven);
}

TEST(WindowBlocks, BestEffortBlocksAreInTheWayButLoseNothing) {
  System system = one_core(0, 8, 12, Order::edf, {{3, 12, 12, 0}});
  add_best_effort(system, 100, 5);
  EXPECT_EQ(window_blocks(system).verdict, Verdict::schedulable);  // 3 + 5 = 12 - 4
  add_best_effort(system, 100, 6);
  EXPECT_EQ(window_blocks(system).verdict, Verdict::unproven);
}

TEST(WindowBlocks, WithoutBlocksItIsWindowSbf) {
  for (const Job& job : {Job{3, 10, 10}, Job{6, 10, 10}, Job{7, 10, 10}, Job{1, 4, 9}, Job{1, 5, 9}}) {
    const System system = one_core(0, 8, 12, Order::edf, {job});
    EXPECT_EQ(window_blocks(system).verdict == Verdict::schedulable,
              window_sbf(system).verdict == Verdict::schedulable);
  }
}

TEST(WindowBlocks, WhatInterruptsIdealWorkPaysForItsNewStart) {
  // Blocks of 2: cost 4 + 2 (l + c), and l + c more because the ideal task must start again.
  System system = one_core(0, 12, 12, Order::edf, {{4, 9, 30, 2}, {1, 30, 30, 0}});
  system.platform.overheads.launch = nanoseconds(1);
  EXPECT_EQ(window_blocks(system).verdict, Verdict::schedulable);
  system.tasks[0].deadline = nanoseconds(6);
  EXPECT_EQ(window_blocks(system).verdict, Verdict::unproven);
  EXPECT_EQ(to_json(window_blocks(system).detail)["demand_ns"], 7);
}

TEST(Windows, WaitForWorkOfTheOtherWindowsToBeKnownAsDone) {
  System system = one_core(0, 8, 12, Order::edf, {{4, 12, 40, 1}});
  system.platform.overheads.completion = nanoseconds(1);
  // Four slices of 1 + 1: 8; each window loses 2.
  EXPECT_EQ(to_json(window_blocks(system).detail)["supply_ns"], 6);
  Task gang = test::exclusive_task("gang", Arrival::sporadic, 1, 1);
  gang.period = gang.deadline = nanoseconds(100);
  system.tasks.push_back(gang);
  system.policy.reservations->all = Window{nanoseconds(8), nanoseconds(4)};
  EXPECT_EQ(to_json(window_blocks(system).detail)["supply_ns"], 5);
}

TEST(WindowFp, ResponseTimesInWindows) {
  // 2 in windows of 4 every 10: 6 + 2. Then 2 + 3 = 4 + 1: 16 + 1, and the first comes again at 10: 2 + 2
  // + 3.
  const Result result = window_fp(one_core(0, 4, 10, Order::fp, {{2, 10, 10}, {3, 40, 40}}));
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds_of(result), ElementsAre(8, 19));
}

TEST(WindowFp, TheWitnessHoldsTheTerms) {
  const Result result = window_fp(one_core(0, 4, 10, Order::fp, {{2, 10, 10}, {3, 18, 40}}));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_THAT(bounds_of(result), ElementsAre(8, 19));
  EXPECT_FALSE(result.tasks[1].ok);
  EXPECT_EQ(to_json(result.detail)["task"], "task2");
  EXPECT_EQ(to_json(result.detail)["own_ns"], 3);
  EXPECT_EQ(to_json(result.detail)["interference"][0]["jobs"], 2);
  EXPECT_EQ(to_json(result.detail)["interference"][0]["work_ns"], 4);
}

TEST(WindowFp, BlocksOfLessUrgentTasksCount) {
  System system = one_core(0, 5, 10, Order::fp, {{2, 10, 10, 0}, {3, 40, 40, 1}});
  // Windows of 4: the first waits for 1: 6 + 3.
  EXPECT_THAT(bounds_of(window_fp(system)), ElementsAre(9, 19));
  add_best_effort(system, 10, 2);
  EXPECT_THAT(bounds_of(window_fp(system)),
              ElementsAre(10, 29, -1));  // second: 2 + 3 + 3 times 2 = 2 windows and 3
}

TEST(WindowFp, AFullWindowIsTheTextbook) {
  const Result result = window_fp(one_core(0, 7, 7, Order::fp, {{1, 4, 4}, {2, 6, 6}, {3, 12, 12}}));
  EXPECT_THAT(bounds_of(result), ElementsAre(1, 3, 10));
}

TEST(Windows, AWindowThatCoversItsPeriodIsNoWindow) {
  // Processor demand: 2 at 3, 2 + 3 at 6, 4 + 3 at 8.
  const std::vector<Job> fits{{2, 3, 5}, {3, 6, 10}};
  const std::vector<Job> too_much{{2, 3, 5}, {5, 6, 10}};
  for (const std::int64_t period : {1, 7, 10}) {
    EXPECT_EQ(window_sbf(one_core(0, period, period, Order::edf, fits)).verdict, Verdict::schedulable);
    EXPECT_EQ(window_linear(one_core(0, period, period, Order::edf, fits)).verdict, Verdict::schedulable);
    EXPECT_EQ(window_blocks(one_core(0, period, period, Order::edf, fits)).verdict, Verdict::schedulable);
    const Result result = window_sbf(one_core(0, period, period, Order::edf, too_much));
    EXPECT_EQ(result.verdict, Verdict::unschedulable);
    EXPECT_EQ(result.reason, "in an interval of 6ns the tasks of core 0 may need 7ns: 1ns too much");
  }
}

TEST(Windows, WhatDoesNotApplyIsNamed) {
  System system = example_two();
  EXPECT_THAT(window_fp(system).why_not, HasSubstr("needs the order fp"));
  system.policy.order = Order::fp;
  EXPECT_THAT(window_sbf(system).why_not, HasSubstr("needs the order edf"));
  EXPECT_THAT(window_linear(system).why_not, HasSubstr("needs the order edf"));
  EXPECT_THAT(window_blocks(system).why_not, HasSubstr("needs the order edf"));
  system = example_two();
  system.tasks[1].sm.kind = SmAffinity::Kind::any;
  EXPECT_THAT(window_necessary(system).why_not, HasSubstr("task 'task2' has `sm: any`"));
  system = example_two();
  system.policy.reservations.reset();
  EXPECT_THAT(window_sbf(system).why_not, HasSubstr("policy.reservations is missing"));
  system.policy.strategy = strategy_named("multi-stream");
  EXPECT_EQ(run(*find("window-necessary"), system).why_not, "needs the strategy sm-cores");
}

TEST(Registry, HoldsTheTestsOfGpuJobsInOrder) {
  std::vector<std::string_view> ids;
  for (const Analysis& entry : registry()) ids.push_back(entry.id);
  const std::vector<std::string_view> expected{
      "np-edf",           "np-fp",           "ms-edf",           "ms-fp",
      "ms-edf-immediate", "ms-fp-immediate", "window-necessary", "window-sbf",
      "window-linear",    "window-blocks",   "window-fp"};
  std::size_t next = 0;
  for (const std::string_view id : ids) {
    if (next < expected.size() && id == expected[next]) ++next;
  }
  EXPECT_EQ(next, expected.size());
}

TEST(Check, NecessaryAndSufficientTestsTogether) {
  const CheckResult result = check(example_two());
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  const CheckResult holds = check(one_core(0, 8, 12, Order::edf, {{3, 10, 10}, {4, 15, 15}}));
  EXPECT_EQ(holds.verdict, Verdict::schedulable);
}

}  // namespace
}  // namespace tactus::analysis
