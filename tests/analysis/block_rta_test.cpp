// block-rta: the published example and its corrections, the closed form, and why it does not apply.
#include "tactus/analysis/block_rta.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// (C, g) with release 0.
std::vector<std::int64_t> completions(std::vector<std::pair<std::int64_t, std::int64_t>> kernels,
                                      std::int64_t slots) {
  std::vector<EqualBlockKernel> input;
  for (const auto& [time, blocks] : kernels) input.push_back({origin, nanoseconds(time), blocks});
  std::vector<std::int64_t> result;
  for (const Time time : equal_block_completions(input, slots)) result.push_back(in_ns(time));
  return result;
}

TEST(BlockRta, FourKernelsInEveryPublishedLaunchOrder) {
  EXPECT_THAT(completions({{4, 2}, {6, 7}, {6, 2}, {5, 5}}, 8), ElementsAre(4, 10, 12, 11));
  EXPECT_THAT(completions({{6, 7}, {6, 2}, {5, 5}, {4, 2}}, 8), ElementsAre(6, 12, 11, 10));
  EXPECT_THAT(completions({{6, 7}, {5, 5}, {4, 2}, {6, 2}}, 8), ElementsAre(6, 11, 10, 12));
  EXPECT_THAT(completions({{6, 7}, {4, 2}, {6, 2}, {5, 5}}, 8), ElementsAre(6, 8, 12, 11));
}

TEST(BlockRta, FiveKernels) {
  EXPECT_THAT(completions({{2, 4}, {1, 7}, {4, 10}, {11, 1}, {6, 3}}, 8), ElementsAre(2, 2, 10, 17, 12));
  EXPECT_THAT(completions({{15, 5}, {15, 4}, {15, 7}, {40, 1}, {25, 8}}, 8), ElementsAre(15, 30, 30, 70, 80));
}

TEST(BlockRta, EqualTimesGiveTheClosedForm) {
  std::int64_t before = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> kernels;
  std::vector<std::int64_t> expected;
  for (const std::int64_t blocks : {3, 8, 1, 20, 16, 5}) {
    kernels.emplace_back(7, blocks);
    before += blocks;
    expected.push_back(7 * ceil_div(before, 8));
  }
  EXPECT_EQ(completions(kernels, 8), expected);
}

TEST(BlockRta, BlocksOfNoLengthWaitForASlotAndKeepNone) {
  EXPECT_THAT(completions({{5, 8}, {0, 100}, {2, 8}}, 8), ElementsAre(5, 5, 7));
  EXPECT_THAT(completions({{5, 7}, {0, 100}, {2, 2}}, 8), ElementsAre(5, 0, 4));
}

TEST(BlockRta, ReleasesAreServedInTheirOrderWhateverTheFileOrder) {
  const std::vector<EqualBlockKernel> kernels{{time_at(nanoseconds(3)), nanoseconds(5), 4},
                                              {origin, nanoseconds(4), 8}};
  EXPECT_THAT(equal_block_completions(kernels, 8),
              ElementsAre(time_at(nanoseconds(9)), time_at(nanoseconds(4))));
}

TEST(BlockRta, ABillionBlocksAreWaves) {
  EXPECT_THAT(completions({{3, 1'000'000'001}, {2, 4}}, 8), ElementsAre(375'000'003, 375'000'002));
}

TEST(BlockRta, OverflowIsSaidNotWrapped) {
  const std::vector<EqualBlockKernel> kernels{{origin, Duration{std::int64_t{1} << 62}, 17}};
  EXPECT_THROW(equal_block_completions(kernels, 8), OverflowError);
}

// ------------------------------------------------------------------------------------------- as an analysis

System tx2(std::vector<std::pair<std::int64_t, std::int64_t>> kernels, Arrival arrival, std::int64_t period) {
  System system;
  system.name = "test";
  system.platform = *find_preset("jetson-tx2");
  for (const auto& [time, blocks] : kernels) {
    Task task;
    task.name = std::to_string(system.tasks.size() + 1).insert(0, 1, 'k');
    task.arrival = arrival;
    if (arrival == Arrival::periodic) task.period = nanoseconds(period);
    task.deadline = nanoseconds(period);
    KernelSegment kernel;
    kernel.grid = {blocks, 1, 1};
    kernel.block = 512;
    kernel.block_time = Interval::exactly(nanoseconds(time));
    task.work.nodes.push_back({"", kernel});
    system.tasks.push_back(task);
  }
  return system;
}

std::vector<std::int64_t> bounds(const Result& result) {
  std::vector<std::int64_t> values;
  for (const TaskResult& task : result.tasks) values.push_back(task.bound ? task.bound->count() : -1);
  return values;
}

TEST(BlockRtaAnalysis, ProvesOnceArrivals) {
  const Result result = block_rta(tx2({{4, 2}, {6, 7}, {6, 2}, {5, 5}}, Arrival::once, 12));
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds(result), ElementsAre(4, 10, 12, 11));
}

TEST(BlockRtaAnalysis, RefutesOnceArrivalsAndStillGivesTheBound) {
  const Result result = block_rta(tx2({{2, 4}, {1, 7}, {4, 10}, {11, 1}, {6, 3}}, Arrival::once, 15));
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  EXPECT_THAT(bounds(result), ElementsAre(2, 2, 10, 17, 12));
  EXPECT_FALSE(result.tasks[3].ok);
  EXPECT_TRUE(result.tasks[4].ok);
  EXPECT_THAT(result.reason, HasSubstr("'k4'"));
}

TEST(BlockRtaAnalysis, PeriodicWorkThatCarriesOverIsUnprovenWithoutBounds) {
  const Result result = block_rta(tx2({{2, 4}, {1, 7}, {4, 10}, {11, 1}, {6, 3}}, Arrival::periodic, 15));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_FALSE(result.exact);
  EXPECT_THAT(bounds(result), ElementsAre(-1, -1, -1, -1, -1));
}

TEST(BlockRtaAnalysis, PeriodicWithinThePeriodIsProof) {
  const Result result = block_rta(tx2({{2, 4}, {1, 7}, {4, 10}, {11, 1}, {6, 3}}, Arrival::periodic, 17));
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds(result), ElementsAre(2, 2, 10, 17, 12));
}

TEST(BlockRtaAnalysis, PeriodicThatMissesAShorterDeadlineDoesSoInEveryPeriod) {
  System system = tx2({{4, 2}, {6, 7}}, Arrival::periodic, 20);
  system.tasks[1].deadline = nanoseconds(9);
  const Result result = block_rta(system);
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  EXPECT_TRUE(result.exact);
  EXPECT_THAT(bounds(result), ElementsAre(4, 10));
  EXPECT_FALSE(result.tasks[1].ok);
}

TEST(BlockRtaAnalysis, MoreWorkThanSlotsIsUnschedulableAlsoForPeriodicTasks) {
  EXPECT_EQ(block_rta(tx2({{10, 9}}, Arrival::periodic, 11)).verdict, Verdict::unschedulable);  // 90 of 88
  EXPECT_EQ(block_rta(tx2({{11, 8}}, Arrival::periodic, 11)).verdict, Verdict::schedulable);    // 88 of 88
  EXPECT_EQ(block_rta(tx2({{8, 9}}, Arrival::periodic, 11)).verdict, Verdict::unproven);        // 72 of 88
}

TEST(BlockRtaAnalysis, SharedMemoryAndRegistersLimitTheSlots) {
  System system = tx2({{5, 4}}, Arrival::once, 10);
  auto& kernel = std::get<KernelSegment>(system.tasks[0].work.nodes[0].segment);
  kernel.shared_memory = 40 * 1024;  // one block an SM
  EXPECT_THAT(bounds(block_rta(system)), ElementsAre(10));
  kernel.shared_memory = 0;
  kernel.registers = 32768;  // two
  EXPECT_THAT(bounds(block_rta(system)), ElementsAre(5));
}

TEST(BlockRtaAnalysis, SlotsAreThoseOfTheSimulatorOnRealCards) {
  for (const char* card : {"jetson-tx2", "titan-v", "jetson-agx-orin-64gb", "rtx-4090", "h200"}) {
    for (const std::int64_t registers : {0, 24, 41, 73, 104, 168}) {
      for (const std::int64_t kib : {0, 9, 24, 47}) {
        System system = tx2({{10, 1}}, Arrival::once, 1000);
        system.platform = find_preset(card).value();
        system.platform.gpu.sms = 1;
        auto& kernel = std::get<KernelSegment>(system.tasks[0].work.nodes[0].segment);
        kernel.block = 96;
        kernel.registers = registers * kernel.block;
        kernel.shared_memory = kib * 1024;
        const std::int64_t slots =
            blocks_per_sm(block_demand(kernel, system.platform.gpu), system.platform.gpu);
        for (const std::int64_t blocks : {slots, slots + 1}) {
          kernel.grid[0] = blocks;
          trace::Statistics statistics{1};
          std::vector<trace::Observer*> observers{&statistics};
          sim::simulate(system, {}, observers);
          const Duration simulated = statistics.all()[0].response.value().max;
          EXPECT_EQ(simulated, nanoseconds(blocks > slots ? 20 : 10)) << card << registers << " " << kib;
          EXPECT_THAT(bounds(block_rta(system)), ElementsAre(in_ns(simulated)))
              << card << registers << " " << kib;
        }
      }
    }
  }
}

TEST(BlockRtaAnalysis, CompletionOverheadIsAdded) {
  System system = tx2({{4, 2}, {6, 7}}, Arrival::once, 20);
  system.platform.overheads.completion = nanoseconds(3);
  EXPECT_THAT(bounds(block_rta(system)), ElementsAre(7, 13));
}

TEST(BlockRtaAnalysis, WhatALauncherTakesIsAdded) {
  System system = tx2({{4, 2}}, Arrival::once, 20);
  system.platform.overheads.launch = nanoseconds(1);
  system.tasks[0].launcher = true;
  system.tasks[0].enqueue = nanoseconds(5);
  EXPECT_THAT(bounds(block_rta(system)), ElementsAre(10));
}

TEST(BlockRtaAnalysis, LaunchesThatCanOvertakeEachOtherAreNoProof) {
  // Two jobs of one task change places when a launch may take longer than the period.
  System system = tx2({{10, 8}}, Arrival::periodic, 10);
  system.platform.overheads.launch = nanoseconds(15);
  EXPECT_FALSE(block_rta(system).applies());
  EXPECT_TRUE(block_rta(tx2({{10, 8}}, Arrival::once, 100)).applies());
}

TEST(BlockRtaAnalysis, OverloadIsSeenWithoutPlayingIt) {
  EXPECT_EQ(block_rta(tx2({{10, std::int64_t{1} << 62}}, Arrival::periodic, 10)).verdict,
            Verdict::unschedulable);
}

struct Obstacle {
  const char* name;
  void (*change)(System&);
  const char* says;
};

class BlockRtaObstacle : public testing::TestWithParam<Obstacle> {};

TEST_P(BlockRtaObstacle, IsNamed) {
  System system = tx2({{4, 2}, {6, 7}}, Arrival::periodic, 20);
  const Analysis analysis = *find("block-rta");
  ASSERT_TRUE(run(analysis, system).applies());
  GetParam().change(system);
  const Result result = run(analysis, system);
  EXPECT_FALSE(result.applies());
  EXPECT_FALSE(result.verdict.has_value());
  EXPECT_THAT(result.why_not, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, BlockRtaObstacle,
    testing::Values(
        Obstacle{"strategy", [](System& s) { s.policy.strategy = strategy_named("single-stream"); },
                 "as-submitted"},
        Obstacle{"sporadic", [](System& s) { s.tasks[0].arrival = Arrival::sporadic; }, "arrivals"},
        Obstacle{"mixed", [](System& s) { s.tasks[1].arrival = Arrival::once; }, "mixed"},
        Obstacle{"period", [](System& s) { s.tasks[1].period = nanoseconds(40); }, "common period"},
        Obstacle{"offset", [](System& s) { s.tasks[1].offset = nanoseconds(1); }, "offset 0"},
        Obstacle{"jitter", [](System& s) { s.tasks[1].jitter = nanoseconds(1); }, "jitter"},
        Obstacle{"release", [](System& s) { s.platform.overheads.release = nanoseconds(1); }, "release"},
        Obstacle{"launch", [](System& s) { s.platform.overheads.launch = nanoseconds(1); }, "launch"},
        Obstacle{"priority", [](System& s) { s.tasks[1].stream_priority = -1; }, "priority"},
        Obstacle{"stream", [](System& s) { s.tasks[0].stream = s.tasks[1].stream = "a"; }, "stream 'a'"},
        Obstacle{"blocks",
                 [](System& s) { std::get<KernelSegment>(s.tasks[1].work.nodes[0].segment).block = 256; },
                 "equal blocks"},
        Obstacle{"work", [](System& s) { s.tasks[1].work.nodes[0].segment = CopySegment{}; }, "one kernel"}),
    [](const testing::TestParamInfo<Obstacle>& param) { return std::string{param.param.name}; });

TEST(Check, OverflowGivesUpAndSaysSo) {
  const System system = tx2({{std::int64_t{1} << 62, 17}}, Arrival::once, 100);
  const CheckResult result = check(system);
  const auto sound = std::count_if(registry().begin(), registry().end(), counts_for_verdict);
  ASSERT_EQ(std::ssize(result.analyses), sound);
  EXPECT_EQ(result.analyses[0].result.verdict, Verdict::gave_up);
  EXPECT_EQ(result.verdict, Verdict::unproven);
}

TEST(Check, AnUnsoundAnalysisHasNoSay) {
  const System system = tx2({{4, 2}}, Arrival::once, 100);
  const auto yes = [](const System&) {
    Result result;
    result.verdict = Verdict::schedulable;
    return result;
  };
  const Analysis unsound{"mine", "", "", "", "", Kind::sufficient, false, yes};
  const Analysis sound{"mine", "", "", "", "", Kind::sufficient, true, yes};
  EXPECT_EQ(check(system, std::vector{unsound}).verdict, Verdict::unproven);
  EXPECT_EQ(check(system, std::vector{sound}).verdict, Verdict::schedulable);
}

TEST(Registry, IdsAreUniqueAndFound) {
  for (const Analysis& entry : registry()) {
    ASSERT_NE(find(entry.id), nullptr);
    EXPECT_EQ(find(entry.id), &entry);
    EXPECT_FALSE(entry.title.empty());
    EXPECT_FALSE(entry.source.empty());
    EXPECT_FALSE(entry.needs.empty());
  }
  EXPECT_EQ(find("nothing"), nullptr);
}

}  // namespace
}  // namespace tactus::analysis
