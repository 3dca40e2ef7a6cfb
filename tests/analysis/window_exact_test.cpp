// window-exact, -chunks and -harmonic: published examples, degenerate cases, limits, and what does not apply.
#include "tactus/analysis/analyses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "analysis/window_systems.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/converted_tasks.hpp"
#include "tactus/analysis/json.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::analysis {
namespace {

using test::in_window;
using testing::HasSubstr;

/// Example 2 of the paper.
System example_two() {
  System system = in_window({0, 8, 12}, {{3, 10, 10}, {5, 15, 15}, {1, 10, 10}, {4, 12, 12}});
  system.policy.reservations->all = Window{nanoseconds(8), nanoseconds(4)};
  system.tasks[2].sm.core = 1;
  system.tasks[3].sm = {SmAffinity::Kind::all, 0};
  return system;
}

TEST(WindowExact, ExampleTwoMissesAtSixtyByOneUnit) {
  const Result result = window_exact(example_two());
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  const nlohmann::ordered_json miss = to_json(result.detail);
  EXPECT_EQ(miss["task"], "task1");
  EXPECT_EQ(miss["job"], 5);
  EXPECT_EQ(miss["release_ns"], 50);
  EXPECT_EQ(miss["deadline_ns"], 60);
  EXPECT_EQ(miss["left_ns"], 1);
  EXPECT_THAT(result.reason, HasSubstr("core 0"));
  EXPECT_THAT(result.reason, HasSubstr("by 1ns of work"));
}

TEST(WindowExact, ServersAreJudgedAlone) {
  const Result result = window_exact(example_two());
  ASSERT_EQ(result.tasks.size(), 4U);
  EXPECT_FALSE(result.tasks[0].ok);
  EXPECT_FALSE(result.tasks[1].ok);
  EXPECT_EQ(result.tasks[1].bound, std::nullopt);
  EXPECT_TRUE(result.tasks[2].ok);
  EXPECT_EQ(result.tasks[2].bound, nanoseconds(10));
  EXPECT_EQ(result.tasks[3].bound, nanoseconds(12));
}

TEST(WindowExact, WithOneUnitLessExampleTwoHolds) {
  System system = example_two();
  std::get<ExclusiveSegment>(system.tasks[1].work.nodes[0].segment).time = Interval::exactly(nanoseconds(4));
  EXPECT_EQ(window_exact(system).verdict, Verdict::schedulable);
}

TEST(WindowExact, BothSetsOfTheoremFiveHold) {
  EXPECT_EQ(window_exact(in_window({0, 16, 20}, {{4, 5, 10}, {6, 40, 40}})).verdict, Verdict::schedulable);
  EXPECT_EQ(window_exact(in_window({0, 8, 12}, {{3, 10, 10}, {4, 15, 15}})).verdict, Verdict::schedulable);
}

TEST(WindowChunks, BothSetsOfTheoremFive) {
  EXPECT_EQ(window_chunks(in_window({0, 16, 20}, {{4, 5, 10}, {6, 40, 40}})).verdict, Verdict::schedulable);
  EXPECT_EQ(window_chunks(in_window({0, 8, 12}, {{3, 10, 10}, {4, 15, 15}})).verdict, Verdict::unproven);
}

TEST(WindowChunks, AJobWithoutAChunkRejects) {
  const Result result = window_chunks(in_window({0, 4, 8}, {{1, 2, 2}}));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_THAT(result.reason, HasSubstr("meets no window"));
  EXPECT_THAT(result.reason, HasSubstr("4ns"));
}

TEST(WindowChunks, ReleasesOutOfPhaseDoNotApply) {
  const System periodic = in_window({1, 1, 5}, {{1, 3, 5}});
  EXPECT_EQ(window_chunks(periodic).verdict, Verdict::schedulable);
  const System sporadic = in_window({1, 1, 5}, {{1, 3, 5}}, Arrival::sporadic);
  EXPECT_FALSE(window_chunks(sporadic).applies());
  EXPECT_FALSE(window_exact(sporadic).applies());
  System late = periodic;
  late.tasks[0].offset = nanoseconds(2);
  EXPECT_THAT(window_chunks(late).why_not, HasSubstr("offset 2ns"));
  EXPECT_EQ(window_exact(late).verdict, Verdict::unschedulable);
}

TEST(WindowHarmonic, PeriodsThatAreNotHarmonicDoNotApply) {
  const System system = in_window({3, 6, 10}, {{2, 5, 6}});
  EXPECT_THAT(window_harmonic(system).why_not, HasSubstr("'task1' has 6ns"));
  const Result truth = window_exact(system);
  EXPECT_EQ(truth.verdict, Verdict::unschedulable);
  EXPECT_EQ(to_json(truth.detail)["release_ns"], 18);
  // What the conversion would make of it all the same: it would be accepted.
  const GpuTask task{.cost = nanoseconds(2), .deadline = nanoseconds(5), .period = nanoseconds(6)};
  const ConvertedTask converted = to_harmonic(task, {nanoseconds(3), nanoseconds(6), nanoseconds(10)});
  EXPECT_EQ(converted.deadline, nanoseconds(2));
  EXPECT_EQ(converted.period, nanoseconds(6));
}

TEST(WindowHarmonic, DeadlineAndOffsetCount) {
  EXPECT_EQ(window_harmonic(in_window({1, 4, 6}, {{1, 1, 3}})).verdict, Verdict::unproven);
  EXPECT_EQ(window_harmonic(in_window({1, 4, 6}, {{1, 3, 3}})).verdict, Verdict::schedulable);
}

TEST(WindowHarmonic, SplitsCostsExactly) {
  // Three whole windows before each deadline: 10/3 + 11/3 are exactly the 7 of a window, 11/3 + 11/3 are
  // more. Costs rounded up to 4 would not fit either.
  const auto verdict = [](std::int64_t first, std::int64_t second) {
    return window_harmonic(in_window({0, 7, 10}, {{first, 27, 40}, {second, 27, 40}})).verdict;
  };
  EXPECT_EQ(verdict(10, 11), Verdict::schedulable);
  EXPECT_EQ(verdict(11, 11), Verdict::unproven);
}

TEST(WindowHarmonic, OnlyWholeWindowsBeforeTheDeadlineCount) {
  const Supply supply{nanoseconds(2), nanoseconds(5), nanoseconds(10)};
  const auto convert = [&](std::int64_t deadline) {
    return to_harmonic({.cost = nanoseconds(6), .deadline = nanoseconds(deadline), .period = nanoseconds(40)},
                       supply);
  };
  EXPECT_EQ(convert(40).parts, 4);
  EXPECT_EQ(convert(37).parts, 4);
  EXPECT_EQ(convert(36).parts, 3);
  EXPECT_EQ(convert(7).parts, 1);
  EXPECT_EQ(convert(7).deadline, nanoseconds(5));
  EXPECT_EQ(convert(6).deadline, nanoseconds(4));
  EXPECT_EQ(convert(6).period, nanoseconds(40));
}

TEST(WindowHarmonic, ManyDenominatorsAreRoundedUpRatherThanGivenUp) {
  // The common denominator of 1, 2, ..., 60 does not fit 64 bits. 10 (1 + 1/2 + ... + 1/60) = 46.8.
  std::vector<test::ShortTask> tasks;
  for (std::int64_t windows = 1; windows <= 60; ++windows) {
    tasks.push_back({10, windows * 100, windows * 100 + 100});
  }
  EXPECT_EQ(window_harmonic(in_window({0, 47, 100}, tasks)).verdict, Verdict::schedulable);
  EXPECT_EQ(window_harmonic(in_window({0, 46, 100}, tasks)).verdict, Verdict::unproven);
}

TEST(WindowExact, OffsetsNeedTheSecondCycle) {
  // Overloaded by one unit in 20: the backlog needs its time to show.
  const Result overloaded = window_exact(in_window({0, 5, 10}, {{11, 20, 20, 0, 3}}));
  EXPECT_EQ(overloaded.verdict, Verdict::unschedulable);
  EXPECT_EQ(window_exact(in_window({0, 5, 10}, {{8, 20, 20, 0, 3}})).verdict, Verdict::schedulable);
}

TEST(WindowExact, TooManyJobsGiveUpAndNameTheLimit) {
  const Result result = window_exact(
      in_window({0, 9'000, 10'000}, {{1, 9'973, 9'973}, {1, 1'009, 1'009}, {1, 10'007, 10'007}}));
  EXPECT_EQ(result.verdict, Verdict::gave_up);
  EXPECT_THAT(result.reason, HasSubstr("10,000,000 jobs"));
  EXPECT_FALSE(result.tasks[0].ok);
}

TEST(WindowExact, BeyondSixtyFourBitsItGivesUpOrFindsTheMiss) {
  const std::int64_t p = 1'000'000'007;
  const std::int64_t q = 1'000'000'009;
  const std::int64_t r = 998'244'353;
  const Result unknown = window_exact(in_window({0, r - 1000, r}, {{1'000'000, p, p}, {2'000'000, q, q}}));
  EXPECT_EQ(unknown.verdict, Verdict::gave_up);
  EXPECT_THAT(unknown.reason, HasSubstr("64 bits"));
  const Result miss = window_exact(in_window({0, r / 4, r}, {{p / 2, p, p}, {2'000'000, q, q}}));
  EXPECT_EQ(miss.verdict, Verdict::unschedulable);
}

TEST(WindowExact, AMissingWindowServesNobody) {
  System system = in_window({0, 8, 12}, {{3, 12, 12}});
  system.tasks[0].sm = {SmAffinity::Kind::all, 0};
  const Result result = window_exact(system);
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  EXPECT_EQ(to_json(result.detail)["deadline_ns"], 12);
  EXPECT_EQ(to_json(result.detail)["left_ns"], 3);
  EXPECT_EQ(window_chunks(system).verdict, Verdict::unschedulable);
  EXPECT_EQ(window_harmonic(system).verdict, Verdict::unschedulable);
}

TEST(WindowChunks, AWindowLostToOverheadsServesNobody) {
  System system = in_window({0, 8, 12}, {{3, 12, 12}});
  system.platform.overheads.completion = nanoseconds(8);
  EXPECT_EQ(window_chunks(system).verdict, Verdict::unproven);
  EXPECT_EQ(window_harmonic(system).verdict, Verdict::unproven);
}

TEST(WindowExact, BestEffortWorkMattersOnlyIfItBlocks) {
  System system = in_window({0, 8, 12}, {{3, 10, 10}});
  test::add_best_effort(system, 100, 0);
  const Result result = window_exact(system);
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_TRUE(result.tasks[1].ok);
  system.tasks.back().longest_block = nanoseconds(2);
  EXPECT_THAT(window_exact(system).why_not, HasSubstr("'background1'"));
  system.tasks.back().sm.core = 1;  // elsewhere it does not matter
  EXPECT_EQ(window_exact(system).verdict, Verdict::schedulable);
}

TEST(WindowChunks, BestEffortSlicesBlock) {
  // D' = 8 in an otherwise free window: 3 + 5 fits, 3 + 6 does not.
  System system = in_window({0, 8, 12}, {{3, 12, 12}});
  test::add_best_effort(system, 100, 5);
  EXPECT_EQ(window_chunks(system).verdict, Verdict::schedulable);
  EXPECT_EQ(window_harmonic(system).verdict, Verdict::schedulable);
  system.tasks.back().longest_block = nanoseconds(6);
  EXPECT_EQ(window_chunks(system).verdict, Verdict::unproven);
  EXPECT_EQ(window_harmonic(system).verdict, Verdict::unproven);
}

TEST(WindowChunks, OverheadsTakeFromTheWindowAndAddToTheCost) {
  // l + c = 1: the window gives 7, the job needs 2 more.
  System system = in_window({0, 8, 12}, {{5, 12, 12}});
  system.platform.overheads.launch = nanoseconds(1);
  EXPECT_EQ(window_chunks(system).verdict, Verdict::schedulable);
  EXPECT_EQ(window_harmonic(system).verdict, Verdict::schedulable);
  std::get<ExclusiveSegment>(system.tasks[0].work.nodes[0].segment).time = Interval::exactly(nanoseconds(6));
  EXPECT_EQ(window_chunks(system).verdict, Verdict::unproven);
  EXPECT_EQ(window_harmonic(system).verdict, Verdict::unproven);
}

struct Obstacle {
  const char* name;
  void (*change)(System&);
  const char* says;
};

class InPhaseObstacle : public testing::TestWithParam<Obstacle> {};

TEST_P(InPhaseObstacle, IsNamed) {
  System system = in_window({0, 8, 12}, {{3, 12, 12}});
  const std::array tests{*find("window-chunks"), *find("window-harmonic"), *find("window-exact")};
  for (const Analysis& test : tests) ASSERT_TRUE(run(test, system).applies());
  GetParam().change(system);
  for (const Analysis& test : tests) {
    const Result result = run(test, system);
    EXPECT_FALSE(result.verdict.has_value());
    EXPECT_THAT(result.why_not, HasSubstr(GetParam().says));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, InPhaseObstacle,
    testing::Values(
        Obstacle{"strategy", [](System& s) { s.policy.strategy = strategy_named("multi-stream"); },
                 "sm-cores"},
        Obstacle{"order", [](System& s) { s.policy.order = Order::fp; }, "order edf"},
        Obstacle{"sporadic", [](System& s) { s.tasks[0].arrival = Arrival::sporadic; }, "periodic"},
        Obstacle{"jitter", [](System& s) { s.tasks[0].jitter = nanoseconds(1); }, "jitter"},
        Obstacle{"release", [](System& s) { s.platform.overheads.release = nanoseconds(1); }, "release"},
        Obstacle{"blocks", [](System& s) { s.tasks[0].longest_block = nanoseconds(1); },
                 "preempted anywhere"},
        Obstacle{"whole", [](System& s) { s.tasks[0].longest_block.reset(); }, "preempted anywhere"},
        Obstacle{"deadline", [](System& s) { s.tasks[0].deadline = nanoseconds(13); }, "no longer than"},
        Obstacle{"core", [](System& s) { s.tasks[0].sm.kind = SmAffinity::Kind::any; }, "sm: any"}),
    [](const testing::TestParamInfo<Obstacle>& param) { return std::string{param.param.name}; });

TEST(WindowExact, NeedsAMachineWithoutOverheads) {
  System system = in_window({0, 8, 12}, {{3, 12, 12}});
  system.platform.overheads.completion = nanoseconds(1);
  EXPECT_THAT(window_exact(system).why_not, HasSubstr("completion"));
}

}  // namespace
}  // namespace tactus::analysis
