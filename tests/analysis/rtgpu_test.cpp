// rtgpu and rtgpu-paper: the small systems of the literature, degenerate cases, verdicts and witnesses.
#include "tactus/analysis/analyses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/chains.hpp"
#include "support/dice.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/json.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::analysis {
namespace {

using test::bounds;
using test::Chain;
using test::copy;
using test::cpu;
using test::federated;
using test::gpu;
using test::shared_gpu;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Rtgpu, CountsTheCarryInOfTheFirstWrap) {
  // Without it the second task would get 8; 9 is observed.
  const System system =
      federated({{10, 14, {cpu(2, 3), copy(1), gpu(1, 2), copy(3), cpu(1)}, {}}, {9, 9, {cpu(5)}, {}}});
  EXPECT_THAT(bounds(rtgpu_paper(system)), ElementsAre(10, 9));
  EXPECT_EQ(rtgpu_paper(system).verdict, Verdict::schedulable);
  EXPECT_THAT(bounds(rtgpu(system)), ElementsAre(10, 9));
}

TEST(Rtgpu, CountsWorkThatWasPutOff) {
  // ceil(t/T) C alone would give 7; 8 is observed.
  const System system = federated({{5, 8, {cpu(1), gpu(0, 2), cpu(1, 2)}, {}}, {20, 20, {cpu(4)}, {}}});
  EXPECT_THAT(bounds(rtgpu_paper(system)), ElementsAre(5, 10));
  EXPECT_THAT(bounds(rtgpu(system)), ElementsAre(5, 10));
}

TEST(Rtgpu, CarriesInNoMoreThanItsOwnBound) {
  const System system = federated({{6, 6, {cpu(2)}, {}}, {10, 10, {cpu(3)}, {}}});
  EXPECT_THAT(bounds(rtgpu_paper(system)), ElementsAre(2, 7));
  EXPECT_THAT(bounds(rtgpu(system)), ElementsAre(2, 5));
}

TEST(Rtgpu, OneTaskTakesTheSumOfItsSegments) {
  const std::vector<std::vector<Segment>> chains{
      {cpu(1), copy(1), shared_gpu(4, 4), copy(1), cpu(1)},
      {gpu(3)},
      {copy(2), copy(3), gpu(1), gpu(2)},
      {gpu(2), cpu(1), cpu(2), copy(4)},
      {cpu(0), copy(0), gpu(5), copy(0), cpu(0)},
      {copy(3), cpu(0), copy(2)},
      {cpu(4)},
  };
  const std::vector<std::int64_t> sums{8, 3, 8, 9, 5, 5, 4};
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const System system = federated({{20, 20, chains[i], {}}});
    EXPECT_THAT(bounds(rtgpu(system)), ElementsAre(sums[i])) << i;
    EXPECT_THAT(bounds(rtgpu_paper(system)), ElementsAre(sums[i])) << i;
  }
}

/// Tasks of CPU work alone: least R = C + sum ceil(R/T) C, while it is within the deadline.
std::vector<std::int64_t> textbook(const std::vector<Chain>& chains, const std::vector<std::int64_t>& costs) {
  std::vector<std::int64_t> responses(chains.size(), -1);
  for (std::size_t k = 0; k < chains.size(); ++k) {
    std::int64_t response = 0;
    std::int64_t next = costs[k];
    while (next > response && next <= chains[k].deadline) {
      response = next;
      next = costs[k];
      for (std::size_t i = 0; i < k; ++i) {
        if (chains[i].core != chains[k].core) continue;
        next += (response + chains[i].period - 1) / chains[i].period * costs[i];
      }
    }
    if (next > chains[k].deadline) break;
    responses[k] = response;
  }
  return responses;
}

TEST(Rtgpu, TasksOfTheCpuAloneGetTheTextbookBound) {
  test::Dice dice{3};
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<Chain> chains;
    std::vector<std::int64_t> costs;
    const std::int64_t count = dice.between(1, 5);
    for (std::int64_t k = 0; k < count; ++k) {
      Chain chain;
      chain.period = dice.between(5, 40);
      chain.deadline = dice.between((chain.period + 1) / 2, chain.period);
      chain.core = dice.small(0, 1);
      costs.push_back(dice.between(1, 1 + chain.deadline / 3));
      // In one piece, or in two that follow each other.
      const std::int64_t first = dice.between(0, costs.back());
      chain.segments = {cpu(first), cpu(costs.back() - first)};
      chains.push_back(chain);
    }
    const std::vector<std::int64_t> expected = textbook(chains, costs);
    const Result result = rtgpu(federated(chains));
    ASSERT_EQ(bounds(result), expected) << "system " << i;
    (result.verdict == Verdict::schedulable ? accepted : refused) += 1;
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 500);
}

TEST(Rtgpu, ACopyWaitsForOneLessUrgentCopyEachTime) {
  const System system =
      federated({{30, 30, {copy(2), gpu(3), copy(1)}, {}}, {40, 40, {copy(5), copy(1), cpu(1)}, {}}});
  // Neighbouring copies are one: B = 6, twice.
  EXPECT_THAT(bounds(rtgpu(system)), ElementsAre(2 + 3 + 1 + 2 * 6, 2 + 6 + 1));
  EXPECT_THAT(bounds(rtgpu_paper(system)).front(), 18);
}

TEST(Rtgpu, ZeroCopiesWaitForNobody) {
  const System system =
      federated({{30, 30, {cpu(1), copy(0), gpu(3), copy(0), cpu(1)}, {}}, {40, 40, {copy(6)}, {}}});
  EXPECT_THAT(bounds(rtgpu(system)), ElementsAre(5, 6));
  // A copy that may take no time is issued all the same.
  const System issued =
      federated({{30, 30, {cpu(1), copy(0, 1), gpu(3), cpu(1)}, {}}, {40, 40, {copy(6)}, {}}});
  EXPECT_THAT(bounds(rtgpu(issued)).front(), 1 + 6 + 1 + 3 + 1);
}

TEST(Rtgpu, AStartedCopyWaitsForNobody) {
  // The copy of 10 starts after 2 at the latest. The paper lets the more urgent one come again before it
  // ends.
  const System system = federated({{13, 13, {copy(2)}, {}}, {40, 40, {copy(10)}, {}}});
  EXPECT_THAT(bounds(rtgpu(system)), ElementsAre(12, 12));
  EXPECT_THAT(bounds(rtgpu_paper(system)), ElementsAre(12, 14));
}

TEST(Rtgpu, OtherCoresDoNotMatterButTheirCopiesDo) {
  const std::vector<Segment> first{cpu(3), copy(2)};
  const System one = federated({{20, 20, first, {}}, {30, 30, {cpu(4), copy(1)}, {}}});
  const System two = federated({{20, 20, first, {}}, {30, 30, {cpu(4), copy(1)}, {}, 1}});
  EXPECT_THAT(bounds(rtgpu(one)), ElementsAre(6, 3 + 4 + 2 + 1));
  EXPECT_THAT(bounds(rtgpu(two)), ElementsAre(6, 4 + 2 + 1));
}

TEST(Rtgpu, JitterAddsToTheResponseAndIsCarriedIn) {
  const System plain = federated({{10, 10, {cpu(2)}, {}}, {20, 20, {cpu(3)}, {}}});
  EXPECT_THAT(bounds(rtgpu(plain)), ElementsAre(2, 5));
  const System late = federated({{10, 10, {cpu(2)}, {}, 0, 7}, {20, 20, {cpu(3)}, {}, 0, 1}});
  // Two jobs of the first task may be seen 3 apart: 2 + 3 + 2 + 1.
  EXPECT_THAT(bounds(rtgpu(late)), ElementsAre(9, 8));
  // With a stage elsewhere it carries in what it has put off: done within 10, its next job 1 after.
  const System leaves = federated({{10, 10, {cpu(2), gpu(1)}, {}, 0, 7}, {20, 20, {cpu(1)}, {}, 0, 1}});
  EXPECT_THAT(bounds(rtgpu(leaves)), ElementsAre(10, 2 + 1 + 1));
  System release = plain;
  release.platform.overheads.release = nanoseconds(1);
  EXPECT_THAT(bounds(rtgpu(release)), ElementsAre(3, 6));
}

TEST(Rtgpu, JitterMustLeaveTime) {
  EXPECT_EQ(rtgpu(federated({{10, 20, {cpu(2)}, {}, 0, 8}})).verdict, Verdict::schedulable);
  const Result late = rtgpu(federated({{10, 20, {cpu(1), gpu(1)}, {}, 0, 9}}));
  EXPECT_EQ(late.verdict, Verdict::unproven);
  EXPECT_THAT(bounds(late), ElementsAre(11));  // no proof, but a bound
  EXPECT_FALSE(late.tasks[0].ok);
  const Result never = rtgpu(federated({{10, 20, {cpu(2)}, {}, 0, 11}}));
  EXPECT_THAT(never.reason, HasSubstr("may be seen 11ns after its release"));
  EXPECT_THAT(bounds(never), ElementsAre(-1));
}

TEST(Rtgpu, OverheadsMakeStagesLonger) {
  System system = federated({{40, 40, {cpu(1), copy(2), gpu(3), copy(0), cpu(1)}, {}}});
  system.platform.overheads = {nanoseconds(0), nanoseconds(4), nanoseconds(5), nanoseconds(6)};
  EXPECT_THAT(bounds(rtgpu(system)), ElementsAre(7 + 4 + 5 + 6));
}

TEST(Rtgpu, BestEffortCopiesBlock) {
  System system = federated({{40, 40, {copy(2), gpu(3)}, {}}});
  Task filler = test::chain_task("filler", {copy(7), cpu(100)});
  filler.arrival = Arrival::best_effort;
  system.tasks.push_back(filler);
  system.virtual_sms.emplace_back(std::nullopt);
  EXPECT_THAT(bounds(rtgpu(system)), ElementsAre(12, -1));
  EXPECT_TRUE(rtgpu(system).tasks[1].ok);
  system.tasks[0].deadline = nanoseconds(11);
  EXPECT_THAT(rtgpu(system).reason, HasSubstr("1 x 7ns blocking by a best-effort task"));
}

TEST(Rtgpu, TheFirstFailureLeavesNothingForTheRest) {
  const System system = federated(
      {{20, 20, {cpu(2)}, {}}, {9, 30, {cpu(4), copy(1), gpu(4)}, {}}, {50, 50, {cpu(1), copy(3)}, {}}});
  const Result result = rtgpu(system);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  // R1 is a sum: it tells the bound although it passes the deadline.
  EXPECT_THAT(bounds(result), ElementsAre(2, 2 + 4 + 3 + 1 + 4, -1));
  EXPECT_TRUE(result.tasks[0].ok);
  EXPECT_FALSE(result.tasks[1].ok);
  EXPECT_EQ(to_json(result.detail)["task"], "task2");
  EXPECT_EQ(to_json(result.detail)["blocker"], "task3");
  EXPECT_EQ(to_json(result.detail)["blocking_ns"], 3);
  EXPECT_EQ(to_json(result.detail)["r1_ns"], 14);
  EXPECT_EQ(to_json(result.detail)["r4_ns"], nullptr);
  EXPECT_EQ(to_json(result.detail)["interference"][0]["cpu_ns"], 2);
  EXPECT_THAT(result.reason, HasSubstr("'task2' may pass its deadline of 9ns"));
}

TEST(Rtgpu, NoBoundBeyondThePeriod) {
  // A job that takes longer than the period makes the next one late.
  const Result result = rtgpu(federated({{9, 10, {cpu(4), copy(4), gpu(4)}, {}}}));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_THAT(bounds(result), ElementsAre(-1));
  EXPECT_EQ(to_json(result.detail)["r1_ns"], 12);
}

TEST(Rtgpu, OverloadIsUnschedulable) {
  const Result core = rtgpu(federated({{10, 10, {cpu(6)}, {}, 2}, {10, 10, {cpu(5), copy(1)}, {}, 2}}));
  EXPECT_EQ(core.verdict, Verdict::unschedulable);
  EXPECT_THAT(core.reason, HasSubstr("1.1 of the time of core 2"));
  const std::vector<Chain> copies{{10, 10, {copy(5)}, {}}, {10, 10, {copy(6)}, {}}};
  EXPECT_EQ(to_json(rtgpu_paper(federated(copies)).detail)["server"], "the copy engine");
  // What the machine may add is no work of the tasks.
  System added = federated({{10, 10, {copy(5)}, {}}, {10, 10, {copy(5)}, {}}});
  added.platform.overheads.copy = nanoseconds(1);
  EXPECT_EQ(rtgpu(added).verdict, Verdict::unproven);
}

TEST(Rtgpu, EveryCpuSegmentThatTakesTimeHasItsOverhead) {
  System system = federated({{30, 40, {cpu(4), gpu(4), cpu(3), copy(2), cpu(0)}, {}}});
  EXPECT_THAT(bounds(rtgpu(system)), ElementsAre(13));
  system.platform.overheads.cpu = nanoseconds(5);
  EXPECT_THAT(bounds(rtgpu(system)), ElementsAre(23));
}

TEST(Rtgpu, WhatItDoesNotApplyTo) {
  System other = federated({{10, 10, {cpu(6)}, {}}});
  other.policy.strategy = strategy_named("single-stream");
  EXPECT_EQ(run(*find("rtgpu"), other).why_not, "needs the strategy federated");
  EXPECT_THAT(rtgpu(federated({{11, 10, {cpu(6)}, {}}})).why_not, HasSubstr("needs D <= T"));
}

TEST(Rtgpu, TheGreatestNumbersDoNotWrap) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const std::vector<Chain> chains{{huge, huge, {cpu(huge / 2), copy(huge / 3)}, {}},
                                  {huge, huge, {cpu(huge / 2), copy(huge / 2), gpu(huge / 2)}, {}},
                                  {huge, huge, {copy(huge / 2), cpu(huge / 4), copy(huge)}, {}}};
  for (const Analysis& analysis : {*find("rtgpu"), *find("rtgpu-paper")}) {
    const Result result = run(analysis, federated(chains));
    EXPECT_NE(result.verdict, Verdict::schedulable);
  }
  const System alone = federated({{huge - 1, huge, {cpu(huge / 2), copy(huge / 2)}, {}}});
  EXPECT_EQ(rtgpu(alone).verdict, Verdict::schedulable);
  EXPECT_THAT(bounds(rtgpu(alone)), ElementsAre(huge - 1));
}

TEST(Rtgpu, IsNeverWorseThanThePapersBound) {
  test::Dice dice{4};
  int accepted = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<Chain> chains;
    for (int k = 0; k < 3; ++k) {
      Chain chain;
      chain.period = dice.between(30, 120);
      chain.deadline = dice.between(chain.period / 2, chain.period);
      const std::int64_t count = dice.between(1, 5);
      for (std::int64_t j = 0; j < count; ++j) {
        const std::int64_t worst = dice.between(0, 5);
        const std::int64_t best = dice.between(0, worst);
        const std::int64_t kind = dice.between(0, 2);
        chain.segments.push_back(kind == 0   ? cpu(best, worst)
                                 : kind == 1 ? copy(best, worst)
                                             : gpu(best, worst));
      }
      chains.push_back(chain);
    }
    const System system = federated(chains);
    const Result paper = rtgpu_paper(system);
    if (paper.verdict != Verdict::schedulable) continue;
    ++accepted;
    const Result ours = rtgpu(system);
    ASSERT_EQ(ours.verdict, Verdict::schedulable) << i;
    for (std::size_t k = 0; k < chains.size(); ++k) ASSERT_LE(*ours.tasks[k].bound, *paper.tasks[k].bound);
  }
  EXPECT_GT(accepted, 300);
}

}  // namespace
}  // namespace tactus::analysis
