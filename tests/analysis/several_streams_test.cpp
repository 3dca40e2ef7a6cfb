// ms-edf, ms-fp and their immediate forms: counterexamples to the printed lemma, degenerate cases, verdicts.
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
using test::streams;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<Job> lemma_one{{1, 4, 20, 1}, {6, 14, 20, 1}, {4, 20, 20, 1}};

TEST(MsEdf, RefusesTheCounterexamplesToLemmaOne) {
  // Released third, second, first at 0, 1, 2, the first waits until 7; its deadline is 6.
  EXPECT_EQ(ms_edf(streams(2, Order::edf, lemma_one)).verdict, Verdict::unproven);
  EXPECT_EQ(ms_edf_immediate(streams(2, Order::edf, lemma_one, Refill::immediate)).verdict,
            Verdict::unschedulable);
  // If a preemption costs a block of real time.
  EXPECT_EQ(ms_edf(streams(2, Order::edf, {{1, 4, 5, 1}, {6, 10, 12, 3}})).verdict, Verdict::unproven);
  // The high stream is busy while the low one is empty.
  const std::vector<Job> high_alone{{1, 3, 30, 1}, {5, 20, 30, 1}, {2, 30, 30, 2}};
  EXPECT_EQ(ms_edf(streams(2, Order::edf, high_alone)).verdict, Verdict::unproven);
  EXPECT_EQ(ms_edf_immediate(streams(2, Order::edf, high_alone, Refill::immediate)).verdict,
            Verdict::unschedulable);
}

TEST(MsEdf, LazyRefillNeedsTheRobustForm) {
  const std::vector<Job> jobs{{1, 3, 3, 1}, {1, 3, 3, 1}, {3, 13, 16, 1}};
  EXPECT_EQ(ms_edf_immediate(streams(2, Order::edf, jobs, Refill::immediate)).verdict, Verdict::schedulable);
  EXPECT_EQ(ms_edf(streams(2, Order::edf, jobs)).verdict, Verdict::unproven);
  EXPECT_THAT(ms_edf_immediate(streams(2, Order::edf, jobs)).why_not, HasSubstr("refill"));
  EXPECT_THAT(ms_fp_immediate(streams(2, Order::fp, jobs)).why_not, HasSubstr("refill"));
  EXPECT_TRUE(ms_edf(streams(2, Order::edf, jobs, Refill::immediate)).applies());
}

TEST(MsEdf, TheWitnessNamesTheJobInTheLastLevel) {
  const Result result = ms_edf_immediate(streams(2, Order::edf, lemma_one, Refill::immediate));
  EXPECT_EQ(to_json(result.detail)["interval_ns"], 4);
  EXPECT_EQ(to_json(result.detail)["demand_ns"], 1);
  EXPECT_EQ(to_json(result.detail)["blocking_ns"], 7);  // 6 and a block of 1 below
  EXPECT_EQ(to_json(result.detail)["blocker"], "task2");
}

TEST(MsEdf, ThreeLevelsLetTheFirstTaskPass) {
  const Result result = ms_edf(streams(3, Order::edf, lemma_one));
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds_of(result), ElementsAre(4, 14, 20));
}

TEST(MsEdf, ThreeLevelsAreNotRefuted) {
  // Four tasks: the second can hold the last of three levels.
  const std::vector<Job> jobs{{1, 4, 40, 1}, {6, 14, 40, 1}, {4, 20, 40, 1}, {4, 30, 40, 1}};
  EXPECT_EQ(ms_edf_immediate(streams(3, Order::edf, jobs, Refill::immediate)).verdict, Verdict::unproven);
}

TEST(MsEdf, OneLevelIsNonPreemptive) {
  const std::vector<std::vector<Job>> sets{
      {{2, 3, 3, 1}, {3, 19, 20, 1}}, {{1, 4, 4, 1}, {3, 19, 20, 1}}, {{5, 5, 5, 1}}, {{3, 3, 5}, {3, 6, 7}}};
  for (const std::vector<Job>& jobs : sets) {
    const Result alone = np_edf(test::one_stream(Order::edf, jobs));
    const Result level = ms_edf(streams(1, Order::edf, jobs));
    const Result immediate = ms_edf_immediate(streams(1, Order::edf, jobs, Refill::immediate));
    EXPECT_EQ(level.verdict == Verdict::schedulable, alone.verdict == Verdict::schedulable);
    EXPECT_EQ(immediate.verdict, alone.verdict);
    EXPECT_EQ(bounds_of(level), bounds_of(alone));
    EXPECT_EQ(level.detail, alone.detail);
  }
}

TEST(MsEdf, EqualDeadlinesAreNotRefuted) {
  std::vector<Job> jobs = lemma_one;
  jobs.push_back({1, 20, 20, 1});
  EXPECT_EQ(ms_edf_immediate(streams(2, Order::edf, jobs, Refill::immediate)).verdict, Verdict::unproven);
}

TEST(MsEdf, LateReleasesLetMoreTasksBeBelow) {
  // Alone in time the second task is never below the first: their deadlines are equal.
  System system = streams(2, Order::edf, {{2, 10, 20, 1}, {6, 10, 20, 3}}, Refill::immediate);
  EXPECT_EQ(ms_edf(system).verdict, Verdict::schedulable);
  EXPECT_EQ(ms_edf_immediate(system).verdict, Verdict::schedulable);
  system.tasks[0].jitter = nanoseconds(1);
  // 2 + 3 for the first, in demand and in the last level.
  EXPECT_EQ(ms_edf(system).verdict, Verdict::unproven);
  EXPECT_EQ(to_json(ms_edf(system).detail)["demand_ns"], 5);
  EXPECT_EQ(to_json(ms_edf(system).detail)["blocking_ns"], 5);
}

TEST(MsEdf, BestEffortTasksAreBelowAllOthers) {
  System system = streams(2, Order::edf, {{2, 9, 20}, {3, 10, 20}});
  EXPECT_EQ(ms_edf(system).verdict, Verdict::schedulable);  // 2 + 3 and 3 in the last level
  add_best_effort(system, 50, 2);
  // Every job may wait for 2, and the second task can be in the last level: (2 + 3) + (3 + 3) > 9.
  const Result result = ms_edf(system);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_EQ(to_json(result.detail)["interval_ns"], 9);
  EXPECT_EQ(to_json(result.detail)["demand_ns"], 5);
  EXPECT_EQ(to_json(result.detail)["blocking_ns"], 5);
}

TEST(MsEdf, LaunchesAndCompletionsCountInCostsAndBlocks) {
  System system = streams(2, Order::edf, {{2, 13, 20, 1}, {4, 20, 20, 2}}, Refill::immediate);
  system.platform.overheads.launch = nanoseconds(3);
  system.platform.overheads.completion = nanoseconds(1);
  // First: 2 + 4, block below 2 + 1.
  System shorter = system;
  shorter.tasks[0].deadline = nanoseconds(9);
  EXPECT_EQ(ms_edf(shorter).verdict, Verdict::schedulable);
  shorter.tasks[0].deadline = nanoseconds(8);
  EXPECT_EQ(ms_edf(shorter).verdict, Verdict::unproven);
  EXPECT_EQ(to_json(ms_edf(shorter).detail)["demand_ns"], 9);
  // Where launches take time, the immediate form charges every job as well, and the block once more.
  EXPECT_EQ(ms_edf_immediate(system).verdict, Verdict::schedulable);
  system.tasks[0].deadline = nanoseconds(11);
  EXPECT_EQ(ms_edf_immediate(system).verdict, Verdict::unproven);
  EXPECT_EQ(to_json(ms_edf_immediate(system).detail)["demand_ns"], 9);
  EXPECT_EQ(to_json(ms_edf_immediate(system).detail)["blocking_ns"], 3);
}

TEST(MsEdf, BlocksOfKernelsNeedNotStartTogether) {
  System system = streams(2, Order::edf, {{2, 6, 20, 1}, {4, 20, 20, 2}}, Refill::immediate);
  EXPECT_EQ(ms_edf_immediate(system).verdict, Verdict::schedulable);
  KernelSegment kernel;
  kernel.grid = {16, 1, 1};
  kernel.block = 1024;  // eight at once: two waves
  kernel.block_time = Interval::exactly(nanoseconds(2));
  system.tasks[1].longest_block.reset();
  system.tasks[1].work.nodes[0].segment = kernel;
  EXPECT_EQ(ms_edf_immediate(system).verdict, Verdict::schedulable);  // 2 + 2, and 2 once
  system.tasks[0].deadline = nanoseconds(5);
  EXPECT_EQ(ms_edf_immediate(system).verdict, Verdict::unproven);
  system.tasks[1] = test::exclusive_task("task2", Arrival::sporadic, 4, 2);
  system.tasks[1].period = system.tasks[1].deadline = nanoseconds(20);
  EXPECT_EQ(ms_edf_immediate(system).verdict, Verdict::schedulable);  // 2, and 2 once
}

// ------------------------------------------------------------------------------------------------------
// ms-fp

TEST(MsFp, ResponseTimesByHand) {
  const Result result = ms_fp(streams(2, Order::fp, lemma_one));
  // The second task can be in the last level with a block of 1 below: 7. Then 1 + 1.
  EXPECT_THAT(bounds_of(result), ElementsAre(9, -1, -1));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_EQ(to_json(result.detail)["blocking_ns"], 7);
  EXPECT_EQ(to_json(result.detail)["blocker"], "task2");
  EXPECT_EQ(to_json(result.detail)["own_ns"], 1);
  EXPECT_EQ(to_json(result.detail)["blocks_in_the_way_ns"], 1);
  const Result three = ms_fp(streams(3, Order::fp, lemma_one));
  EXPECT_EQ(three.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds_of(three), ElementsAre(2, 9, 13));  // 1 + 1; + 6 + 1; + 4
}

TEST(MsFp, TheImmediateFormPaysForOneBlock) {
  const Result result = ms_fp_immediate(streams(3, Order::fp, lemma_one, Refill::immediate));
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  // First: 1 + max(block 1, the first can hold the last level but no less urgent one can).
  EXPECT_THAT(bounds_of(result), ElementsAre(2, 8, 11));
}

TEST(MsFp, ManyLevelsAndIdealBlocksAreTextbookResponseTimes) {
  const Result result = ms_fp(streams(8, Order::fp, {{1, 4, 4, 0}, {2, 6, 6, 0}, {3, 12, 12, 0}}));
  EXPECT_THAT(bounds_of(result), ElementsAre(1, 3, 10));
}

TEST(MsFp, JitterAddsJobsAndTime) {
  System system = streams(8, Order::fp, {{1, 4, 4, 0}, {2, 6, 6, 0}, {3, 12, 12, 0}});
  system.tasks[0].jitter = nanoseconds(2);
  system.tasks[2].jitter = nanoseconds(1);
  // Second: 2 + ceil((R + 2)/4): 4. Third: 3 + ceil((R + 2)/4) + 2 ceil(R/6): 10, + 1.
  EXPECT_THAT(bounds_of(ms_fp(system)), ElementsAre(3, 4, 11));
}

TEST(Streams, WhatDoesNotApplyIsNamed) {
  System system = streams(2, Order::edf, lemma_one);
  EXPECT_THAT(ms_fp(system).why_not, HasSubstr("needs the order fp"));
  system.policy.order = Order::fp;
  EXPECT_THAT(ms_edf(system).why_not, HasSubstr("needs the order edf"));
  system.policy.order = Order::edf;
  system.tasks[1].work.form = WorkForm::chain;
  system.tasks[1].work.nodes.push_back(system.tasks[1].work.nodes[0]);
  EXPECT_THAT(ms_edf(system).why_not,
              HasSubstr("needs tasks of one kernel or one exclusive segment: task 'task2' has 2 segments"));
  system.policy.strategy = strategy_named("single-stream");
  EXPECT_EQ(run(*find("ms-edf"), system).why_not, "needs the strategy multi-stream");
}

}  // namespace
}  // namespace tactus::analysis
