// Reaction times and ages of effect chains: worked examples, published values, and slow twins.
#include "tactus/analysis/effect_chains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/plain_data_flow.hpp"
#include "support/source_folder.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/effect_chain_bounds.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::analysis {
namespace {

using test::Dice;
using testing::HasSubstr;

EffectStage stage(std::int64_t period, std::int64_t offset, std::int64_t publication, bool sporadic = false) {
  return {.name = "t",
          .period = nanoseconds(period),
          .offset = nanoseconds(offset),
          .publication = nanoseconds(publication),
          .sporadic = sporadic};
}

std::int64_t reaction(const std::vector<EffectStage>& stages, Communication communication) {
  return effect_bounds(stages, communication).reaction.bound->count();
}
std::int64_t age(const std::vector<EffectStage>& stages, Communication communication) {
  return effect_bounds(stages, communication).age.bound->count();
}

constexpr Communication by_register = Communication::latest_value;

TEST(EffectChainBounds, OfOneTask) {
  EXPECT_EQ(reaction({stage(10, 3, 4)}, by_register), 14);
  EXPECT_EQ(age({stage(10, 3, 4)}, by_register), 4);
  EXPECT_EQ(reaction({stage(10, 3, 4, true)}, by_register), 4) << "a sporadic task is released by the input";
  EXPECT_EQ(age({stage(10, 3, 4, true)}, by_register), 4);
}

// a: every 10, done by 4; b: every 15 from 1, done by 3. b starts at 1, 16, 31: what a publishes at 4 waits
// until 16, at 14 until 16, at 24 until 31.
TEST(EffectChainBounds, OfTwoTasks) {
  const std::vector<EffectStage> stages{stage(10, 0, 4), stage(15, 1, 3)};
  EXPECT_EQ(reaction(stages, by_register), 10 + 4 + 12 + 3);
  // At 1 the latest value that is surely there is of the job released at -10, at 16 of 10.
  EXPECT_EQ(age(stages, by_register), 1 + 10 + 3);
}

TEST(EffectChainBounds, TheOffsetSavesAPeriod) {
  EXPECT_EQ(reaction({stage(10, 0, 4), stage(10, 4, 3)}, by_register), 10 + 4 + 3);
  EXPECT_EQ(reaction({stage(10, 0, 4), stage(10, 3, 3)}, by_register), 10 + 4 + 9 + 3);
}

TEST(EffectChainBounds, SporadicAtTheEnds) {
  EXPECT_EQ(reaction({stage(50, 0, 4, true), stage(10, 0, 3)}, by_register), 4 + 9 + 3);
  EXPECT_EQ(age({stage(10, 0, 4), stage(50, 0, 3, true)}, by_register), 4 + 9 + 3);
  const EffectBounds last = effect_bounds(std::vector{stage(10, 0, 4), stage(50, 0, 3, true)}, by_register);
  EXPECT_FALSE(last.reaction.bound);
  EXPECT_TRUE(last.reaction.unbounded);
  EXPECT_THAT(last.reaction.why_none, HasSubstr("sporadic"));
  const EffectBounds first = effect_bounds(std::vector{stage(50, 0, 4, true), stage(10, 0, 3)}, by_register);
  EXPECT_FALSE(first.age.bound);
}

TEST(EffectChainBounds, OfQueues) {
  const std::vector<EffectStage> stages{stage(10, 0, 4), stage(10, 1, 3)};
  EXPECT_EQ(age(stages, Communication::queue), 11 + 3);
  EXPECT_EQ(reaction(stages, Communication::queue), 10 + 11 + 3);
  // Values gather until the second task begins, and as many stay in the queue for ever.
  EXPECT_EQ(age({stage(10, 0, 4), stage(10, 101, 3)}, Communication::queue), 101 + 3);
  // Here they are worked off.
  EXPECT_EQ(age({stage(10, 0, 4), stage(5, 101, 3)}, Communication::queue), 101 + 3);
  EXPECT_EQ(age({stage(10, 0, 4, true), stage(10, 0, 3)}, Communication::queue), 4 + 9 + 3);
}

TEST(EffectChainBounds, OfQueuesThatOverflow) {
  const EffectBounds slow =
      effect_bounds(std::vector{stage(10, 0, 4), stage(11, 0, 3)}, Communication::queue);
  EXPECT_FALSE(slow.age.bound);
  EXPECT_TRUE(slow.age.unbounded);
  EXPECT_THAT(slow.age.why_none, HasSubstr("rates"));
  const EffectBounds sporadic =
      effect_bounds(std::vector{stage(10, 0, 4, true), stage(11, 0, 3)}, Communication::queue);
  EXPECT_FALSE(sporadic.age.unbounded) << "jobs may always come slowly enough";
  const EffectBounds overlap =
      effect_bounds(std::vector{stage(10, 0, 14), stage(5, 0, 3)}, Communication::queue);
  EXPECT_FALSE(overlap.age.bound);
  EXPECT_FALSE(overlap.age.unbounded);
}

// Ten values gather before the second task begins and leave it 4 apart: more often than the third takes one.
TEST(EffectChainBounds, GatheredValuesComeInBursts) {
  const std::vector<EffectStage> stages{stage(10, 0, 1), stage(4, 100, 1), stage(8, 0, 1)};
  EXPECT_FALSE(effect_bounds(stages, Communication::queue, 0).age.bound);
  EXPECT_EQ(age(stages, Communication::queue), 104 + 1) << "followed one by one";
}

TEST(EffectChainBounds, TooManyJobsAreNotFollowed) {
  std::vector<EffectStage> stages;
  for (const std::int64_t prime : {1'000'003, 1'000'033, 1'000'037, 1'000'039})
    stages.push_back(stage(prime, 0, 7));
  const EffectBounds bounds = effect_bounds(stages, by_register);
  EXPECT_EQ(bounds.reaction.bound->count(), 1'000'003 + 1'000'033 + 1'000'037 + 1'000'039 - 3 + 4 * 7);
  EXPECT_FALSE(bounds.reaction.tight);
  EXPECT_THROW(effect_bounds(std::vector{stage(INT64_MAX, 0, INT64_MAX)}, by_register), OverflowError);
}

/// Jobs that start at their releases and publish as late as they may.
std::vector<trace::JobEnded> latest_jobs(const System& system, const std::vector<EffectStage>& stages,
                                         Time until) {
  std::vector<trace::JobEnded> jobs;
  for (TaskIndex i = 0; i < stages.size(); ++i) {
    std::uint64_t number = 0;
    for (Time release = time_at(stages[i].offset); release < until; release += stages[i].period) {
      jobs.push_back({.job = {i, number++},
                      .release = release,
                      .start = release,
                      .completion = release + stages[i].publication,
                      .deadline = release + *system.tasks[i].deadline});
    }
  }
  return jobs;
}

/// The bounds are what the definitions give for the schedule in which all is as late as it may be.
TEST(EffectChainBounds, AreThoseOfTheLatestSchedule) {
  int compared = 0;
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + test::tries(2000); ++seed) {
    Dice dice{seed};
    EffectChain chain{.name = "c", .tasks = {}, .communication = {}, .reaction = {}, .age = {}};
    chain.communication = dice.pick({by_register, Communication::queue, Communication::let});
    std::vector<EffectStage> stages;
    System system;
    std::int64_t whole = 1;
    std::int64_t largest = 0;
    const std::int64_t length = dice.between(1, 4);
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t period = dice.pick<std::int64_t>({2, 3, 4, 5, 6, 8, 10, 12});
      const bool queue = chain.communication == Communication::queue;
      stages.push_back(stage(period, dice.between(0, 30), dice.between(0, queue ? period : 2 * period)));
      Task task;
      task.period = nanoseconds(period);
      task.deadline = stages.back().publication;
      task.offset = stages.back().offset;
      system.tasks.push_back(task);
      chain.tasks.push_back(static_cast<TaskIndex>(i));
      whole = *checked_lcm(whole, period);
      largest = std::max(largest, task.offset.count());
    }
    const EffectBounds bounds = effect_bounds(stages, chain.communication);
    if (!bounds.age.bound) continue;
    ++compared;
    const Time until = time_at(nanoseconds(largest + 4 * whole + 500));
    const test::PlainFlow flow = test::plain_flow(system, chain, latest_jobs(system, stages, until), until);
    ASSERT_EQ(flow.age, bounds.age.bound) << "seed " << seed;
    if (chain.communication == Communication::queue) {
      ASSERT_LE(flow.reaction, bounds.reaction.bound) << "seed " << seed;
    } else {
      ASSERT_EQ(flow.reaction, bounds.reaction.bound) << "seed " << seed;
    }
    // Bounded pair by pair they are at least as large, and equal for two tasks.
    const EffectBounds pairs = effect_bounds(stages, chain.communication, 0);
    if (!pairs.age.bound) continue;
    ASSERT_GE(pairs.age.bound, bounds.age.bound) << "seed " << seed;
    ASSERT_GE(pairs.reaction.bound, bounds.reaction.bound) << "seed " << seed;
    if (length <= 2 && chain.communication != Communication::queue) {
      ASSERT_EQ(pairs.age.bound, bounds.age.bound) << "seed " << seed;
      ASSERT_EQ(pairs.reaction.bound, bounds.reaction.bound) << "seed " << seed;
    }
  }
  EXPECT_GT(compared, test::tries(1000));
}

/// WATERS 2019 with LET: the published latencies count from the sample, so they lack the first period.
TEST(EffectChainBounds, AreThoseOfWaters2019) {
  const auto latency = [](const std::vector<std::int64_t>& periods) {
    std::vector<EffectStage> stages;
    stages.reserve(periods.size());
    for (const std::int64_t period : periods) stages.push_back(stage(period, 0, period));
    return reaction(stages, Communication::let) - periods.front();
  };
  EXPECT_EQ(latency({33, 400, 15, 15, 5}), 875);
  EXPECT_EQ(latency({10, 400, 15, 15, 5}), 845);
  EXPECT_EQ(latency({33, 15, 5}), 65);
  EXPECT_EQ(latency({66, 15, 5}), 98);
  EXPECT_EQ(latency({200, 15, 5}), 230);
  EXPECT_EQ(latency({10, 15, 15, 5}), 55);
}

System read(const std::string& chains) {
  ReadResult result = read_system(R"(tactus: 1
platform: {cpus: 3, gpu: {sms: 2}}
policy: {strategy: single-stream, cpu: {order: fp}}
tasks:
  - {name: camera, period: 30ms, core: 0, segments: [{cpu: [1ms, 2ms]}]}
  - {name: planner, period: 20ms, core: 1, segments: [{cpu: [3ms, 5ms]}]}
  - {name: button, arrival: sporadic, period: 50ms, core: 2, segments: [{cpu: 1ms}]}
chains:
)" + chains,
                                  "test.yaml");
  EXPECT_TRUE(result.system) << (result.problems.empty() ? "" : to_string(result.problems.front()));
  return *result.system;
}

EffectResult judged(const std::string& chain) {
  const CheckResult result = check(read("  - " + chain + "\n"));
  return result.chains.at(0);
}

TEST(EffectChains, AreJudged) {
  // The camera's value is there 2 ms after its release, the planner may have started 1 ns before.
  EXPECT_EQ(judged("{name: c, tasks: [camera, planner], reaction: 55ms}").verdict, Verdict::schedulable);
  EXPECT_EQ(judged("{name: c, tasks: [camera, planner]}").reaction_bound, std::chrono::milliseconds{55});
  const EffectResult late = judged("{name: c, tasks: [camera, planner], reaction: 54.999999ms}");
  EXPECT_EQ(late.verdict, Verdict::unproven);
  EXPECT_THAT(late.reason, HasSubstr("may be up to 55ms, its limit is 54.999999ms; 'camera'"));
  const EffectResult impossible = judged("{name: c, tasks: [camera, planner], reaction: 33.999999ms}");
  EXPECT_EQ(impossible.verdict, Verdict::unschedulable);
  EXPECT_THAT(impossible.reason, HasSubstr("is at least 34ms"));
  EXPECT_EQ(judged("{name: c, tasks: [camera, planner], reaction: 34ms}").verdict, Verdict::unproven);
  EXPECT_EQ(judged("{name: c, tasks: [camera, planner], age: 3.999999ms}").verdict, Verdict::unschedulable);
  EXPECT_EQ(judged("{name: c, tasks: [camera, planner], age: 35ms}").verdict, Verdict::schedulable);
}

TEST(EffectChains, WithLetAreExact) {
  EXPECT_EQ(judged("{name: c, tasks: [camera, planner], communication: let, reaction: 90ms}").verdict,
            Verdict::schedulable);
  EXPECT_EQ(judged("{name: c, tasks: [camera, planner], communication: let, reaction: 89.999999ms}").verdict,
            Verdict::unschedulable);
}

/// The camera's deadline is two periods, but the planner takes its picture after one.
TEST(EffectChains, WithLetOfPeriodsDoNotDependOnDeadlines) {
  System system = read("  - {name: c, tasks: [camera, planner], communication: let-period}\n");
  const Duration period = *system.tasks[0].period;
  for (const Duration deadline : {period / 2, period, 2 * period}) {
    system.tasks[0].deadline = deadline;
    const std::vector<std::optional<Duration>> in_time(system.tasks.size(), period / 4);
    EXPECT_EQ(judge_chains(system, in_time).at(0).reaction_bound, std::chrono::milliseconds{90});
  }
  std::vector<std::optional<Duration>> too_late(system.tasks.size(), period / 4);
  too_late[0] = period + nanoseconds(1);
  const EffectResult late = judge_chains(system, too_late).at(0);
  EXPECT_FALSE(late.reaction_bound);
  EXPECT_THAT(late.reason, HasSubstr("that 'camera' is done within its period"));
  EXPECT_THAT(late.reason, HasSubstr("with all jobs done within their periods its reaction is 90ms"));
  // A camera that is late in its period keeps its deadline: what follows then is not known.
  system.chains[0].reaction = std::chrono::milliseconds{89};
  EXPECT_EQ(judge_chains(system, too_late).at(0).verdict, Verdict::unproven);
  system.tasks[0].deadline = period;
  EXPECT_EQ(judge_chains(system, too_late).at(0).verdict, Verdict::unschedulable);
}

TEST(EffectChains, SporadicTasksHaveNoBoundInTheMiddle) {
  EXPECT_EQ(judged("{name: c, tasks: [button, planner], reaction: 26ms}").verdict, Verdict::schedulable);
  EXPECT_EQ(judged("{name: c, tasks: [button, planner], age: 1h}").verdict, Verdict::unschedulable);
  EXPECT_EQ(judged("{name: c, tasks: [camera, button], reaction: 1h}").verdict, Verdict::unschedulable);
  EXPECT_EQ(judged("{name: c, tasks: [camera, button]}").verdict, Verdict::schedulable) << "it has no limit";
}

TEST(EffectChains, CountForTheVerdict) {
  EXPECT_EQ(check(read("  - {name: c, tasks: [camera, planner], reaction: 55ms}\n")).verdict,
            Verdict::schedulable);
  EXPECT_EQ(check(read("  - {name: c, tasks: [camera, planner], reaction: 54ms}\n")).verdict,
            Verdict::unproven);
  EXPECT_EQ(check(read("  - {name: c, tasks: [camera, planner], reaction: 3ms}\n")).verdict,
            Verdict::unschedulable);
  System late = read("  - {name: c, tasks: [camera, planner], reaction: 55ms}\n");
  late.tasks[0].deadline = nanoseconds(1);
  EXPECT_EQ(check(late).verdict, Verdict::unschedulable);
  late.chains[0].communication = Communication::let;
  EXPECT_THAT(check(late).chains[0].reason, HasSubstr("the deadline of 'camera' is not proven"));
}

TEST(EffectChains, NeedResponseTimes) {
  const System system = read("  - {name: c, tasks: [camera, planner], reaction: 1h}\n");
  const std::vector<std::optional<Duration>> nothing(system.tasks.size());
  const EffectResult result = judge_chains(system, nothing).at(0);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_THAT(result.reason, HasSubstr("no response time of 'camera' is proven"));
  EXPECT_FALSE(result.reaction_bound);
}

}  // namespace
}  // namespace tactus::analysis
