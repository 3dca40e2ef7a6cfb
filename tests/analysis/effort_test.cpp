// Analyses of systems that are far too large for them give up at once, by count of steps.
#include "tactus/analysis/effort.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/interference.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::analysis {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

System many(StrategyRef strategy, std::size_t tasks, bool same_period) {
  System system;
  system.name = "many";
  system.platform = *find_preset("h200");
  system.platform.clusters = {1000};
  system.policy.strategy = strategy;
  system.policy.order = Order::fp;
  system.policy.levels = 2;
  for (std::size_t i = 0; i < tasks; ++i) {
    Task& task = system.tasks.emplace_back();
    task.name = "task " + std::to_string(i);
    task.period = 1s + (same_period ? 0ns : nanoseconds(static_cast<std::int64_t>(i)));
    task.deadline = *task.period;
    if (strategy == strategy_named("federated")) {
      task.core = static_cast<std::int32_t>(i % 1000);
      task.work.form = WorkForm::chain;
      task.work.nodes = {{"", CpuSegment{Interval::exactly(1us)}},
                         {"", CopySegment{.time = Interval::exactly(1us), .bytes = {}}}};
    } else {
      task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(1us)}});
    }
  }
  return system;
}

TEST(Effort, WithoutAnAllowanceNothingIsLimited) {
  spend_steps(allowed_steps + 1);
  foresee_steps(allowed_steps + 1);
  const StepAllowance allowance{5'000};
  EXPECT_THROW(foresee_steps(5'001), TooManySteps);
  {
    const StepAllowance inner{10'000};
    spend_steps(6'000);
  }
  for (int i = 0; i < 100; ++i) spend_steps(min_long - 1);  // short sums have a limit of their own
  spend_steps(3'000);
  EXPECT_THROW(spend_steps(3'000), TooManySteps);
}

TEST(Effort, WatchedStepsEndSoonAfterTheWatchStops) {
  std::atomic<bool> stop{false};
  const Watch watch{.stop = &stop};
  const auto spend = [] {
    for (int i = 0; i < 1'000; ++i) spend_steps(1'000);
  };
  {
    const StepsWatched watched{watch};
    spend();
    const System system = many(strategy_named("single-stream"), 2'000, false);
    EXPECT_EQ(check(system).verdict, Verdict::schedulable);
    stop = true;
    EXPECT_THROW(spend(), WorkStopped);
    EXPECT_THROW(check(system), WorkStopped);
  }
  spend();
}

TEST(Effort, ShortSumsHaveALimitOfTheirOwn) {
  const StepAllowance allowance{5'000};
  const auto spend_all = [] {
    for (std::uint64_t spent = 0; spent <= allowed_short_steps; spent += min_long) spend_steps(min_long - 1);
  };
  EXPECT_THROW(spend_all(), TooManySteps);
}

/// Every analysis that decides, on more tasks than any pairwise test can take.
TEST(Effort, NoAnalysisLooksAtEveryPairOfTwentyThousandTasks) {
  for (const StrategyRef strategy :
       {strategy_named("single-stream"), strategy_named("multi-stream"), strategy_named("federated")}) {
    const CheckResult checked = check(many(strategy, 20'000, false));
    bool gave_up = false;
    for (const CheckedAnalysis& one : checked.analyses) {
      if (!one.result.verdict || *one.result.verdict != Verdict::gave_up) continue;
      gave_up = true;
      EXPECT_THAT(one.result.reason, HasSubstr("the system is too large for it: more than 40,000,000 steps"))
          << one.analysis.id;
      EXPECT_EQ(one.result.tasks.size(), 20'000U);
    }
    EXPECT_TRUE(gave_up) << strategy->name;
  }
}

TEST(Effort, ManyTasksOfOnePeriodAreProven) {
  const System system = many(strategy_named("single-stream"), 20'000, true);
  EXPECT_EQ(check(system).verdict, Verdict::schedulable);
}

TEST(Effort, TasksThatComeAlikeInterfereLikeTheirSum) {
  Interference apart{4};
  apart.add(3ns, 10ns, 0ns);
  apart.add(2ns, 7ns, 1ns);
  apart.add(4ns, 10ns, 0ns);
  apart.add(1ns, 10ns, 1ns);
  for (std::int64_t length = 1; length < 100; ++length) {
    for (const End end : {End::open, End::closed}) {
      Int128 sum = 0;
      for (std::size_t i = 0; i < apart.size(); ++i) {
        sum += static_cast<Int128>(apart.jobs(i, length, end)) * apart.cost(i);
      }
      EXPECT_TRUE(apart.in(length, end) == sum) << length;
    }
  }
}

/// The test that looks at every pair of segments gives up, also where nobody interferes; the one that need
/// not answers.
TEST(Effort, NoAnalysisLooksAtEveryPairOfSixteenThousandSegments) {
  for (const std::size_t tasks : {1U, 2U}) {
    System system = many(strategy_named("federated"), tasks, true);
    for (Task& task : system.tasks) {
      task.core = 0;
      const std::vector<Node> pair = task.work.nodes;
      for (int i = 1; i < 8'000; ++i) task.work.nodes.insert(task.work.nodes.end(), pair.begin(), pair.end());
    }
    int seen = 0;
    for (const CheckedAnalysis& one : check(system).analyses) {
      if (one.analysis.id != "rtgpu" && one.analysis.id != "rtgpu-tight") continue;
      ++seen;
      ASSERT_TRUE(one.result.verdict) << one.analysis.id;
      EXPECT_EQ(*one.result.verdict, one.analysis.id == "rtgpu" ? Verdict::schedulable : Verdict::gave_up)
          << one.analysis.id << ", chains: " << tasks;
    }
    EXPECT_EQ(seen, 2);
  }
}

}  // namespace
}  // namespace tactus::analysis
