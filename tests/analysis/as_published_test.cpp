// Formulas kept as printed: each accepts its counterexample, and the sound form does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "analysis/window_systems.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::analysis {
namespace {

using test::in_window;
using test::system_of;
using testing::HasSubstr;

std::optional<Verdict> verdict(std::string_view id, const System& system) {
  const Analysis* analysis = find(id);
  if (analysis == nullptr) throw std::invalid_argument{std::string{id}};
  return analysis->run(system).verdict;
}

TEST(NpEdfAsPublished, AcceptsWhatMisses) {
  for (const Arrival arrival : {Arrival::periodic, Arrival::sporadic}) {
    const System system = system_of(strategy_named("single-stream"), {{2, 3, 3}, {3, 19, 20}}, arrival);
    EXPECT_EQ(verdict("np-edf-as-published", system), Verdict::schedulable);
    EXPECT_EQ(verdict("np-edf", system),
              arrival == Arrival::sporadic ? Verdict::unschedulable : Verdict::unproven);
  }
}

TEST(NpEdfAsPublished, FollowsTheTextToTheLetter) {
  // For the second task: floor((7 - 3 + 20)/3) 2 + floor((7 - 19 + 20)/20) 7 = 16 <= 19, and 7 > 3 for the
  // first.
  EXPECT_EQ(
      verdict("np-edf-as-published", system_of(strategy_named("single-stream"), {{2, 3, 3}, {7, 19, 20}})),
      Verdict::unproven);
  // Alone, a task counts itself floor((C - D + T)/T) times: never if C < D.
  EXPECT_EQ(verdict("np-edf-as-published", system_of(strategy_named("single-stream"), {{7, 8, 20}})),
            Verdict::schedulable);
  EXPECT_EQ(verdict("np-edf-as-published", system_of(strategy_named("single-stream"), {{9, 8, 20}})),
            Verdict::unproven);
}

TEST(MsEdfAsPublished, AcceptsWhatMisses) {
  const std::vector<std::vector<test::ShortTask>> sets{
      {{1, 4, 20, 1}, {6, 14, 20, 1}, {4, 20, 20, 1}},
      {{1, 4, 5, 1}, {6, 10, 12, 3}},
      {{1, 3, 30, 1}, {5, 20, 30, 1}, {2, 30, 30, 2}},
  };
  for (const std::vector<test::ShortTask>& set : sets) {
    const System system = system_of(strategy_named("multi-stream"), set, Arrival::sporadic);
    EXPECT_EQ(verdict("ms-edf-as-published", system), Verdict::schedulable);
    EXPECT_EQ(verdict("ms-edf", system), Verdict::unproven);
  }
}

TEST(MsEdfAsPublished, CostsAndBlockingAreThoseOfTheLastTaskOfTheSum) {
  // i = 1: 1 + 3 <= 4; with a block of 4 it is 5.
  EXPECT_EQ(verdict("ms-edf-as-published",
                    system_of(strategy_named("multi-stream"), {{1, 4, 5, 1}, {6, 10, 12, 4}})),
            Verdict::unproven);
  // Four tasks, PL = 1: the second is in the range of (4), the third and fourth are not.
  System system =
      system_of(strategy_named("multi-stream"), {{1, 4, 50}, {3, 40, 50}, {9, 41, 50}, {9, 42, 50}});
  system.policy.levels = 1;
  EXPECT_EQ(verdict("ms-edf-as-published", system), Verdict::schedulable);
  std::get<ExclusiveSegment>(system.tasks[1].work.nodes[0].segment).time = Interval::exactly(nanoseconds(4));
  EXPECT_EQ(verdict("ms-edf-as-published", system), Verdict::unproven);
}

TEST(WindowSbfAsPublished, AcceptsWhatMisses) {
  for (const Arrival arrival : {Arrival::periodic, Arrival::sporadic}) {
    const System system = in_window({1, 2, 5}, {{1, 1, 3}}, arrival);
    EXPECT_EQ(window_sbf_as_published(system).verdict, Verdict::schedulable);
    EXPECT_EQ(verdict("window-sbf", system),
              arrival == Arrival::sporadic ? Verdict::unschedulable : Verdict::unproven);
  }
  EXPECT_EQ(window_exact(in_window({1, 2, 5}, {{1, 1, 3}})).verdict, Verdict::unschedulable);
}

TEST(WindowSbfAsPublished, RejectsByThePrintedDemandAndByUtilisation) {
  // The first task counts one job from D + 2 T = 12 on: sbf(12) is 5 in R(0, 5, 12) and 0 in R(0, 20, 48).
  EXPECT_EQ(window_sbf_as_published(in_window({0, 5, 12}, {{1, 4, 4}, {1, 24, 24}})).verdict,
            Verdict::schedulable);
  EXPECT_EQ(window_sbf_as_published(in_window({0, 20, 48}, {{1, 4, 4}, {1, 480, 480}})).verdict,
            Verdict::unproven);
  EXPECT_EQ(window_sbf_as_published(in_window({0, 5, 12}, {{2, 4, 4}})).verdict, Verdict::unproven);
}

TEST(WindowSbfAsPublished, LongHyperperiodsAreNotWalked) {
  const std::int64_t p = 1'000'000'007;
  const std::int64_t q = 1'000'000'009;
  const System system =
      in_window({0, 900'000, 1'000'000}, {{p / 3, p, p}, {q / 3, q, q}, {1, 999'983, 999'983}});
  EXPECT_EQ(window_sbf_as_published(system).verdict, Verdict::schedulable);
}

TEST(WindowChunksAsPublished, LostJobsVanish) {
  const System lost = in_window({0, 4, 8}, {{1, 2, 2}});
  EXPECT_EQ(window_chunks_as_published(lost).verdict, Verdict::schedulable);
  EXPECT_EQ(window_chunks(lost).verdict, Verdict::unproven);
  EXPECT_EQ(window_exact(lost).verdict, Verdict::unschedulable);
}

TEST(WindowChunksAsPublished, SporadicReleasesAndOffsetsMiss) {
  EXPECT_EQ(window_chunks_as_published(in_window({1, 1, 5}, {{1, 3, 5}}, Arrival::sporadic)).verdict,
            Verdict::schedulable);
  EXPECT_FALSE(window_chunks(in_window({1, 1, 5}, {{1, 3, 5}}, Arrival::sporadic)).applies());
  const System late = in_window({1, 1, 5}, {{1, 3, 5, 0, 2}});
  EXPECT_EQ(window_chunks_as_published(late).verdict, Verdict::schedulable);
  EXPECT_EQ(window_exact(late).verdict, Verdict::unschedulable);
}

TEST(WindowChunksAsPublished, ATaskWithoutAnyChunkVanishes) {
  // Released at 0, 4, 8, ...: only [0, 1), [4, 5), ...; the window is [2, 4).
  EXPECT_EQ(window_chunks_as_published(in_window({2, 2, 4}, {{1, 1, 4}})).verdict, Verdict::schedulable);
}

TEST(WindowChunksAsPublished, TheSetsOfTheoremFive) {
  EXPECT_EQ(window_chunks_as_published(in_window({0, 16, 20}, {{4, 5, 10}, {6, 40, 40}})).verdict,
            Verdict::schedulable);
  EXPECT_EQ(window_chunks_as_published(in_window({0, 8, 12}, {{3, 10, 10}, {4, 15, 15}})).verdict,
            Verdict::unproven);
}

TEST(WindowChunksAsPublished, FewSurvivorsGiveUp) {
  // One release in about a million lies in the window.
  const Result result = window_chunks_as_published(in_window({0, 1, 1'000'003}, {{1, 1, 7}}));
  EXPECT_EQ(result.verdict, Verdict::gave_up);
  EXPECT_THAT(result.reason, HasSubstr("10,000 jobs of 'task1'"));
}

TEST(WindowHarmonicAsPublished, AcceptsWhatMisses) {
  const System system = in_window({1, 4, 6}, {{1, 1, 3}});
  EXPECT_EQ(window_harmonic_as_published(system).verdict, Verdict::schedulable);
  EXPECT_EQ(window_harmonic(system).verdict, Verdict::unproven);
  EXPECT_EQ(window_exact(system).verdict, Verdict::unschedulable);
}

TEST(WindowHarmonicAsPublished, ConvertsAsPrinted) {
  // (14): 4 - (12 - 9) = 1; a budget of 8 leaves nothing.
  EXPECT_EQ(window_harmonic_as_published(in_window({0, 9, 12}, {{1, 4, 4}})).verdict, Verdict::schedulable);
  EXPECT_EQ(window_harmonic_as_published(in_window({0, 8, 12}, {{1, 4, 4}})).verdict, Verdict::unproven);
  // (15): 10 and 11 over three windows of 7.
  EXPECT_EQ(window_harmonic_as_published(in_window({0, 7, 10}, {{10, 30, 30}, {11, 30, 30}})).verdict,
            Verdict::schedulable);
  EXPECT_EQ(window_harmonic_as_published(in_window({0, 7, 10}, {{11, 30, 30}, {11, 30, 30}})).verdict,
            Verdict::unproven);
  EXPECT_FALSE(window_harmonic_as_published(in_window({3, 6, 10}, {{2, 5, 6}})).applies());
}

constexpr std::array published{"np-edf-as-published", "ms-edf-as-published", "window-sbf-as-published",
                               "window-chunks-as-published", "window-harmonic-as-published"};

System system_for(std::string_view id) {
  if (id.substr(0, 2) == "np") return system_of(strategy_named("single-stream"), {{1, 12, 12}});
  if (id.substr(0, 2) == "ms") return system_of(strategy_named("multi-stream"), {{1, 12, 12}});
  return in_window({0, 8, 12}, {{1, 12, 12}});
}

TEST(AsPublished, HasNoSayAndStandsBehindItsSoundForm) {
  for (const std::string_view id : published) {
    const Analysis* entry = find(id);
    ASSERT_NE(entry, nullptr) << id;
    EXPECT_FALSE(entry->sound);
    EXPECT_THAT(std::string{entry->title}, HasSubstr("as published"));
    const std::string_view sound = id.substr(0, id.size() - std::string_view{"-as-published"}.size());
    EXPECT_EQ((entry - 1)->id, sound);
    EXPECT_TRUE((entry - 1)->sound);
    EXPECT_EQ(check(system_for(id), {entry, 1}).verdict, Verdict::unproven);
    EXPECT_EQ(entry->run(system_for(id)).verdict, Verdict::schedulable) << id;
  }
}

TEST(AsPublished, WhatThePaperDoesNotKnowDoesNotApply) {
  for (const std::string_view id : published) {
    const auto why_not = [&](void (*change)(System&)) {
      System system = system_for(id);
      change(system);
      return run(*find(id), system).why_not;
    };
    EXPECT_THAT(why_not([](System& s) { s.policy.order = Order::fp; }), HasSubstr("order edf")) << id;
    EXPECT_THAT(why_not([](System& s) { s.platform.overheads.launch = nanoseconds(1); }),
                HasSubstr("overheads"));
    EXPECT_THAT(why_not([](System& s) { s.tasks[0].jitter = nanoseconds(1); }), HasSubstr("jitter"));
    EXPECT_THAT(why_not([](System& s) { test::add_best_effort(s, 5, 0); }), HasSubstr("best-effort"));
    EXPECT_THAT(why_not([](System& s) { s.tasks[0].deadline = nanoseconds(13); }),
                HasSubstr("no longer than"));
    EXPECT_THAT(why_not([](System& s) { s.policy.strategy = strategy_named("federated"); }),
                HasSubstr("strategy"));
  }
}

}  // namespace
}  // namespace tactus::analysis
