// stgm, mpcp and self-suspension: examples by hand, what they have a say in, and the search for a split.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/small_chains.hpp"
#include "tactus/analysis/allocation_search.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/json.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::analysis {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using Bounds = std::vector<std::optional<Duration>>;

Segment cpu(std::int64_t time) { return CpuSegment{{nanoseconds(time), nanoseconds(time)}}; }
Segment copy(std::int64_t time) {
  return CopySegment{.time = {nanoseconds(time), nanoseconds(time)}, .bytes = {}};
}
Segment gpu(std::int64_t work) {
  return GpuSegment{.work = {nanoseconds(work), nanoseconds(work)}, .overhead = {}};
}
Segment exclusive(std::int64_t time) { return ExclusiveSegment{{nanoseconds(time), nanoseconds(time)}}; }

struct Chain {
  std::vector<Segment> segments;
  std::int64_t deadline = 1;
  std::int64_t period = 1;
  Arrival arrival = Arrival::sporadic;
};

/// Most urgent first, on one core, one virtual SM an SM. No SMs given.
System chains(const std::vector<Chain>& tasks, std::int32_t sms) {
  System system;
  system.name = "chains";
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  system.platform.clusters = {2};
  system.platform.gpu.sms = sms;
  system.platform.gpu.threads_per_sm = 1024;
  system.platform.gpu.blocks_per_sm = 16;
  system.platform.gpu.virtual_sms_per_sm = 1;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Task task;
    task.name = "task" + std::to_string(i);
    task.arrival = tasks[i].arrival;
    if (task.arrival != Arrival::best_effort) {
      task.period = nanoseconds(tasks[i].period);
      task.deadline = nanoseconds(tasks[i].deadline);
      task.priority = static_cast<std::int64_t>(tasks.size() - i);
    }
    task.work.form = WorkForm::chain;
    for (const Segment& segment : tasks[i].segments) task.work.nodes.push_back({"", segment});
    system.tasks.push_back(std::move(task));
  }
  return system;
}

Bounds bounds(const Result& result) {
  Bounds found;
  for (const TaskResult& task : result.tasks) found.push_back(task.bound);
  return found;
}

std::optional<Duration> ns(std::int64_t count) { return nanoseconds(count); }

/// An urgent short chain and a long one.
System two_chains() {
  return chains({{{cpu(1), copy(1), gpu(2), copy(1), cpu(1)}, 20, 20},
                 {{cpu(2), copy(3), gpu(4), copy(2), cpu(1)}, 40, 40}},
                2);
}

TEST(Stgm, TwoChainsByHand) {
  // C' = 6 and 12; the second can have 5 of copies in flight. 6 + 5; 12 + 6.
  const Result result = stgm(test::with_sms(two_chains(), {1, 1}));
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds(result), ElementsAre(ns(11), ns(18)));
}

TEST(Mpcp, TwoChainsByHand) {
  // On both SMs the requests take 3 and 7. First: 2 + 3 + 7. Second: it waits once for 3, and two jobs of the
  // first can take 2 each of its CPU: 3 + 7 + 3 + 4. Over the whole job it would be 20.
  const Result result = mpcp(two_chains());
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds(result), ElementsAre(ns(12), ns(17)));
}

TEST(SelfSuspension, TwoChainsByHand) {
  // Requests of 4 and 9. First: 4 + 9 + 2. Second: its request takes 9 + 4 + 4, its CPU stages 4 and 3.
  const Result result = self_suspension(test::with_sms(two_chains(), {1, 1}));
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds(result), ElementsAre(ns(15), ns(24)));
}

TEST(Baselines, OneTaskIsTheSumOfItsSegments) {
  const System system = chains({{{cpu(3), copy(2), gpu(8), copy(1), cpu(4)}, 40, 50}}, 2);
  EXPECT_THAT(bounds(stgm(test::with_sms(system, {2}))), ElementsAre(ns(14)));
  EXPECT_THAT(bounds(self_suspension(test::with_sms(system, {2}))), ElementsAre(ns(14)));
  EXPECT_THAT(bounds(mpcp(test::with_sms(system, {1}))), ElementsAre(ns(14))) << "it has all SMs";
}

TEST(Stgm, TasksOfTheCpuAloneGiveTheTextbookResponses) {
  const System system = chains({{{cpu(1)}, 4, 4}, {{cpu(2)}, 6, 6}, {{cpu(3)}, 12, 12}}, 1);
  EXPECT_THAT(bounds(stgm(system)), ElementsAre(ns(1), ns(3), ns(10)));
}

TEST(Stgm, OnlyWhoCopiesOrWaitsForOneWhoDoesIsBlocked) {
  const System system = test::with_sms(
      chains(
          {{{cpu(1)}, 20, 20}, {{copy(2)}, 20, 20}, {{cpu(1)}, 20, 20}, {{copy(3), gpu(1), copy(4)}, 40, 40}},
          1),
      {0, 0, 0, 1});
  EXPECT_THAT(bounds(stgm(system)), ElementsAre(ns(1), ns(1 + 2 + 7), ns(1 + 2 + 1 + 7), ns(4 + 8)));
}

TEST(Stgm, ARunEndsAtTheNextCpuSegment) {
  // 1 + 2 of copies in the first run, 4 in the second: the second is the longer.
  const System system = test::with_sms(
      chains({{{copy(2)}, 20, 20}, {{copy(1), gpu(1), copy(2), cpu(0), copy(4)}, 40, 40}}, 1), {0, 1});
  EXPECT_THAT(bounds(stgm(system)), ElementsAre(ns(2 + 4), ns(8 + 2)));
}

TEST(Baselines, BestEffortTasksBlock) {
  const System system = test::with_sms(
      chains({{{cpu(1), copy(2)}, 40, 40}, {{copy(3), exclusive(4)}, 1, 1, Arrival::best_effort}}, 1),
      {0, 1});
  EXPECT_THAT(bounds(stgm(system)), ElementsAre(ns(3 + 3), Eq(std::nullopt)));
  EXPECT_THAT(bounds(self_suspension(system)), ElementsAre(ns(3 + 7), Eq(std::nullopt)));
  EXPECT_THAT(bounds(mpcp(system)), ElementsAre(ns(3 + 7), Eq(std::nullopt)));
  EXPECT_TRUE(mpcp(system).tasks[1].ok);
}

TEST(Baselines, JitterAndOverheadsCount) {
  System system = test::with_sms(two_chains(), {1, 1});
  system.platform.overheads = {nanoseconds(1), nanoseconds(1), nanoseconds(1), nanoseconds(1)};
  system.tasks[0].jitter = nanoseconds(2);
  // C' = 6 + 2 + 2 and 12 + 2 + 2, 7 of copies: 10 + 7 + 3. The second: 16 + ceil((R + 3)/20) 10 + 1.
  EXPECT_THAT(bounds(stgm(system)), ElementsAre(ns(20), ns(37)));
  // Requests of 8 and 13, B = 13: 8 + 13 + 2 + 3 passes 20.
  const Result waiting = self_suspension(system);
  EXPECT_THAT(waiting.verdict, Verdict::unproven);
  EXPECT_EQ(waiting.tasks[0].bound, std::nullopt);
  EXPECT_THAT(waiting.reason, AllOf(HasSubstr("'task0'"), HasSubstr("3ns until it is seen")));
}

TEST(Baselines, OverloadIsUnschedulableAndWaitingAloneIsNot) {
  const System busy = chains({{{cpu(6)}, 10, 10}, {{cpu(5)}, 10, 10}}, 1);
  const System device = chains({{{exclusive(6)}, 10, 10}, {{exclusive(5)}, 10, 10}}, 2);
  for (const auto test : {stgm, mpcp, self_suspension}) {
    EXPECT_EQ(test(busy).verdict, Verdict::unschedulable);
    EXPECT_EQ(to_json(test(busy).detail)["server"], "core 0");
    EXPECT_EQ(test(busy).tasks[0].ok, true) << "the first is proven";
  }
  EXPECT_EQ(self_suspension(device).verdict, Verdict::unschedulable);
  EXPECT_EQ(mpcp(device).verdict, Verdict::unschedulable);
  // The GPU works on while a job that waits is preempted.
  EXPECT_EQ(stgm(device).verdict, Verdict::unproven);
}

TEST(Baselines, SayWhatTheyAreNotFor) {
  System system = test::with_sms(two_chains(), {1, 1});
  system.tasks[1].core = 1;
  EXPECT_THAT(stgm(system).why_not, HasSubstr("'task0' and 'task1' have different CPU cores"));
  EXPECT_THAT(mpcp(system).why_not, HasSubstr("needs one core"));
  EXPECT_TRUE(self_suspension(system).applies());
  system.policy.strategy = strategy_named("single-stream");
  for (const char* id : {"stgm", "mpcp", "self-suspension"}) {
    EXPECT_EQ(run(*find(id), system).why_not, "needs the strategy federated");
  }
}

TEST(Baselines, HaveNoSayInAVerdict) {
  const System system = test::with_sms(two_chains(), {1, 1});
  for (const char* id : {"stgm", "mpcp", "self-suspension"}) {
    const Analysis* entry = find(id);
    ASSERT_NE(entry, nullptr);
    EXPECT_TRUE(entry->sound && entry->searches_sms);
    EXPECT_FALSE(counts_for_verdict(*entry));
    const CheckResult result = check(system, std::vector{*entry});
    EXPECT_EQ(result.analyses[0].result.verdict, Verdict::schedulable);
    EXPECT_EQ(result.verdict, Verdict::unproven);
    EXPECT_THAT(smallest_bounds(system, result), ElementsAre(std::nullopt, std::nullopt));
    const nlohmann::ordered_json json = to_json(result);
    EXPECT_EQ(json["analyses"][0]["run_time_model"], entry->run_time_model);
    EXPECT_FALSE(to_json(*find("np-edf")).contains("run_time_model"));
  }
  const CheckResult usual = check(system);
  EXPECT_TRUE(std::all_of(usual.analyses.begin(), usual.analyses.end(), [](const CheckedAnalysis& checked) {
    return counts_for_verdict(checked.analysis);
  }));
}

// --- The search
// ----------------------------------------------------------------------------------------------

/// All ways to give `left` SMs to the tasks that need some, in lexicographic order, most urgent first.
void for_each_split(const System& system, const std::vector<TaskIndex>& order, std::size_t at,
                    std::int64_t left, std::vector<std::int64_t>& sms,
                    const std::function<bool(const std::vector<std::int64_t>&)>& use, bool& stopped) {
  if (stopped) return;
  if (at == order.size()) {
    stopped = use(sms);
    return;
  }
  const TaskIndex task = order[at];
  if (!uses_gpu(system.tasks[task].work)) {
    for_each_split(system, order, at + 1, left, sms, use, stopped);
    return;
  }
  const bool background = system.tasks[task].arrival == Arrival::best_effort;
  for (std::int64_t n = 1; n <= (background ? std::min<std::int64_t>(left, 1) : left); ++n) {
    sms[task] = n;
    for_each_split(system, order, at + 1, left - n, sms, use, stopped);
  }
  if (!stopped) sms[task] = 0;
}

struct Searching {
  const char* name;
  Result (*test)(const System&);
};

class SplitSearch : public testing::TestWithParam<Searching> {};

TEST_P(SplitSearch, FindsWhatTryingAllFinds) {
  int found = 0;
  int refused = 0;
  int not_the_least = 0;
  constexpr std::uint64_t systems = test::tries(3000);
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + systems; ++seed) {
    System system = test::small_chain_system(seed, false);
    system.platform.gpu.sms += 3;
    std::vector<std::int64_t> sms(system.tasks.size());
    std::optional<Result> expected;
    System accepted;
    bool stopped = false;
    for_each_split(
        system, urgency_order(system), 0, system.platform.gpu.sms, sms,
        [&](const std::vector<std::int64_t>& split) {
          const System given = test::with_sms(system, split);
          const Result result = GetParam().test(given);
          if (result.verdict != Verdict::schedulable) return false;
          expected = result;
          accepted = given;
          return true;
        },
        stopped);
    const Result result = GetParam().test(system);
    ASSERT_TRUE(result.applies()) << result.why_not;
    ASSERT_EQ(result.verdict == Verdict::schedulable, expected.has_value()) << seed << "\n" << result.reason;
    if (!expected) {
      ++refused;
      continue;
    }
    ++found;
    ASSERT_EQ(bounds(result), bounds(*expected)) << seed;
    ASSERT_EQ(result.detail, expected->detail) << seed;
    // Given the SMs of the first task only, it finds the others.
    System partly = system;
    partly.virtual_sms.assign(system.tasks.size(), std::nullopt);
    partly.virtual_sms[urgency_order(system)[0]] = accepted.virtual_sms[urgency_order(system)[0]];
    ASSERT_EQ(bounds(GetParam().test(partly)), bounds(*expected)) << seed;
    const bool least = std::all_of(
        accepted.virtual_sms.begin(), accepted.virtual_sms.end(),
        [&](const auto& sms_of) { return !sms_of || *sms_of == system.platform.gpu.virtual_sms_per_sm; });
    if (!least) ++not_the_least;
  }
  // Both answers occur, and the search has something to find.
  EXPECT_GT(found, test::tries(300));
  EXPECT_GT(refused, test::tries(300));
  EXPECT_GT(not_the_least, test::tries(50));
}

INSTANTIATE_TEST_SUITE_P(Baselines, SplitSearch,
                         testing::Values(Searching{"self_suspension", self_suspension},
                                         Searching{"stgm", stgm}),
                         [](const testing::TestParamInfo<Searching>& param) {
                           return std::string{param.param.name};
                         });

TEST(SplitSearch, FewerSmsThanTasks) {
  const System system = chains({{{gpu(1)}, 50, 50}, {{gpu(1)}, 50, 50}}, 1);
  for (const auto test : {stgm, self_suspension}) {
    EXPECT_EQ(test(system).verdict, Verdict::unproven);
    EXPECT_THAT(test(system).reason, HasSubstr("no split of 1 SMs"));
  }
  EXPECT_EQ(mpcp(system).verdict, Verdict::schedulable) << "it does not split them";
}

TEST(SplitSearch, GivesUpAfterTooManyQuestions) {
  const FederatedTasks tasks =
      federated_tasks(chains({{{gpu(1)}, 50, 50}, {{gpu(1)}, 50, 50}}, 9), StageTable::every_number);
  const MayHold only_whole = [](const SmCounts& split, std::size_t chosen) {
    return chosen < split.size() || split[0] == 8;
  };
  EXPECT_EQ(find_first_allocation(tasks, only_whole, 10).outcome, AllocationFound::Outcome::gave_up);
  const AllocationFound found = find_first_allocation(tasks, only_whole);
  EXPECT_EQ(found.outcome, AllocationFound::Outcome::found);
  EXPECT_THAT(found.split, ElementsAre(8, 1));
  EXPECT_EQ(find_first_allocation(tasks, [](const SmCounts&, std::size_t) { return false; }).outcome,
            AllocationFound::Outcome::none);
}

}  // namespace
}  // namespace tactus::analysis
