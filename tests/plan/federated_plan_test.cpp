// What plan answers under `federated`: examples, reasons, interrupts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>

#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/json.hpp"
#include "tactus/plan/plan.hpp"

namespace tactus::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using VirtualSms = std::vector<std::optional<std::int64_t>>;

System read(const std::string& policy, const std::string& tasks, int sms = 4) {
  const std::string text = "tactus: 1\nname: example\nplatform: {cpus: 4, gpu: {sms: " + std::to_string(sms) +
                           "}}\npolicy: {strategy: federated" + policy + "}\ntasks:\n" + tasks;
  const ReadResult result = read_system(text, "example.yaml", Completeness::to_be_planned);
  for (const Problem& problem : result.problems) ADD_FAILURE() << to_string(problem);
  return *result.system;
}

void expect_complete(const plan::Plan& planned) {
  ASSERT_TRUE(planned.found) << planned.why_not;
  EXPECT_THAT(validate(planned.planned), IsEmpty());
  EXPECT_THAT(find_missing_parameters(planned.planned), IsEmpty());
  EXPECT_EQ(analysis::check(planned.planned).verdict, analysis::Verdict::schedulable);
}

// On one SM (two virtual SMs) the camera takes 1 + 1 + 8 + 1 ms, on two 1 + 1 + 4 + 1.
constexpr auto camera_and_arm = R"(
  - {name: camera, period: 20ms, deadline: 8ms, segments: [{cpu: 1ms}, {copy: 1ms}, {gpu: {work: 16ms}}, {copy: 1ms}]}
  - {name: arm, period: 40ms, deadline: 30ms, core: 1, segments: [{cpu: 2ms}, {gpu: {work: 4ms}}]}
)";

TEST(FederatedPlan, GivesEachTaskTheSmsItNeeds) {
  const plan::Plan planned = plan::plan(read("", camera_and_arm));
  expect_complete(planned);
  EXPECT_EQ(planned.planned.virtual_sms, (VirtualSms{4, 2}));
  EXPECT_EQ(planned.sms->used, 3);
  EXPECT_EQ(planned.sms->available, 4);
  EXPECT_FALSE(planned.sms->fewest);
  EXPECT_FALSE(planned.has_priorities);
  EXPECT_FALSE(planned.rate);
  EXPECT_EQ(planned.tasks[0].bound, Duration{7'000'000});
  EXPECT_EQ(planned.tasks[0].margin, Duration{1'000'000});
  EXPECT_EQ(planned.tasks[0].can_shrink, Duration{1'000'000});
  EXPECT_THAT(planned.how, AllOf(HasSubstr("rtgpu"), HasSubstr("deadline-monotonic")));
}

TEST(FederatedPlan, KeepsWhatTheFileGives) {
  const System some = read(", virtual_sms: {arm: 4}", camera_and_arm);
  plan::Plan planned = plan::plan(some);
  expect_complete(planned);
  EXPECT_EQ(planned.planned.virtual_sms, (VirtualSms{4, 4}));
  const System all = read(", virtual_sms: {camera: 4, arm: 4}", camera_and_arm);
  planned = plan::plan(all);
  expect_complete(planned);
  EXPECT_EQ(planned.planned, all);
  EXPECT_THAT(planned.how, HasSubstr("the virtual SMs of the file"));
  // Also where saving is asked for: they are no question.
  EXPECT_EQ(plan::plan(all, {}, {.fewest_sms = true}).planned, all);
}

TEST(FederatedPlan, SaysWhenTheSmsOfTheFileAreTheReason) {
  const plan::Plan planned = plan::plan(read(", virtual_sms: {camera: 2, arm: 2}", camera_and_arm));
  EXPECT_FALSE(planned.found);
  EXPECT_THAT(planned.why_not, AllOf(HasSubstr("'camera'"), HasSubstr("leave them out")));
  EXPECT_EQ(planned.fails->task, "camera");
  EXPECT_EQ(planned.fails->by, Duration{3'000'000});
}

TEST(FederatedPlan, SmsOfTasksWithoutGpuWorkAreNotForOthers) {
  const std::string policy = ", virtual_sms: {idle: 2}";
  const std::string idle = "  - {name: idle, period: 50ms, core: 2, segments: [{cpu: 1ms}]}\n";
  plan::Plan planned = plan::plan(read(policy, camera_and_arm + idle));
  expect_complete(planned);
  EXPECT_EQ(planned.planned.virtual_sms, (VirtualSms{4, 2, 2}));
  EXPECT_EQ(planned.sms->used, 4);
  planned = plan::plan(read(policy, camera_and_arm + idle, 3));
  EXPECT_FALSE(planned.found);
  EXPECT_THAT(planned.why_not, HasSubstr("leave them out"));
}

TEST(FederatedPlan, BestEffortTasksGetWhatIsLeft) {
  const std::string tasks = std::string{camera_and_arm} + R"(
  - {name: map, arrival: best-effort, segments: [{gpu: {work: 50ms}}]}
  - {name: log, arrival: best-effort, segments: [{cpu: 5ms}]}
  - {name: train, arrival: best-effort, segments: [{gpu: {work: 50ms}}]}
)";
  plan::Plan planned = plan::plan(read("", tasks, 8));
  expect_complete(planned);
  EXPECT_EQ(planned.planned.virtual_sms, (VirtualSms{4, 2, 4, {}, 6}));
  EXPECT_THAT(planned.how, HasSubstr("best-effort tasks get what is left"));
  planned = plan::plan(read("", tasks, 8), {}, {.fewest_sms = true});
  expect_complete(planned);
  EXPECT_EQ(planned.planned.virtual_sms, (VirtualSms{4, 2, 2, {}, 2}));
  EXPECT_EQ(planned.sms->used, 5);
  EXPECT_EQ(planned.sms->fewest, true);
  planned = plan::plan(read("", tasks, 3));
  EXPECT_FALSE(planned.found);
  EXPECT_THAT(planned.why_not, AllOf(HasSubstr("too few SMs"), HasSubstr("best-effort")));
}

TEST(FederatedPlan, TasksWithoutGpuWorkNeedNoSms) {
  const System system = read("", "  - {name: only, period: 10ms, segments: [{cpu: 9ms}]}\n");
  const plan::Plan planned = plan::plan(system);
  expect_complete(planned);
  EXPECT_EQ(planned.planned, system);
  EXPECT_EQ(planned.sms->used, 0);
  EXPECT_EQ(to_json(planned)["virtual_sms"], nlohmann::ordered_json::object());
}

TEST(FederatedPlan, WhatNothingCanHelpIsSaid) {
  const plan::Plan chain = plan::plan(read("", R"(
  - {name: heavy, period: 20ms, deadline: 8ms, segments: [{cpu: 5ms}, {gpu: {work: 32ms}}]}
)"));
  EXPECT_FALSE(chain.found);
  EXPECT_THAT(chain.why_not,
              AllOf(HasSubstr("nothing can help"), HasSubstr("'heavy'"), HasSubstr("8 virtual SMs")));
  EXPECT_EQ(chain.fails->task, "heavy");
  EXPECT_EQ(chain.fails->by, Duration{1'000'000});
  const plan::Plan core = plan::plan(read("", R"(
  - {name: one, period: 10ms, segments: [{cpu: 6ms}]}
  - {name: two, period: 10ms, segments: [{cpu: 5ms}]}
)"));
  EXPECT_FALSE(core.found);
  EXPECT_THAT(core.why_not, AllOf(HasSubstr("nothing can help"), HasSubstr("core 0")));
  EXPECT_FALSE(core.fails);
}

TEST(FederatedPlan, TheTaskInTheWayIsNamedWithTheAmount) {
  // Either order fails, by 6 ms and by 1 ms.
  const plan::Plan planned = plan::plan(read("", R"(
  - {name: often, period: 10ms, segments: [{cpu: 5ms}]}
  - {name: seldom, period: 20ms, deadline: 10ms, segments: [{cpu: 6ms}]}
)"));
  EXPECT_FALSE(planned.found);
  EXPECT_EQ(planned.fails->task, "seldom");
  EXPECT_EQ(planned.fails->by, Duration{6'000'000});
  EXPECT_THAT(planned.why_not, HasSubstr("6ms past its deadline"));
  EXPECT_THAT(planned.searched, HasSubstr("rules out every order"));
}

// By deadlines `short` comes first, but it has time to spare, and `long` has hardly any.
constexpr auto better_reversed = R"(
  - {name: short, period: 20ms, deadline: 10ms, segments: [{cpu: 3ms}]}
  - {name: long, period: 20ms, deadline: 11ms, segments: [{cpu: 1ms}, {exclusive: 9ms}]}
)";

TEST(FederatedPlan, OtherPrioritiesAreTheSecondTry) {
  const System system = read("", better_reversed);
  ASSERT_NE(analysis::check(system).verdict, analysis::Verdict::schedulable);
  const plan::Plan planned = plan::plan(system);
  expect_complete(planned);
  EXPECT_TRUE(planned.has_priorities);
  EXPECT_EQ(planned.planned.tasks[0].priority, 1);
  EXPECT_EQ(planned.planned.tasks[1].priority, 2);
  EXPECT_EQ(to_json(planned)["priorities"], (nlohmann::ordered_json{{"short", 1}, {"long", 2}}));
  EXPECT_THAT(planned.how, HasSubstr("another order"));
}

TEST(FederatedPlan, PrioritiesOfTheFileAreKept) {
  System system = read("", better_reversed);
  system.tasks[0].priority = 9;
  const plan::Plan planned = plan::plan(system);
  EXPECT_FALSE(planned.found);
  EXPECT_THAT(planned.why_not, AllOf(HasSubstr("the priorities of the file"), HasSubstr("'long'")));
  System reversed = read("", camera_and_arm);
  reversed.tasks[1].priority = 5;
  const plan::Plan kept = plan::plan(reversed);
  expect_complete(kept);
  EXPECT_EQ(kept.planned.tasks, reversed.tasks);
}

TEST(FederatedPlan, TheFastestRatesKeepEveryDeadline) {
  // Alone the job takes 4 ms on all four SMs: 10 ms / 4 ms.
  const System system = read("", R"(
  - {name: only, period: 12ms, deadline: 10ms, segments: [{cpu: 1ms}, {gpu: {work: 24ms}}]}
)");
  const plan::Plan planned = plan::plan(system, {}, {.fastest = true});
  expect_complete(planned);
  EXPECT_EQ(planned.rate->factor, 2500);
  EXPECT_EQ(planned.rate->largest, true);
  EXPECT_EQ(planned.planned.tasks[0].deadline, Duration{4'000'000});
  EXPECT_EQ(planned.planned.tasks[0].period, Duration{4'800'000});
  EXPECT_EQ(planned.planned.virtual_sms, VirtualSms{8});
  const auto json = to_json(planned);
  EXPECT_EQ(json["rate"]["factor_thousandths"], 2500);
  EXPECT_EQ(json["rate"]["largest"], true);
}

TEST(FederatedPlan, RatesFallWhereItDoesNotHoldAsItIs) {
  const System system = read("", R"(
  - {name: only, period: 10ms, deadline: 3ms, segments: [{cpu: 1ms}, {gpu: {work: 24ms}}]}
)");
  EXPECT_FALSE(plan::plan(system).found);
  const plan::Plan planned = plan::plan(system, {}, {.fastest = true});
  expect_complete(planned);
  EXPECT_EQ(planned.rate->factor, 750);
  EXPECT_EQ(planned.planned.tasks[0].deadline, Duration{4'000'000});
}

TEST(FederatedPlan, FastestAndFewestTogether) {
  const plan::Plan planned = plan::plan(read("", camera_and_arm), {}, {.fewest_sms = true, .fastest = true});
  expect_complete(planned);
  EXPECT_GT(planned.rate->factor, 1000);
  EXPECT_EQ(planned.sms->fewest, true);
}

TEST(FederatedPlan, WhatNoAnalysisTakesIsNotFound) {
  const plan::Plan once = plan::plan(read("", R"(
  - {name: start, arrival: once, segments: [{gpu: {work: 1ms}}]}
)"));
  EXPECT_FALSE(once.found);
  EXPECT_THAT(once.why_not, HasSubstr("needs deadlines"));
}

TEST(FederatedPlan, ScriptsThatDependOnThePlanAreRefused) {
  System system = read("", camera_and_arm);
  system.tasks[0].jobs.emplace_back();
  EXPECT_THROW(plan::plan(system), InputError);
  system.virtual_sms = {4, 2};
  EXPECT_TRUE(plan::plan(system).found);
  EXPECT_THROW(plan::plan(system, {}, {.fastest = true}), InputError);
}

TEST(FederatedPlan, HugeNumbersDoNotHurt) {
  const System system = read("", R"(
  - {name: slow, period: 9000000000s, segments: [{cpu: 1000000000s}, {gpu: {work: 8000000000s}}]}
  - {name: slower, period: 9000000000s, segments: [{cpu: 1000000000s}, {gpu: {work: 8000000000s}}]}
)");
  EXPECT_TRUE(plan::plan(system).found);
  EXPECT_TRUE(plan::plan(system, {}, {.fastest = true}).found);
  const plan::Plan over = plan::plan(read("", R"(
  - {name: slow, period: 9000000000s, segments: [{cpu: 8000000000s}, {copy: 8000000000s}, {gpu: {work: 8000000000s}}]}
)"));
  EXPECT_FALSE(over.found);
  EXPECT_THAT(over.why_not, Not(IsEmpty()));
}

TEST(FederatedPlan, AStopAtOnceFindsNothing) {
  const std::atomic<bool> stop{true};
  const plan::Plan planned = plan::plan(read("", camera_and_arm), {.stop = &stop});
  EXPECT_FALSE(planned.found);
  EXPECT_TRUE(planned.interrupted);
}

TEST(FederatedPlan, AStopInTheMiddleKeepsTheBestSoFar) {
  for (const plan::PlanGoals& options :
       {plan::PlanGoals{.fewest_sms = true}, plan::PlanGoals{.fastest = true}}) {
    std::atomic<bool> stop{false};
    int shown = 0;
    Watch watch;
    watch.stop = &stop;
    watch.progress = [&](double part) {
      EXPECT_LE(part, 1.0);
      if (++shown == 2) stop = true;
    };
    const plan::Plan planned = plan::plan(read("", camera_and_arm), watch, options);
    EXPECT_TRUE(planned.interrupted);
    expect_complete(planned);
    if (options.fewest_sms) {
      EXPECT_EQ(planned.sms->fewest, false);
    }
    if (options.fastest) {
      EXPECT_FALSE(planned.rate->largest);
    }
  }
}

TEST(FederatedPlan, JsonHasWhatTheContractNames) {
  const auto json = to_json(plan::plan(read("", camera_and_arm), {}, {.fewest_sms = true}));
  EXPECT_EQ(json["found"], true);
  EXPECT_EQ(json["virtual_sms"], (nlohmann::ordered_json{{"camera", 4}, {"arm", 2}}));
  EXPECT_EQ(json["sms"], (nlohmann::ordered_json{{"used", 3}, {"available", 4}, {"fewest", true}}));
  EXPECT_EQ(json["analysis"], "rtgpu");
  EXPECT_FALSE(json.contains("priorities"));
  EXPECT_FALSE(json.contains("rate"));
  EXPECT_FALSE(json.contains("why_not"));
}

}  // namespace
}  // namespace tactus::test
