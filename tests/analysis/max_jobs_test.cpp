// Jobs that `max_jobs` turns away take no time: what can and cannot be concluded then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tactus/analysis/check.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/model/strategy.hpp"
#include "tactus/model/task.hpp"

namespace tactus::analysis {
namespace {

using namespace std::chrono_literals;

/// One task that needs so much of every 10 ms.
System camera(Duration work) {
  System system;
  system.name = "camera";
  system.platform = *find_preset("jetson-tx2");
  system.policy.strategy = strategy_named("single-stream");
  Task& task = system.tasks.emplace_back();
  task.name = "camera";
  task.period = 10ms;
  task.deadline = 10ms;
  task.work.nodes = {{"", ExclusiveSegment{Interval::exactly(work)}}};
  return system;
}

TEST(MaxJobs, TooMuchWorkProvesNothingWhereJobsAreTurnedAway) {
  System system = camera(15ms);
  EXPECT_EQ(check(system).verdict, Verdict::unschedulable);
  system.tasks[0].max_jobs = 1;
  EXPECT_EQ(check(system).verdict, Verdict::unproven);
}

TEST(MaxJobs, ChangeNoBound) {
  System system = camera(5ms);
  const auto bounds = proven_bounds(system, check(system));
  system.tasks[0].max_jobs = 1;
  const CheckResult limited = check(system);
  EXPECT_EQ(limited.verdict, Verdict::schedulable);
  EXPECT_EQ(proven_bounds(system, limited)[0].bound, bounds[0].bound);
}

TEST(MaxJobs, TurnNobodyAwayWithinTheBound) {
  Task task = camera(5ms).tasks[0];
  EXPECT_FALSE(may_turn_away(task, std::nullopt)) << "there is no limit";
  task.max_jobs = 2;
  EXPECT_FALSE(may_turn_away(task, 19ms));
  EXPECT_TRUE(may_turn_away(task, 20ms)) << "a third may come when the first is just ending";
  EXPECT_TRUE(may_turn_away(task, std::nullopt));
}

}  // namespace
}  // namespace tactus::analysis
