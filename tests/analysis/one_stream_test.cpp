// np-edf and np-fp: published examples, counterexamples, degenerate cases, verdicts and reasons.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/gpu_job_systems.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/json.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::analysis {
namespace {

using test::add_best_effort;
using test::bounds_of;
using test::one_stream;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(NpEdf, RefutesTheSetThatTheoremOneAcceptsAsPrinted) {
  const Result result = np_edf(one_stream(Order::edf, {{2, 3, 3}, {3, 19, 20}}));
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  EXPECT_EQ(to_json(result.detail)["interval_ns"], 3);
  EXPECT_EQ(to_json(result.detail)["demand_ns"], 2);
  EXPECT_EQ(to_json(result.detail)["blocking_ns"], 3);
  EXPECT_EQ(to_json(result.detail)["blocker"], "task2");
  EXPECT_EQ(to_json(result.detail)["supply_ns"], 3);
  EXPECT_EQ(to_json(result.detail)["server"], "the GPU");
  EXPECT_EQ(
      result.reason,
      "in an interval of 3ns the tasks of the GPU may need 2ns (+ 3ns blocking by 'task2'): 2ns too much");
  EXPECT_THAT(bounds_of(result), ElementsAre(-1, -1));
  EXPECT_FALSE(result.tasks[0].ok);
}

TEST(NpEdf, AcceptsWithTheDeadlineAsBound) {
  const Result result = np_edf(one_stream(Order::edf, {{1, 4, 4}, {3, 19, 20}}));
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds_of(result), ElementsAre(4, 19));
  EXPECT_TRUE(result.tasks[0].ok && result.tasks[1].ok);
}

TEST(NpEdf, OneTaskMayUseAllOfItsDeadlineAndPeriod) {
  EXPECT_EQ(np_edf(one_stream(Order::edf, {{5, 5, 5}})).verdict, Verdict::schedulable);
  EXPECT_EQ(np_edf(one_stream(Order::edf, {{5, 4, 5}})).verdict, Verdict::unschedulable);
}

TEST(NpEdf, FullUtilisationIsNoOverload) {
  // Without blocking: equal deadlines.
  EXPECT_EQ(np_edf(one_stream(Order::edf, {{1, 3, 3}, {2, 3, 3}})).verdict, Verdict::schedulable);
  // 1/3 + 2/3 is not rounded to more than 1; the blocking of 2 fits into the slack before 3.
  EXPECT_EQ(np_edf(one_stream(Order::edf, {{1, 3, 3}, {2, 3, 3}, {1, 999'999'999, 1'000'000'000}})).verdict,
            Verdict::unschedulable);
}

TEST(NpEdf, PeriodicTasksAreNotRefutedUnlessOverloaded) {
  System system = one_stream(Order::edf, {{2, 3, 3}, {3, 19, 20}});
  system.tasks[1].arrival = Arrival::periodic;
  EXPECT_EQ(np_edf(system).verdict, Verdict::unproven);
  system = one_stream(Order::edf, {{2, 3, 3}, {8, 19, 20}});
  for (Task& task : system.tasks) task.arrival = Arrival::periodic;
  const Result overloaded = np_edf(system);
  EXPECT_EQ(overloaded.verdict, Verdict::unschedulable);
  EXPECT_EQ(to_json(overloaded.detail)["utilisation"], "1.066667");
  EXPECT_THAT(overloaded.reason, HasSubstr("1.066667 of its time"));
}

TEST(NpEdf, LateReleasesShortenTheTimeAndNeverRefute) {
  System system = one_stream(Order::edf, {{2, 6, 10}, {3, 20, 20}});
  EXPECT_EQ(np_edf(system).verdict, Verdict::schedulable);
  system.tasks[0].jitter = nanoseconds(1);
  EXPECT_EQ(np_edf(system).verdict, Verdict::schedulable);
  system.platform.overheads.release = nanoseconds(1);
  const Result result = np_edf(system);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_EQ(to_json(result.detail)["interval_ns"], 4);
  system.tasks[0].jitter = nanoseconds(5);
  EXPECT_THAT(np_edf(system).reason,
              HasSubstr("'task1' may be seen 6ns after its release; its deadline is 6ns"));
  EXPECT_EQ(np_edf(system).verdict, Verdict::unproven);
}

TEST(NpEdf, BlockersKeepTheirWholeDeadlineWhenReleasesAreLate) {
  // The second task may be seen so late that its deadline is 8 away, yet it blocks intervals of up to 10.
  System system = one_stream(Order::edf, {{4, 9, 20}, {4, 10, 20}});
  EXPECT_EQ(np_edf(system).verdict, Verdict::schedulable);
  system.tasks[1].jitter = nanoseconds(2);
  const Result result = np_edf(system);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_EQ(to_json(result.detail)["interval_ns"], 9);
  EXPECT_EQ(to_json(result.detail)["blocking_ns"], 4);
}

TEST(NpEdf, BestEffortTasksBlockWithOneSlice) {
  System system = one_stream(Order::edf, {{2, 5, 10}});
  add_best_effort(system, 100, 3);
  EXPECT_EQ(np_edf(system).verdict, Verdict::schedulable);
  EXPECT_TRUE(np_edf(system).tasks[1].ok);
  EXPECT_EQ(np_edf(system).tasks[1].bound, std::nullopt);
  add_best_effort(system, 4);
  const Result result = np_edf(system);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_EQ(to_json(result.detail)["blocker"], system.tasks[2].name);
  system.tasks[2].longest_block = nanoseconds(0);  // stopped at once
  EXPECT_EQ(np_edf(system).verdict, Verdict::schedulable);
}

TEST(NpEdf, OverheadsOfEverySegmentCount) {
  System system = one_stream(Order::edf, {{10, 20, 20}});
  Task& task = system.tasks[0];
  task.work.form = WorkForm::chain;
  task.work.nodes.insert(task.work.nodes.begin(),
                         {"", CopySegment{Interval::exactly(nanoseconds(2)), {}, {}}});
  system.platform.overheads.launch = nanoseconds(3);
  system.platform.overheads.completion = nanoseconds(1);
  system.platform.overheads.copy = nanoseconds(4);
  EXPECT_EQ(np_edf(system).verdict, Verdict::schedulable);  // 2 + 4 + 10 + 3 + 1 = 20
  system.platform.overheads.copy = nanoseconds(5);
  // Parts of it may overlap, so it is not refuted.
  EXPECT_EQ(np_edf(system).verdict, Verdict::unproven);
  system.platform.overheads = {};
  system.platform.overheads.copy = nanoseconds(9);
  EXPECT_EQ(np_edf(system).verdict, Verdict::unschedulable);
}

TEST(NpEdf, KernelsTakeWaves) {
  System system = one_stream(Order::edf, {{1, 6, 6}});
  KernelSegment kernel;
  kernel.grid = {17, 1, 1};
  kernel.block = 1024;  // two blocks an SM, eight at once
  kernel.block_time = {nanoseconds(1), nanoseconds(2)};
  system.tasks[0].work.nodes[0].segment = kernel;
  EXPECT_EQ(np_edf(system).verdict, Verdict::schedulable);  // three waves of 2
  kernel.grid = {5, 5, 1};
  system.tasks[0].work.nodes[0].segment = kernel;
  EXPECT_EQ(np_edf(system).verdict, Verdict::unschedulable);
}

// ------------------------------------------------------------------------------------------------------
// np-fp

TEST(NpFp, SeesThatALaterJobIsTheSlowest) {
  // The first jobs respond in 12; the second job of the last task does not.
  const Result result = np_fp(one_stream(Order::fp, {{4, 10, 10}, {4, 13, 14}, {4, 13, 14}}));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_THAT(bounds_of(result), ElementsAre(8, 12, 14));
  EXPECT_FALSE(result.tasks[2].ok);
  EXPECT_GT(to_json(result.detail)["job"], 0);
  EXPECT_EQ(to_json(result.detail)["task"], "task3");
  EXPECT_THAT(result.reason, HasSubstr("'task3' on the GPU may pass its deadline of 13ns"));
}

TEST(NpFp, ResponseTimesOfATextbookSet) {
  // Blocking 3 by the last task; each more urgent task once before the start.
  const Result result = np_fp(one_stream(Order::fp, {{2, 10, 10}, {3, 20, 20}, {3, 40, 40}}));
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds_of(result), ElementsAre(5, 8, 8));
}

TEST(NpFp, AFailureLeavesNothingProvenForLessUrgentTasks) {
  const Result result = np_fp(one_stream(Order::fp, {{2, 10, 10}, {3, 6, 20}, {3, 40, 40}}));
  EXPECT_THAT(bounds_of(result), ElementsAre(5, 8, -1));
  EXPECT_FALSE(result.tasks[1].ok);
  EXPECT_FALSE(result.tasks[2].ok);
  EXPECT_EQ(to_json(result.detail)["own_ns"], 3);
  EXPECT_EQ(to_json(result.detail)["blocking_ns"], 3);
  EXPECT_EQ(to_json(result.detail)["blocker"], "task3");
  ASSERT_EQ(to_json(result.detail)["interference"].size(), 1U);
  EXPECT_EQ(to_json(result.detail)["interference"][0]["task"], "task1");
  EXPECT_EQ(to_json(result.detail)["interference"][0]["work_ns"], 2);
}

TEST(NpFp, FullUtilisationLooksAtAHyperperiodOfJobs) {
  const Result holds = np_fp(one_stream(Order::fp, {{1, 2, 2}, {1, 4, 4}, {1, 4, 4}}));
  EXPECT_EQ(holds.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds_of(holds), ElementsAre(2, 4, 4));
  EXPECT_EQ(np_fp(one_stream(Order::fp, {{2, 4, 4}, {3, 6, 6}})).verdict, Verdict::unproven);
}

TEST(NpFp, OverloadIsRefutedAndMoreUrgentTasksKeepTheirBounds) {
  const Result result = np_fp(one_stream(Order::fp, {{1, 4, 4}, {9, 10, 10}}));
  EXPECT_EQ(result.verdict, Verdict::unschedulable);
  EXPECT_THAT(bounds_of(result), ElementsAre(-1, -1));
  const Result lower = np_fp(one_stream(Order::fp, {{1, 4, 4}, {2, 10, 10}, {2, 3, 3}}));
  EXPECT_EQ(lower.verdict, Verdict::unschedulable);
  EXPECT_THAT(bounds_of(lower), ElementsAre(3, 5, -1));
}

TEST(NpFp, JitterOfOthersAddsJobsAndOwnJitterAddsToTheResponse) {
  System system = one_stream(Order::fp, {{2, 10, 10}, {3, 20, 20}});
  EXPECT_THAT(bounds_of(np_fp(system)), ElementsAre(5, 5));
  system.tasks[1].jitter = nanoseconds(4);
  EXPECT_THAT(bounds_of(np_fp(system)), ElementsAre(5, 9));
  system.tasks[0].jitter = nanoseconds(8);  // a second job can be seen when the start is due
  system.tasks[0].deadline = nanoseconds(10);
  EXPECT_THAT(bounds_of(np_fp(system)), ElementsAre(13, -1));
  EXPECT_FALSE(np_fp(system).tasks[0].ok);
  system.tasks[0].jitter = nanoseconds(5);
  EXPECT_THAT(bounds_of(np_fp(system)), ElementsAre(10, 9));
}

TEST(NpEdf, BestEffortTasksAreNoneOfTheSporadicOnesThatRefute) {
  // The second never starts: the first always has work. So the blocking that is counted need not occur.
  System system = one_stream(Order::edf, {{7, 10, 10}});
  add_best_effort(system, 1);
  add_best_effort(system, 5);
  EXPECT_EQ(np_edf(system).verdict, Verdict::unproven);
}

TEST(NpFp, BestEffortBlocksEveryTask) {
  System system = one_stream(Order::fp, {{2, 10, 10}, {3, 20, 20}});
  add_best_effort(system, 50, 4);
  EXPECT_THAT(bounds_of(np_fp(system)), ElementsAre(6, 9, -1));
}

TEST(NpFp, SaysWhichLimitItReached) {
  // All of the time is needed, and the periods share no factor: too many jobs for one hyperperiod.
  std::vector<test::Job> jobs{{500'000'000'000, 1'000'000'000'000, 1'000'000'000'000},
                              {499'999'999'999, 999'999'999'998, 999'999'999'998},
                              {1, 1'000'000'007, 1'000'000'007}};
  jobs[2].cost = 0;
  const Result zero = np_fp(one_stream(Order::fp, jobs));
  EXPECT_THAT(zero.why_not, HasSubstr("'task3' takes no time"));
}

// ---------------------------------------------------------------------------------------- what does not
// apply

struct Obstacle {
  const char* name;
  void (*change)(System&);
  const char* says;
};

class OneStreamObstacle : public testing::TestWithParam<Obstacle> {};

TEST_P(OneStreamObstacle, IsNamed) {
  for (const Order order : {Order::edf, Order::fp}) {
    const Analysis analysis = order == Order::edf ? *find("np-edf") : *find("np-fp");
    System system = one_stream(order, {{1, 10, 10}, {1, 10, 10}});
    ASSERT_TRUE(run(analysis, system).applies());
    GetParam().change(system);
    const Result result = run(analysis, system);
    EXPECT_FALSE(result.verdict.has_value());
    EXPECT_THAT(result.why_not, HasSubstr(GetParam().says));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, OneStreamObstacle,
    testing::Values(
        Obstacle{"strategy", [](System& s) { s.policy.strategy = strategy_named("multi-stream"); },
                 "needs the strategy single-stream"},
        Obstacle{"order",
                 [](System& s) { s.policy.order = s.policy.order == Order::edf ? Order::fp : Order::edf; },
                 "needs the order"},
        Obstacle{"once",
                 [](System& s) {
                   s.tasks[1].arrival = Arrival::once;
                   s.tasks[1].period.reset();
                 },
                 "needs periodic or sporadic tasks: task 'task2' arrives once"},
        Obstacle{"deadline", [](System& s) { s.tasks[1].deadline = nanoseconds(11); },
                 "needs deadlines no longer than periods: task 'task2'"},
        Obstacle{"cpu",
                 [](System& s) {
                   s.tasks[1].work.form = WorkForm::chain;
                   s.tasks[1].work.nodes.push_back({"", CpuSegment{}});
                 },
                 "task 'task2' has a `cpu` segment"},
        Obstacle{
            "branch",
            [](System& s) {
              Work& work = s.tasks[1].work;
              work.form = WorkForm::graph;
              work.nodes = {{"a", ExclusiveSegment{}}, {"b", ExclusiveSegment{}}, {"c", ExclusiveSegment{}}};
              work.edges = {{0, 1}, {0, 2}};
            },
            "the graph of task 'task2' branches"}),
    [](const testing::TestParamInfo<Obstacle>& obstacle) { return obstacle.param.name; });

TEST(NpEdf, AGraphThatIsAChainWillDo) {
  System system = one_stream(Order::edf, {{1, 10, 10}});
  Work& work = system.tasks[0].work;
  work.form = WorkForm::graph;
  const Segment segment = work.nodes[0].segment;
  work.nodes = {{"a", segment}, {"b", segment}, {"c", segment}};
  work.edges = {{2, 0}, {0, 1}, {2, 1}};
  EXPECT_EQ(np_edf(system).verdict, Verdict::schedulable);
}

}  // namespace
}  // namespace tactus::analysis
