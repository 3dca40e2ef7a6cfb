// What plan answers: examples, degenerate systems, interrupts.
#include "tactus/plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>

#include "support/core_systems.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/json.hpp"
#include "tactus/plan/node_judge.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

System read(const std::string& policy, const std::string& tasks,
            const std::string& platform = "{gpu: {sms: 2, priority_levels: 3}}") {
  const std::string text =
      "tactus: 1\nname: example\nplatform: " + platform + "\npolicy: " + policy + "\ntasks:\n" + tasks;
  const ReadResult result = read_system(text, "example.yaml", Completeness::to_be_planned);
  for (const Problem& problem : result.problems) ADD_FAILURE() << to_string(problem);
  return *result.system;
}

/// The plan is complete, passes the check, and its file reads back equal.
void expect_complete(const plan::Plan& planned) {
  ASSERT_TRUE(planned.found) << planned.why_not;
  EXPECT_THAT(validate(planned.planned), IsEmpty());
  EXPECT_THAT(find_missing_parameters(planned.planned), IsEmpty());
  EXPECT_EQ(analysis::check(planned.planned).verdict, analysis::Verdict::schedulable);
  const ReadResult again = read_system(to_system_file(planned.planned), "again.yaml");
  ASSERT_TRUE(again.system);
  EXPECT_EQ(*again.system, planned.planned);
}

constexpr auto cores_to_plan = R"(
  - {name: lidar, period: 10ms, exclusive: 3ms, longest_block: 0, sm: 0}
  - {name: camera, period: 15ms, exclusive: 5ms, longest_block: 0, sm: 0}
  - {name: radar, period: 10ms, exclusive: 1ms, longest_block: 0, sm: 1}
  - {name: fusion, period: 12ms, exclusive: 3ms, longest_block: 0}
)";

TEST(Plan, ReservationsInRoundNumbers) {
  const plan::Plan planned = plan::plan(read("{strategy: sm-cores}", cores_to_plan));
  expect_complete(planned);
  const Reservations expected{.period = Duration{6'000'000},
                              .local = Window{Duration{}, Duration{4'500'000}},
                              .all = Window{Duration{4'500'000}, Duration{1'500'000}}};
  EXPECT_EQ(planned.planned.policy.reservations, expected);
  EXPECT_FALSE(planned.has_priorities);
  EXPECT_FALSE(planned.has_cores);
}

TEST(Plan, WhatHoldsAlreadyIsKept) {
  System system = read(
      "{strategy: sm-cores, reservations: {period: 5ms, local: {offset: 2ms, budget: 3ms}, all: {budget: "
      "2ms}}}",
      R"(
  - {name: lidar, period: 100ms, exclusive: 3ms, longest_block: 0, sm: 0}
  - {name: fusion, period: 120ms, exclusive: 3ms, longest_block: 0}
)");
  plan::Plan planned = plan::plan(system);
  expect_complete(planned);
  EXPECT_EQ(planned.planned, system);
  system.policy.order = Order::fp;
  system.tasks[0].priority = 7;
  system.tasks[1].priority = 3;
  planned = plan::plan(system);
  expect_complete(planned);
  EXPECT_EQ(planned.planned, system);
  system.tasks[0].sm.kind = SmAffinity::Kind::any;
  planned = plan::plan(system);
  expect_complete(planned);
  EXPECT_EQ(planned.planned.policy, system.policy);
  EXPECT_EQ(planned.planned.tasks[0].sm, (SmAffinity{SmAffinity::Kind::one, 0}));
}

constexpr auto six_tasks = R"(
  - {name: a, period: 100ms, priority: 6, exclusive: 2ms}
  - {name: b, period: 110ms, priority: 5, exclusive: 2ms}
  - {name: c, period: 120ms, priority: 4, exclusive: 2ms}
  - {name: d, period: 130ms, priority: 3, exclusive: 2ms}
  - {name: e, period: 140ms, priority: 2, exclusive: 2ms}
  - {name: f, period: 150ms, priority: 1, exclusive: 2ms}
)";

TEST(Plan, WhereTheBoundIsTightTwoChecksSayWhatEachDeadlineCanShrink) {
  int checks = 0;
  Watch watch;
  watch.progress = [&](double part) {
    EXPECT_LT(part, 1);
    ++checks;
  };
  const System system = read("{strategy: single-stream, order: fp}", six_tasks);
  const plan::Plan quiet = plan::plan(system, watch, {.measures_shrink = false});
  const int searched = checks;
  for (const plan::TaskPlan& task : quiet.tasks) EXPECT_FALSE(task.can_shrink) << task.name;
  checks = 0;
  const plan::Plan planned = plan::plan(system, watch);
  expect_complete(planned);
  EXPECT_EQ(checks - searched, 2 * 6);
  for (const plan::TaskPlan& task : planned.tasks) EXPECT_EQ(task.can_shrink, task.margin) << task.name;
}

TEST(Plan, AnInterruptLeavesUnknownByHowMuchTheOtherDeadlinesCanShrink) {
  const System system = read("{strategy: single-stream, order: fp}", six_tasks);
  for (const int looks : {1, 5, 9}) {
    std::atomic<bool> stop{false};
    int seen = 0;
    Watch watch{.stop = &stop};
    watch.progress = [&](double part) {
      if (part >= 0 && ++seen == looks) stop = true;
    };
    const plan::Plan planned = plan::plan(system, watch);
    expect_complete(planned);
    EXPECT_TRUE(planned.interrupted);
    for (std::size_t i = 0; i < planned.tasks.size(); ++i) {
      EXPECT_TRUE(planned.tasks[i].bound);
      EXPECT_EQ(planned.tasks[i].can_shrink.has_value(), static_cast<int>(i) < looks / 2) << i;
    }
    EXPECT_EQ(plan::to_json(planned)["tasks"][5]["deadline_can_shrink_ns"], nullptr);
  }
}

TEST(Plan, AJudgementEndsWithItsWatch) {
  const System system = read("{strategy: single-stream, order: fp}",
                             "  - {name: a, period: 100ms, segments: [{cpu: 1ms}, {exclusive: 2ms}]}\n");
  std::atomic<bool> stop{false};
  const Watch watch{.stop = &stop};
  EXPECT_TRUE(plan::judge_nodes(system, watch).holds);
  stop = true;
  EXPECT_THROW(plan::judge_nodes(system, watch), plan::SearchStopped);
}

TEST(Plan, NoTimeIsLeftToMeasureByHowMuchDeadlinesCanShrink) {
  const System system = read("{strategy: single-stream, order: fp}", six_tasks);
  const plan::Plan planned = plan::plan(system, {}, {.time_limit = std::chrono::nanoseconds{0}});
  expect_complete(planned);
  EXPECT_FALSE(planned.interrupted);
  for (const plan::TaskPlan& task : planned.tasks) EXPECT_FALSE(task.can_shrink) << task.name;
}

TEST(Plan, MarginIsDeadlineLessBoundAndShrinkingIsMeasured) {
  const plan::Plan planned = plan::plan(read("{strategy: single-stream}", R"(
  - {name: one, period: 10ms, exclusive: 2ms, deadline: 9ms}
  - {name: two, period: 40ms, exclusive: 3ms, deadline: 20ms}
)"));
  expect_complete(planned);
  // np-edf proves deadlines: no margin. Blocked by the other, each job is done after 5 ms.
  for (const plan::TaskPlan& task : planned.tasks) {
    EXPECT_EQ(task.bound, task.deadline);
    EXPECT_EQ(task.margin, Duration{});
    EXPECT_EQ(*task.deadline - *task.can_shrink, Duration{5'000'000}) << task.name;
  }
}

TEST(Plan, PrioritiesThatAreNotByDeadline) {
  const System system = read("{strategy: single-stream, order: fp}", R"(
  - {name: first, period: 5us, exclusive: 2us}
  - {name: second, period: 9us, exclusive: 1us}
  - {name: third, period: 7us, exclusive: 3us}
)");
  const plan::Plan planned = plan::plan(system);
  expect_complete(planned);
  EXPECT_THAT(planned.how, HasSubstr("Audsley"));
  EXPECT_EQ(planned.planned.tasks[0].priority, 3);
  EXPECT_EQ(planned.planned.tasks[1].priority, 2);
  EXPECT_EQ(planned.planned.tasks[2].priority, 1);
}

TEST(Plan, OneKindOfTasksGetsAllOfTheTime) {
  plan::Plan planned = plan::plan(read("{strategy: sm-cores}", R"(
  - {name: only, period: 10ms, exclusive: 9ms, sm: any}
)"));
  expect_complete(planned);
  EXPECT_EQ(planned.planned.policy.reservations->local->budget, planned.planned.policy.reservations->period);
  EXPECT_FALSE(planned.planned.policy.reservations->all);
  planned = plan::plan(read("{strategy: sm-cores, order: fp}", R"(
  - {name: only, period: 10ms, exclusive: 9ms}
)"));
  expect_complete(planned);
  EXPECT_EQ(planned.planned.policy.reservations->all->budget, planned.planned.policy.reservations->period);
  EXPECT_FALSE(planned.planned.policy.reservations->local);
}

TEST(Plan, BestEffortTasksGetAWindowIfThereIsRoom) {
  plan::Plan planned = plan::plan(read("{strategy: sm-cores}", R"(
  - {name: work, period: 10ms, exclusive: 5ms, longest_block: 10us, sm: 0}
  - {name: filler, arrival: best-effort, exclusive: 1ms, longest_block: 10us}
)"));
  expect_complete(planned);
  EXPECT_TRUE(planned.planned.policy.reservations->all);
  planned = plan::plan(read("{strategy: sm-cores}", R"(
  - {name: work, period: 10ms, exclusive: 10ms, longest_block: 0, sm: 0}
  - {name: filler, arrival: best-effort, exclusive: 1ms, longest_block: 0}
)"));
  expect_complete(planned);
  EXPECT_FALSE(planned.planned.policy.reservations->all);
  EXPECT_THAT(planned.how, HasSubstr("best-effort"));
}

TEST(Plan, NothingButBestEffortTasks) {
  for (const char* policy : {"{strategy: sm-cores}", "{strategy: sm-cores, order: fp}",
                             "{strategy: single-stream, order: fp}", "{strategy: multi-stream, order: fp}"}) {
    const plan::Plan planned = plan::plan(read(policy, R"(
  - {name: filler, arrival: best-effort, exclusive: 1ms, longest_block: 0, sm: any}
  - {name: other, arrival: best-effort, exclusive: 1ms, longest_block: 0}
)"));
    EXPECT_TRUE(planned.found) << policy << ": " << planned.why_not;
  }
}

TEST(Plan, WindowsInPhaseAreTheSecondTry) {
  // For sporadic arrivals the core needs 4 of every 5: together with the gang task more than there is.
  const std::string tasks = R"(
  - {name: often, period: 10ms, deadline: 5ms, exclusive: 4ms, longest_block: 0, sm: 0}
  - {name: seldom, period: 40ms, exclusive: 6ms, longest_block: 0, sm: 0}
  - {name: gang, period: 10ms, exclusive: 4ms, longest_block: 0}
)";
  const plan::Plan planned = plan::plan(read("{strategy: sm-cores}", tasks));
  expect_complete(planned);
  EXPECT_EQ(planned.accepted_by.substr(0, 7), "window-");
  EXPECT_THAT(planned.how, HasSubstr("in phase"));
  System sporadic = read("{strategy: sm-cores}", tasks);
  for (Task& task : sporadic.tasks) task.arrival = Arrival::sporadic;
  const plan::Plan refused = plan::plan(sporadic);
  EXPECT_FALSE(refused.found);
  EXPECT_THAT(refused.why_not, HasSubstr("nearest is the period"));
  ASSERT_TRUE(refused.fails);
  EXPECT_GT(refused.fails->by, Duration{});
  EXPECT_THAT(refused.searched, HasSubstr("looked at"));
}

TEST(Plan, TooMuchWorkIsSaid) {
  const plan::Plan gang = plan::plan(read("{strategy: sm-cores}", R"(
  - {name: heavy, period: 10ms, deadline: 8ms, exclusive: 9ms, longest_block: 0}
  - {name: light, period: 10ms, exclusive: 1ms, longest_block: 0, sm: 0}
)"));
  EXPECT_FALSE(gang.found);
  EXPECT_THAT(gang.why_not, HasSubstr("'heavy' fails by 1ms"));
  const plan::Plan core = plan::plan(read("{strategy: sm-cores, order: fp}", R"(
  - {name: heavy, period: 10ms, deadline: 8ms, exclusive: 9ms, longest_block: 0, sm: any}
  - {name: light, period: 10ms, exclusive: 1ms, longest_block: 0}
)"));
  EXPECT_FALSE(core.found);
  EXPECT_THAT(core.why_not, HasSubstr("'heavy' fails by 1ms"));
  const plan::Plan stream = plan::plan(read("{strategy: multi-stream, order: fp}", R"(
  - {name: heavy, period: 10ms, deadline: 8ms, exclusive: 9ms, longest_block: 0}
)"));
  EXPECT_FALSE(stream.found);
  EXPECT_EQ(stream.fails->task, "heavy");
  EXPECT_EQ(stream.fails->by, Duration{1'000'000});
}

TEST(Plan, WhatNoAnalysisTakesIsNotFound) {
  const plan::Plan once = plan::plan(read("{strategy: sm-cores}", R"(
  - {name: start, arrival: once, deadline: 10ms, exclusive: 1ms, sm: any}
)"));
  EXPECT_FALSE(once.found);
  EXPECT_THAT(once.why_not, HasSubstr("arrives once"));
  const plan::Plan late = plan::plan(read("{strategy: sm-cores}", R"(
  - {name: shaky, period: 10ms, deadline: 2ms, jitter: 3ms, exclusive: 1ms, sm: 0}
  - {name: gang, period: 10ms, exclusive: 1ms}
)"));
  EXPECT_FALSE(late.found);
  EXPECT_THAT(late.why_not, Not(IsEmpty()));
}

TEST(Plan, GraphsAreJudgedAsTheyAre) {
  const plan::Plan judged =
      plan::plan(read("{strategy: graph}", "  - {name: one, period: 10ms, segments: [{cpu: 1ms}]}\n"));
  EXPECT_TRUE(judged.found);
  EXPECT_EQ(judged.tasks.at(0).bound, std::chrono::milliseconds{1});
}

TEST(Plan, WhatOnlyFederatedHasIsRefusedElsewhere) {
  const System system = read("{strategy: single-stream}", "  - {name: one, period: 10ms, exclusive: 1ms}\n");
  EXPECT_THROW(plan::plan(system, {}, {.fewest_sms = true}), InputError);
  EXPECT_THROW(plan::plan(system, {}, {.fastest = true}), InputError);
}

TEST(Plan, HugeNumbersDoNotHurt) {
  const plan::Plan planned = plan::plan(read("{strategy: sm-cores}", R"(
  - {name: slow, period: 9000000000s, exclusive: 4000000000s, longest_block: 0, sm: 0}
  - {name: gang, period: 9000000000s, exclusive: 1000000000s, longest_block: 0}
)"));
  EXPECT_TRUE(planned.found) << planned.why_not;
}

TEST(Plan, AStopAtOnceFindsNothing) {
  const std::atomic<bool> stop{true};
  const plan::Plan planned = plan::plan(read("{strategy: sm-cores}", cores_to_plan), {.stop = &stop});
  EXPECT_FALSE(planned.found);
  EXPECT_TRUE(planned.interrupted);
}

TEST(Plan, AStopInTheMiddleKeepsTheBestSoFar) {
  std::atomic<bool> stop{false};
  int shown = 0;
  Watch watch;
  watch.stop = &stop;
  watch.progress = [&](double part) {
    EXPECT_LE(part, 1.0);
    if (++shown == 20) stop = true;
  };
  const plan::Plan planned = plan::plan(read("{strategy: sm-cores}", cores_to_plan), watch);
  EXPECT_EQ(shown, 20);
  EXPECT_TRUE(planned.interrupted);
  expect_complete(planned);
}

TEST(Plan, JsonHasWhatTheContractNames) {
  const System system = read("{strategy: sm-cores, order: fp}", R"(
  - {name: lidar, period: 10ms, exclusive: 3ms, longest_block: 0, sm: any}
  - {name: fusion, period: 12ms, exclusive: 3ms, longest_block: 0}
)");
  const nlohmann::ordered_json json = to_json(plan::plan(system));
  EXPECT_EQ(json["system"], "example");
  EXPECT_EQ(json["found"], true);
  EXPECT_EQ(json["sm"], (nlohmann::ordered_json{{"lidar", 0}}));
  EXPECT_EQ(json["priorities"], (nlohmann::ordered_json{{"lidar", 2}, {"fusion", 1}}));
  const std::int64_t period = json["reservations"]["period_ns"];
  EXPECT_EQ(json["reservations"]["local"]["budget_ns"].get<std::int64_t>() +
                json["reservations"]["all"]["budget_ns"].get<std::int64_t>(),
            period);
  for (const auto& task : json["tasks"]) {
    EXPECT_EQ(task["margin_ns"].get<std::int64_t>(),
              task["deadline_ns"].get<std::int64_t>() - task["bound_ns"].get<std::int64_t>());
  }
  EXPECT_FALSE(json.contains("why_not"));
}

}  // namespace
}  // namespace tactus::test
