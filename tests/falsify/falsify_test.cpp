#include "tactus/falsify/falsify.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "support/effort.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/base/error.hpp"
#include "tactus/falsify/borderline_systems.hpp"
#include "tactus/falsify/json.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::falsify {
namespace {

std::vector<std::string> ids(bool sound, bool necessary) {
  std::vector<std::string> found;
  for (const analysis::Analysis& entry : analysis::registry()) {
    const bool is_necessary = entry.kind == analysis::Kind::necessary;
    if (family_of(entry.id) && entry.sound == sound && is_necessary == necessary)
      found.emplace_back(entry.id);
  }
  return found;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// A fault prints the system that shows it.
std::string describe(const analysis::Analysis& analysis, const Summary& summary) {
  return summary.broken ? replay_file(analysis, *summary.broken) : "nothing was broken";
}

class SoundAnalysis : public testing::TestWithParam<std::string> {};

TEST_P(SoundAnalysis, SurvivesAShortCampaign) {
  constexpr std::uint64_t systems = test::tries(150);
  const analysis::Analysis& analysis = *analysis::find(GetParam());
  const Summary summary = falsify(analysis, *family_of(GetParam()), {.systems = systems, .seed = 20261115});
  EXPECT_EQ(summary.attacked, systems);
  EXPECT_GE(summary.schedules, systems * 50U);
  EXPECT_FALSE(summary.broken) << describe(analysis, summary);
  ASSERT_TRUE(summary.closest);
  EXPECT_GT(summary.closest->ratio(), 0.5);
}

INSTANTIATE_TEST_SUITE_P(Registry, SoundAnalysis, testing::ValuesIn(ids(true, false)), test_name);

class AsPublished : public testing::TestWithParam<std::string> {};

TEST_P(AsPublished, IsBrokenAndTheFileShowsIt) {
  const analysis::Analysis& analysis = *analysis::find(GetParam());
  const Summary summary = falsify(analysis, *family_of(GetParam()), {.systems = 20'000, .seed = 1});
  ASSERT_TRUE(summary.broken) << summary.attacked << " systems";
  const Counterexample& example = *summary.broken;
  EXPECT_LE(example.system.tasks.size(), 4U);
  // What the file says is what happened.
  const ReadResult read = read_system(replay_file(analysis, example), "replay.yaml");
  ASSERT_TRUE(read.system) << read.problems.front().message;
  Bounds bounds;
  for (const analysis::TaskResult& task : analysis.run(*read.system).tasks) bounds.push_back(task.bound);
  const Played played = play(*read.system, bounds, example.execution, example.horizon);
  ASSERT_TRUE(played.closest);
  EXPECT_EQ(played.closest->observed, example.job.observed);
  EXPECT_EQ(played.closest->bound, example.job.bound);
  EXPECT_TRUE(played.closest->broken());
}

INSTANTIATE_TEST_SUITE_P(Registry, AsPublished, testing::ValuesIn(ids(false, false)), test_name);

class ExactAnalysis : public testing::TestWithParam<std::string> {};

TEST_P(ExactAnalysis, IsApproachedAndItsRejectionsAreConfirmed) {
  const analysis::Analysis& analysis = *analysis::find(GetParam());
  const Family family = exact_part(*family_of(GetParam()));
  const Summary accepted = falsify(analysis, family, {.systems = test::tries(300U), .seed = 5});
  EXPECT_FALSE(accepted.broken) << describe(analysis, accepted);
  ASSERT_TRUE(accepted.closest);
  EXPECT_GE(accepted.closest->ratio(), 0.99);
  constexpr std::uint64_t wanted = test::tries(100);
  const Summary rejected = falsify(
      analysis, family, {.systems = wanted, .schedules = 2000, .seed = 6, .wanted = Wanted::rejected});
  EXPECT_EQ(rejected.attacked, wanted);
  EXPECT_EQ(rejected.confirmed + rejected.too_close, rejected.attacked)
      << (rejected.unconfirmed ? system_file(analysis, *rejected.unconfirmed) : "");
}

INSTANTIATE_TEST_SUITE_P(Registry, ExactAnalysis, testing::Values("np-edf", "window-sbf", "ms-edf-immediate"),
                         test_name);

TEST(Falsify, WhatANecessaryTestRejectsMisses) {
  const analysis::Analysis& analysis = *analysis::find("window-necessary");
  constexpr std::uint64_t systems = test::tries(100);
  const Summary summary = falsify(analysis, exact_part(*family_of("window-necessary")),
                                  {.systems = systems, .seed = 3, .wanted = Wanted::rejected});
  EXPECT_EQ(summary.attacked, systems);
  EXPECT_EQ(summary.confirmed, systems);
}

TEST(Falsify, SaysTheSameWithAnyNumberOfThreads) {
  const analysis::Analysis& analysis = *analysis::find("np-fp");
  const auto campaign = [&](unsigned threads) {
    return to_json(falsify(analysis, *family_of("np-fp"),
                           {.systems = 100, .schedules = 20, .seed = 9, .threads = threads}));
  };
  EXPECT_EQ(campaign(1).dump(), campaign(1).dump());
  // Batches are larger with more threads, but they are counted in order, system by system.
  EXPECT_EQ(campaign(1).dump(), campaign(3).dump());
}

TEST(Falsify, StopsWhenAsked) {
  const std::atomic<bool> stop{true};
  const Summary summary = falsify(*analysis::find("np-edf"), *family_of("np-edf"),
                                  {.systems = 1'000'000, .watch = {.stop = &stop}});
  EXPECT_TRUE(summary.interrupted);
  EXPECT_EQ(summary.attacked, 0U);
}

TEST(Falsify, StopsAlsoWhileItMakesACounterexampleSmaller) {
  const analysis::Analysis& analysis = *analysis::find("np-edf-as-published");
  const Summary summary = falsify(analysis, *family_of(analysis.id), {.systems = 20'000, .seed = 1});
  ASSERT_TRUE(summary.broken);
  Counterexample example = *summary.broken;
  example.system.tasks.push_back(example.system.tasks.back());  // one more than it needs
  example.system.tasks.back().name = "one more";
  EXPECT_NE(shrink(analysis, example).system, example.system);
  const std::atomic<bool> stop{true};
  EXPECT_EQ(shrink(analysis, example, {.stop = &stop}).system, example.system);
}

TEST(Falsify, AnAnalysisThatAcceptsNothingComesToAnEnd) {
  analysis::Analysis nothing = *analysis::find("np-edf");
  nothing.run = [](const System& system) {
    analysis::Result result;
    result.verdict = analysis::Verdict::unproven;
    result.tasks.resize(system.tasks.size());
    return result;
  };
  const Summary summary = falsify(nothing, *family_of("np-edf"), {.systems = 1});
  EXPECT_EQ(summary.attacked, 0U);
  EXPECT_GT(summary.tried, 0U);
}

TEST(HardSystems, AreValidAndWhatTheAnalysisAccepts) {
  for (const analysis::Analysis& entry : analysis::registry()) {
    const std::optional<Family> family = family_of(entry.id);
    if (!family || entry.kind == analysis::Kind::necessary) continue;
    Dice dice{7, 1};
    int found = 0;
    for (int i = 0; i < test::tries(400); ++i) {
      const std::vector<Violation> violations = validate(random_system(*family, dice));
      EXPECT_TRUE(violations.empty())
          << entry.id << ": " << violations.front().path << ": " << violations.front().message;
      if (const std::optional<System> system = borderline_system(entry, *family, Wanted::accepted, dice)) {
        ++found;
        EXPECT_EQ(entry.run(*system).verdict, analysis::Verdict::schedulable) << entry.id;
      }
    }
    EXPECT_GE(found, test::tries(5)) << entry.id;  // under a sanitizer there are few tries
  }
}

TEST(HardSystems, SomeHaveWorkThatWaitsOrLaunchers) {
  if (test::is_watched) GTEST_SKIP() << "without a sanitizer all are made";
  for (const char* id : {"rtgpu", "rtgpu-tight", "rtgpu-paper", "chain-fp", "chain-edf", "plain-fp"}) {
    Dice dice{11, 1};
    int launchers = 0;
    std::array<int, 3> of_dispatch{};
    for (int i = 0; i < 1000; ++i) {
      const std::optional<System> system =
          borderline_system(*analysis::find(id), *family_of(id), Wanted::accepted, dice);
      if (!system) continue;
      for (const Task& task : system->tasks) {
        ++of_dispatch.at(static_cast<std::size_t>(dispatch_of(*system, task)));
        launchers += task.launcher && task.enqueue ? 1 : 0;
      }
    }
    EXPECT_GT(of_dispatch.at(static_cast<std::size_t>(Dispatch::doorbell)), 0) << id;
    EXPECT_GT(of_dispatch.at(static_cast<std::size_t>(Dispatch::resident)), 0) << id;
    EXPECT_GT(launchers, 0) << id;
  }
}

TEST(Falsify, AnAnalysisThatThrowsIsNamed) {
  analysis::Analysis broken = *analysis::find("np-edf");
  broken.id = "broken";
  broken.run = [](const System&) -> analysis::Result { throw std::runtime_error{"no such table"}; };
  try {
    falsify(broken, *family_of("np-edf"), {.systems = 10, .threads = 2});
    FAIL() << "it ended as if all were well";
  } catch (const FailureError& error) {
    EXPECT_STREQ(error.what(), "the analysis 'broken' threw: no such table");
  }
}

}  // namespace
}  // namespace tactus::falsify
