// Other ways to share a GPU: values worked out by hand, and what they are not for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Interval exactly(std::int64_t length) { return Interval::exactly(Duration{length}); }

Segment cpu(std::int64_t length) { return CpuSegment{exactly(length)}; }
Segment copy(std::int64_t length) { return CopySegment{.time = exactly(length), .bytes = {}}; }
Segment gpu(std::int64_t length) { return ExclusiveSegment{exactly(length)}; }

Task chain(const std::string& name, std::int32_t core, std::int64_t period,
           const std::vector<Segment>& segments) {
  Task task;
  task.name = name;
  task.core = core;
  task.period = task.deadline = Duration{period};
  task.work.form = WorkForm::chain;
  for (const Segment& segment : segments) task.work.nodes.push_back({.name = "", .segment = segment});
  return task;
}

/// Two tasks on core 0 and one on core 1, all of which use the GPU, most urgent first.
System three_tasks() {
  System system;
  system.name = "three tasks";
  system.platform.clusters = {2};
  system.platform.gpu.sms = 2;
  system.policy.strategy = strategy_named("single-stream");
  system.policy.order = Order::fp;
  system.policy.time_slice = Duration{2};
  system.tasks = {chain("first", 0, 20, {cpu(1), gpu(2), cpu(1)}),
                  chain("second", 1, 30, {cpu(2), gpu(5), cpu(1)}),
                  chain("third", 0, 60, {cpu(3), copy(1), gpu(3), copy(1), cpu(2)})};
  return system;
}

System busy(System system) {
  for (Task& task : system.tasks) task.wait = Waiting::busy;
  return system;
}

System with_launch(System system, std::int64_t launch) {
  system.platform.overheads.launch = Duration{launch};
  return system;
}

std::vector<std::int64_t> bounds_of(const Result& result) {
  EXPECT_TRUE(result.applies()) << result.why_not;
  std::vector<std::int64_t> bounds;
  for (const TaskResult& task : result.tasks) bounds.push_back(task.bound.value_or(Duration{-1}).count());
  return bounds;
}

TEST(GpuSharing, ALockIsForOneRequestAfterTheOther) {
  // The first: 4 of its own + a request of 5. The second waits 5 + 2 for the lock, the third 2 + 5; more
  // urgent CPU work in its window: 2 jobs of the first.
  EXPECT_THAT(bounds_of(gpu_lock(three_tasks())), ElementsAre(9, 15, 21));
}

TEST(GpuSharing, WhoHoldsTheLockBusilyIsAboveAllOthersOfItsCore) {
  // The third may spin for 5 when the first arrives, and again after its request.
  EXPECT_THAT(bounds_of(gpu_lock(busy(three_tasks()))), ElementsAre(19, 17, 31));
}

TEST(GpuSharing, AServerCostsTimeOnItsCore) {
  EXPECT_THAT(bounds_of(gpu_server(three_tasks())), ElementsAre(9, 15, 21));
  EXPECT_THAT(bounds_of(gpu_server(busy(three_tasks()))), ElementsAre(9, 15, 21));
  // The second is on the last core, where the launches of both others come.
  EXPECT_THAT(bounds_of(gpu_server(with_launch(three_tasks(), 1))), ElementsAre(11, 23, 24));
}

TEST(GpuSharing, AFailureBesideAServerLeavesNothingProven) {
  System system = with_launch(three_tasks(), 1);
  for (std::size_t i = 0; i < 3; ++i) system.tasks[i].priority = 3 - static_cast<std::int64_t>(i);
  system.tasks[2].deadline = Duration{23};
  EXPECT_THAT(bounds_of(gpu_server(system)), ElementsAre(-1, -1, -1));
  EXPECT_EQ(gpu_server(system).verdict, Verdict::unproven);
  EXPECT_THAT(bounds_of(gpu_lock(system)), ElementsAre(11, 18, -1));
}

TEST(GpuSharing, APreemptiveGpuNeverBlocks) {
  EXPECT_THAT(bounds_of(gpu_preemptive(three_tasks())), ElementsAre(4, 10, 21));
  EXPECT_THAT(bounds_of(gpu_preemptive(busy(three_tasks()))), ElementsAre(4, 10, 23));
  // Each request may find the GPU about to go on with other work, and makes it do so when it ends.
  EXPECT_THAT(bounds_of(gpu_preemptive(with_launch(three_tasks(), 1))), ElementsAre(6, 14, 26));
}

TEST(GpuSharing, BusyTasksBringTheirWaitForTheGpuToTheCore) {
  System system = three_tasks();
  system.tasks.push_back(chain("fourth", 0, 80, {cpu(4)}));
  EXPECT_THAT(bounds_of(gpu_preemptive(system)), ElementsAre(4, 10, 21, 11));
  EXPECT_THAT(bounds_of(gpu_preemptive(busy(system))), ElementsAre(4, 10, 23, 32));
}

TEST(GpuSharing, InTurnsEveryOtherTaskIsServedBeforeEachTurn) {
  EXPECT_THAT(bounds_of(gpu_round_robin(three_tasks())), ElementsAre(8, 20, 26));
  EXPECT_THAT(bounds_of(gpu_round_robin(busy(three_tasks()))), ElementsAre(8, 20, 38));
}

TEST(GpuSharing, GpuTimeAsCpuTimeSpinsForOneRequestOfEachOtherCore) {
  EXPECT_THAT(bounds_of(gpu_as_cpu(three_tasks())), ElementsAre(19, 13, 33));
  EXPECT_THAT(bounds_of(gpu_as_cpu(busy(three_tasks()))), ElementsAre(19, 13, 33));
}

TEST(GpuSharing, OverloadIsUnschedulable) {
  System system = three_tasks();
  for (Task& task : system.tasks) task.period = task.deadline = Duration{13};
  EXPECT_EQ(gpu_as_cpu(system).verdict, Verdict::unschedulable);  // core 0 is needed for 4 + 10
  EXPECT_EQ(gpu_lock(system).verdict, Verdict::unproven);
  for (Task& task : system.tasks) task.period = task.deadline = Duration{11};
  for (auto* test : {gpu_lock, gpu_server, gpu_preemptive, gpu_round_robin, gpu_as_cpu}) {
    EXPECT_EQ(test(system).verdict, Verdict::unschedulable);
    EXPECT_THAT(test(system).reason, HasSubstr("the backlog grows without end"));
  }
}

TEST(GpuSharing, SayWhatTheyAreNotFor) {
  for (auto* test : {gpu_lock, gpu_server, gpu_preemptive, gpu_round_robin, gpu_as_cpu}) {
    System whole = three_tasks();
    for (Task& task : whole.tasks) task.work.nodes = {{.name = "", .segment = gpu(1)}};
    EXPECT_THAT(test(whole).why_not, HasSubstr("servers of their own"));
    System edf = three_tasks();
    edf.policy.order = Order::edf;
    EXPECT_THAT(test(edf).why_not, HasSubstr("fixed priority"));
    System global = three_tasks();
    global.policy.cpu = CpuChoice{.scope = CpuScope::global};
    EXPECT_THAT(test(global).why_not, HasSubstr("own tasks"));
    System not_preemptive = three_tasks();
    not_preemptive.policy.cpu = CpuChoice{.preemptive = false};
    EXPECT_THAT(test(not_preemptive).why_not, HasSubstr("preemptive"));
    System moving = three_tasks();
    moving.tasks[0].work.nodes[2].core = 1;
    EXPECT_THAT(test(moving).why_not, HasSubstr("several cores"));
    System late = three_tasks();
    late.tasks[0].deadline = Duration{30};
    EXPECT_THAT(test(late).why_not, HasSubstr("D <= T"));
  }
  System endless = with_launch(three_tasks(), 1);
  endless.tasks.push_back(chain("background", 0, 1, {gpu(1)}));
  endless.tasks.back().arrival = Arrival::best_effort;
  endless.tasks.back().period = endless.tasks.back().deadline = std::nullopt;
  EXPECT_THAT(gpu_server(endless).why_not, HasSubstr("best-effort"));
  EXPECT_TRUE(gpu_lock(endless).applies());
}

TEST(GpuSharing, HaveNoSayInAVerdict) {
  for (const char* id : {"gpu-lock", "gpu-server", "gpu-preemptive", "gpu-round-robin", "gpu-as-cpu"}) {
    const Analysis* analysis = find(id);
    ASSERT_NE(analysis, nullptr);
    EXPECT_FALSE(counts_for_verdict(*analysis));
    const CheckResult checked = check(three_tasks(), {analysis, 1});
    EXPECT_EQ(checked.verdict, Verdict::unproven) << id;
    EXPECT_EQ(checked.analyses.front().result.verdict, Verdict::schedulable) << id;
  }
}

}  // namespace
}  // namespace tactus::analysis
