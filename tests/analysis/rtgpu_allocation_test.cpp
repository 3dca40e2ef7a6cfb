// The search for SMs against all divisions, one after the other.
#include "tactus/analysis/rtgpu_allocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/chains.hpp"
#include "support/dice.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/json.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::analysis {
namespace {

using test::bounds;
using test::Chain;
using test::copy;
using test::cpu;
using test::federated;
using test::gpu;
using test::shared_gpu;
using test::without_sms;
using testing::ElementsAre;
using testing::HasSubstr;

/// Every division in lexicographic order; the first that holds.
class BruteForce {
 public:
  BruteForce(const FederatedTasks& tasks, FederatedTest test) : tasks_{tasks}, test_{test} {
    try_from(0, tasks.sms);
  }

  std::vector<std::int64_t> first;  // empty if none holds
  int tried = 0;

 private:
  bool try_from(std::size_t k, std::int64_t left) {
    if (k == tasks_.tasks.size()) {
      ++tried;
      if (!bound_responses(tasks_, test_, chosen_).holds()) return false;
      first = chosen_;
      return true;
    }
    const FederatedTask& task = tasks_.tasks[k];
    const std::int64_t least = task.sms.value_or(1);
    for (std::int64_t sms = least; sms <= std::min(left, task.sms.value_or(left)); ++sms) {
      chosen_.push_back(sms);
      if (try_from(k + 1, left - sms)) return true;
      chosen_.pop_back();
    }
    return false;
  }

  const FederatedTasks& tasks_;
  FederatedTest test_;
  std::vector<std::int64_t> chosen_;
};

/// 3 to 5 tasks on 4 to 10 SMs. Chains of 1 to 3 subtasks CPU, copy, GPU, copy, each part left out one time
/// in six; CPU 1 to 12, copies 0 to 6, GPU work 1 to 60 that the SMs share, with interleaving 1 to 1.8; best
/// cases are 0, half or all of the worst ones. Periods are 1 to 3 times the length of the longest job on two
/// SMs, deadlines the upper half of that. One task in ten has its SMs already; jitter in one system of five;
/// one or two cores; order of priorities by deadline.
System random_system(test::Dice& dice) {
  std::vector<Chain> chains;
  const std::int64_t count = dice.between(3, 5);
  const bool jitter = dice.between(0, 4) == 0;
  const std::int32_t cores = dice.small(1, 2);
  const auto best = [&](std::int64_t worst) { return worst * dice.between(0, 2) / 2; };
  for (std::int64_t i = 0; i < count; ++i) {
    Chain chain;
    std::int64_t length = 1;
    const std::int64_t subtasks = dice.between(1, 3);
    for (std::int64_t j = 0; j < 4 * subtasks; ++j) {
      if (dice.between(0, 5) == 0) continue;
      if (j % 4 == 2) {
        const std::int64_t work = dice.between(1, 60);
        chain.segments.push_back(
            GpuSegment{test::times(best(work), work), {}, Rational{dice.between(10, 18), 10}});
        length += work;
      } else if (j % 4 == 0) {
        const std::int64_t time = dice.between(1, 12);
        chain.segments.push_back(cpu(best(time), time));
        length += time;
      } else {
        const std::int64_t time = dice.between(0, 6);
        chain.segments.push_back(copy(best(time), time));
        length += time;
      }
    }
    if (chain.segments.empty()) chain.segments.push_back(cpu(1));
    chain.period = length * dice.between(100, 300) / 100;
    chain.deadline = chain.period - dice.between(0, chain.period / 2);
    chain.core = dice.small(0, cores - 1);
    if (jitter) chain.jitter = dice.between(0, length / 4);
    if (dice.between(0, 9) == 0) chain.virtual_sms = dice.between(1, 2);
    chains.push_back(chain);
  }
  std::sort(chains.begin(), chains.end(),
            [](const Chain& a, const Chain& b) { return a.deadline < b.deadline; });
  System system = federated(chains);
  system.platform.gpu.sms = dice.small(4, 10);
  for (std::size_t i = 0; i < chains.size(); ++i) system.virtual_sms[i] = chains[i].virtual_sms;
  return system;
}

struct Tally {
  int found = 0;
  int none = 0;
  int went_back = 0;  // the first division is not the least of each task in turn
};

/// The least SMs of each task in turn, never going back.
bool greedy_finds(const FederatedTasks& tasks, FederatedTest test) {
  std::vector<std::int64_t> sms(tasks.tasks.size(), 0);
  std::int64_t left = tasks.sms;
  for (const FederatedTask& task : tasks.tasks) left -= task.sms.value_or(1);
  for (std::size_t k = 0; k < sms.size(); ++k) {
    sms[k] = tasks.tasks[k].sms.value_or(1);
    const std::int64_t most = tasks.tasks[k].sms ? sms[k] : sms[k] + left;
    const auto fails = [&] {
      const FederatedAnswer answer = bound_responses(tasks, test, sms);
      return !answer.holds() && *answer.fails <= k;
    };
    for (std::size_t later = k + 1; later < sms.size(); ++later)
      sms[later] = tasks.tasks[later].sms.value_or(1);
    while (fails()) {
      if (sms[k] == most) return false;
      ++sms[k];
      --left;
    }
  }
  return true;
}

/// Jobs get more time, too.
System with_engine_time(System system, test::Dice& dice) {
  system.platform.overheads.engine = {.event = nanoseconds(dice.between(0, 1)),
                                      .submit = nanoseconds(dice.between(0, 2))};
  for (Task& task : system.tasks) {
    if (dice.between(0, 3) == 0) task.enqueue = nanoseconds(dice.between(1, 6));
    const std::int64_t longer = dice.between(1, 3);
    *task.period *= longer;
    *task.deadline *= longer;
  }
  return system;
}

Tally compare_with_brute_force(FederatedTest test, std::uint64_t seed, int systems, bool engine = false) {
  test::Dice dice{seed};
  Tally tally;
  for (int i = 0; i < systems; ++i) {
    const System bare = random_system(dice);
    const System system = engine ? with_engine_time(bare, dice) : bare;
    const FederatedTasks tasks = federated_tasks(system, StageTable::every_number);
    const BruteForce all{tasks, test};
    const AllocationResult search = search_allocation(tasks, test, tasks.sms);
    EXPECT_FALSE(search.gave_up);
    const AllocationResult sharp = search_allocation(tasks, test, tasks.sms, max_effort, -1);
    EXPECT_EQ(sharp.allocation.has_value(), search.allocation.has_value()) << "system " << i;
    if (sharp.allocation && search.allocation) {
      EXPECT_EQ(sharp.allocation->sms, search.allocation->sms) << "system " << i;
    }
    EXPECT_EQ(search.allocation.has_value(), !all.first.empty()) << "system " << i;
    if (!search.allocation || all.first.empty()) {
      ++tally.none;
      continue;
    }
    ++tally.found;
    EXPECT_EQ(search.allocation->sms, all.first) << "system " << i;
    const FederatedAnswer answer = bound_responses(tasks, test, all.first);
    for (std::size_t k = 0; k < tasks.tasks.size(); ++k) {
      EXPECT_EQ(search.allocation->bounds[k], answer.bounds[k]) << "system " << i;
    }
    if (!greedy_finds(tasks, test)) ++tally.went_back;
  }
  return tally;
}

TEST(SmAllocation, EqualsAllDivisionsForRtgpu) {
  const Tally tally = compare_with_brute_force(FederatedTest::rtgpu, 1, 4000);
  EXPECT_GT(tally.found, 500);
  EXPECT_GT(tally.none, 200);
  EXPECT_GT(tally.went_back, 2);
}

TEST(SmAllocation, EqualsAllDivisionsForThePapersTest) {
  const Tally tally = compare_with_brute_force(FederatedTest::rtgpu_paper, 2, 3000);
  EXPECT_GT(tally.found, 150);
  EXPECT_GT(tally.none, 200);
  EXPECT_EQ(tally.went_back, 0);
}

TEST(SmAllocation, EqualsAllDivisionsWithEngineTime) {
  for (const FederatedTest test : {FederatedTest::rtgpu, FederatedTest::rtgpu_paper}) {
    const Tally tally = compare_with_brute_force(test, 3, 1000, true);
    EXPECT_GT(tally.found, 50);
    EXPECT_GT(tally.none, 50);
  }
}

TEST(SmAllocation, TellsTheDivisionWhereTheSystemGivesNone) {
  System system = without_sms(federated({{20, 20, {cpu(1), shared_gpu(40, 40)}, {}},
                                         {30, 30, {cpu(2)}, {}},
                                         {40, 40, {shared_gpu(60, 60), cpu(1)}, {}}}));
  const Result result = rtgpu(system);
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_EQ(to_json(result.detail)["virtual_sms"], (nlohmann::ordered_json{{"task1", 3}, {"task3", 2}}));
  EXPECT_THAT(bounds(result), ElementsAre(15, 3, 34));
  // Twice as many virtual SMs: the same SMs do half the time.
  system.platform.gpu.virtual_sms_per_sm = 2;
  EXPECT_EQ(to_json(rtgpu(system).detail)["virtual_sms"],
            (nlohmann::ordered_json{{"task1", 4}, {"task3", 2}}));
  system.platform.gpu.sms = 2;
  EXPECT_EQ(rtgpu(system).verdict, Verdict::unproven);
  EXPECT_EQ(to_json(rtgpu_paper(system).detail)["task"], "task1");
}

TEST(SmAllocation, KeepsWhatIsGiven) {
  System system = federated({{20, 20, {shared_gpu(40, 40)}, {}}, {40, 40, {shared_gpu(60, 60)}, {}}});
  system.virtual_sms = {5, std::nullopt};
  EXPECT_EQ(to_json(rtgpu(system).detail)["virtual_sms"],
            (nlohmann::ordered_json{{"task1", 5}, {"task2", 2}}));
  system.virtual_sms = {std::nullopt, 7};
  EXPECT_EQ(rtgpu(system).verdict, Verdict::unproven);
}

TEST(SmAllocation, TooFewSmsAreNoSurprise) {
  System system = without_sms(federated({{20, 20, {gpu(4)}, {}}, {40, 40, {gpu(6)}, {}}}));
  system.platform.gpu.sms = 1;
  EXPECT_EQ(rtgpu(system).verdict, Verdict::unproven);
  EXPECT_THAT(rtgpu(system).reason, HasSubstr("no division of the 1 SMs"));
  for (int i = 0; i < 3; ++i) {
    Task filler = test::chain_task("filler" + std::to_string(i), {gpu(7)});
    filler.arrival = Arrival::best_effort;
    system.tasks.push_back(filler);
  }
  EXPECT_EQ(rtgpu(system).verdict, Verdict::unproven);
  EXPECT_EQ(rtgpu_paper(system).verdict, Verdict::unproven);
}

TEST(SmAllocation, TheSearchGivesUpAfterItsEffort) {
  const System system = without_sms(
      federated({{20, 20, {cpu(1), shared_gpu(40, 40)}, {}}, {40, 40, {shared_gpu(60, 60), cpu(1)}, {}}}));
  const FederatedTasks tasks = federated_tasks(system, StageTable::every_number);
  const AllocationResult search = search_allocation(tasks, FederatedTest::rtgpu, tasks.sms, 3);
  EXPECT_TRUE(search.gave_up);
  EXPECT_FALSE(search.allocation);
}

TEST(SmAllocation, AsPublishedEverySmCountsTwice) {
  const std::vector<Chain> chains{{8, 8, {cpu(1), copy(1), shared_gpu(4, 4), copy(1), cpu(1)}, 1}};
  EXPECT_THAT(bounds(rtgpu_as_published(federated(chains))), ElementsAre(6));
  EXPECT_THAT(bounds(rtgpu_paper(federated(chains))), ElementsAre(8));
  System system = without_sms(federated(chains));
  system.tasks[0].deadline = nanoseconds(6);
  EXPECT_EQ(to_json(rtgpu_as_published(system).detail)["virtual_sms"],
            (nlohmann::ordered_json{{"task1", 1}}));
  EXPECT_EQ(to_json(rtgpu_paper(system).detail)["virtual_sms"], (nlohmann::ordered_json{{"task1", 2}}));
  system.tasks[0].jitter = nanoseconds(1);
  EXPECT_THAT(rtgpu_as_published(system).why_not, HasSubstr("jitter"));
  EXPECT_FALSE(find("rtgpu-as-published")->sound);
}

}  // namespace
}  // namespace tactus::analysis
