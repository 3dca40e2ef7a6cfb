// The engine's time in the tests of chains: worked examples, a slow twin, degenerate cases.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "support/chain_engine_bounds.hpp"
#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/engine_examples.hpp"
#include "support/federated_systems.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/chain_engine.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/analysis/rtgpu_allocation.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using test::four_with_own_sms;
using test::system_with_engine;
using test::two_chains;
using test::two_with_own_sms;

std::vector<std::int64_t> bounds_of(const Result& result) {
  std::vector<std::int64_t> bounds;
  for (const TaskResult& task : result.tasks) bounds.push_back(task.bound ? in_ns(*task.bound) : -1);
  return bounds;
}

// Played together: 407 and 457, 17 and 67. Of the longer enqueue, actions counted over the whole job give
// 464; counted from event to submission they give 462.
TEST(EngineOfChains, SmsOfTheirOwn) {
  EXPECT_THAT(bounds_of(rtgpu(two_with_own_sms(400))), ElementsAre(815, 462));
  EXPECT_THAT(bounds_of(rtgpu_paper(two_with_own_sms(400))), ElementsAre(815, 464));
  EXPECT_THAT(bounds_of(chain_fp(two_with_own_sms(400))), ElementsAre(817, 1266));
  EXPECT_THAT(bounds_of(rtgpu(two_with_own_sms(10))), ElementsAre(33, 68));
  EXPECT_THAT(bounds_of(chain_fp(two_with_own_sms(10))), ElementsAre(37, 96));
}

// Played together: 39, 43, 47, 51.
TEST(EngineOfChains, FourTasks) {
  EXPECT_THAT(bounds_of(rtgpu(four_with_own_sms())), ElementsAre(53, 56, 59, 54));
  EXPECT_THAT(bounds_of(chain_fp(four_with_own_sms())), ElementsAre(58, 70, 74, 78));
  EXPECT_THAT(bounds_of(plain_fp(four_with_own_sms())), ElementsAre(58, 70, 74, 78));
}

// Played together: 48, 58.
TEST(EngineOfChains, Chains) {
  const System system = two_chains("{event: 1ns, submit: 3ns}");
  EXPECT_THAT(bounds_of(rtgpu(system)), ElementsAre(93, 76));
  EXPECT_THAT(bounds_of(rtgpu_tight(system)), ElementsAre(93, 76));
  EXPECT_THAT(bounds_of(rtgpu_paper(system)), ElementsAre(101, 137));
  EXPECT_THAT(bounds_of(chain_fp(system)), ElementsAre(151, 264));
  EXPECT_THAT(bounds_of(rtgpu(two_chains("{event: 0ns}"))), ElementsAre(30, 34));
}

/// One less urgent submission is in the way of the release, one of the end of the other's copy, and one of
/// the own end.
TEST(EngineOfChains, ASubmissionBehindTheCopyOfAnother) {
  std::string tasks =
      "  - {name: first, period: 1000ns, offset: 1ns, segments: [{copy: 10ns}]}\n"
      "  - {name: victim, period: 1200ns, offset: 1ns, segments: [{copy: 1ns}]}\n";
  for (const char* name : {"a", "b", "c"}) {
    tasks += fmt::format("  - {{name: {}, period: 5000ns, enqueue: 100ns, segments: [{{exclusive: 5ns}}]}}\n",
                         name);
  }
  const System system =
      system_with_engine("{event: 0ns}", "strategy: federated, virtual_sms: {a: 1, b: 1, c: 1}", tasks);
  sim::SimulationOptions options;
  options.horizon = nanoseconds(1000);
  trace::Recorder recorder{{.keep = {.ends = true}}};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::simulate(system, options, observers);
  Duration seen{};
  for (const trace::JobEnded& job : recorder.take().ends) {
    if (job.job.task == 1 && job.job.number == 0) seen = job.completion - job.release;
  }
  EXPECT_EQ(seen, Duration{299});
  EXPECT_GE(*rtgpu(system).tasks[1].bound, seen);
  EXPECT_LT(*test::chain_engine_bounds(system, {.none_behind_copies = true})[1], seen);
}

TEST(EngineOfChains, DelaysOfTheEngine) {
  const ChainEngine four = chain_engine(four_with_own_sms()).value();
  EXPECT_EQ(four.decision, Duration{12});
  EXPECT_THAT(four.waiting, ElementsAre(Duration{0}, Duration{12}, Duration{16}, Duration{20}));
  EXPECT_EQ(chain_engine(two_with_own_sms(400)).value().decision, Duration{404});
  EXPECT_EQ(chain_engine(two_chains("{event: 1ns, submit: 3ns}")).value().decision, Duration{7});
}

TEST(EngineOfChains, BaselinesDoNotCountIt) {
  const System system = two_chains("{event: 1ns, submit: 3ns}");
  for (const char* id : {"self-suspension", "stgm", "mpcp", "rtgpu-as-published"}) {
    const Result result = run(*find(id), system);
    EXPECT_FALSE(result.applies()) << id;
  }
}

TEST(EngineOfChains, WhereNobodyHasShownIt) {
  const std::string tasks =
      "  - {name: a, period: 200ns, segments: [{cpu: 2ns}, {exclusive: 10ns}]}\n"
      "  - {name: b, period: 400ns, segments: [{copy: 4ns}, {exclusive: 10ns}]}\n";
  const char* const engine = "{event: 1ns, submit: 3ns}";
  EXPECT_TRUE(chain_fp(system_with_engine(engine, "strategy: single-stream, order: fp", tasks)).applies());
  for (const char* policy : {"strategy: multi-stream, order: fp, levels: 2", "strategy: as-submitted",
                             "strategy: time-sliced, time_slice: 5ns"}) {
    const Result result = chain_fp(system_with_engine(engine, policy, tasks));
    EXPECT_FALSE(result.applies()) << policy;
    EXPECT_THAT(result.why_not, HasSubstr("with engine time")) << policy;
  }
}

/// Engine times of all sizes beside what such a system has.
System with_engine(System system, test::Dice& dice) {
  EngineTime& engine = system.platform.overheads.engine;
  engine = {.event = Duration{dice.between(0, 2)}, .submit = Duration{dice.between(0, 3)}};
  for (Task& task : system.tasks) {
    if (dice.between(0, 3) == 0) task.enqueue = Duration{dice.between(0, 9)};
    if (!task.period) continue;
    const std::int64_t longer = dice.between(1, 6);
    *task.period *= longer;
    *task.deadline *= longer;
  }
  return system;
}

TEST(EngineOfChains, AreThoseOfTheSlowTwin) {
  constexpr std::uint64_t systems = test::tries(3000);
  std::int64_t accepted = 0;
  std::int64_t rejected = 0;
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + systems; ++seed) {
    test::Dice dice{seed};
    const System system = with_engine(test::federated_system(seed, {.copies_in_pieces = false}), dice);
    if (!has_engine_time(system) || !validate(system).empty()) continue;
    const Result result = rtgpu(system);
    if (!result.applies()) continue;
    const std::vector<std::optional<Duration>> expected = test::chain_engine_bounds(system, {});
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      ASSERT_EQ(result.tasks[i].bound, expected[i]) << "seed " << seed << ", " << system.tasks[i].name << "\n"
                                                    << test::describe(system);
    }
    ++(result.verdict == Verdict::schedulable ? accepted : rejected);
    const Result paper = rtgpu_paper(system);
    ASSERT_TRUE(paper.verdict != Verdict::schedulable || result.verdict == Verdict::schedulable)
        << "seed " << seed << "\n"
        << test::describe(system);
  }
  EXPECT_GT(accepted, test::tries(300));
  EXPECT_GT(rejected, test::tries(300));
}

/// An explicit zero is no engine time: the bounds of all tests are those without the key.
TEST(EngineOfChains, NoTimeChangesNothing) {
  constexpr std::uint64_t systems = test::tries(300);
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + systems; ++seed) {
    const System system = test::federated_system(seed);
    System zero = system;
    for (Task& task : zero.tasks) task.enqueue = Duration{};
    for (Result (*test)(const System&) : {rtgpu, rtgpu_tight, rtgpu_paper, chain_fp}) {
      ASSERT_EQ(bounds_of(test(system)), bounds_of(test(zero))) << "seed " << seed;
    }
  }
}

/// More engine time never makes a bound smaller.
TEST(EngineOfChains, MoreTimeNeverHelps) {
  constexpr std::uint64_t systems = test::tries(1000);
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + systems; ++seed) {
    test::Dice dice{seed};
    const System system = with_engine(test::federated_system(seed, {.copies_in_pieces = false}), dice);
    System more = system;
    EngineTime& engine = more.platform.overheads.engine;
    (dice.between(0, 1) == 0 ? engine.event : engine.submit) += Duration{1};
    if (!has_engine_time(system) || !validate(system).empty()) continue;
    for (Result (*test)(const System&) : {rtgpu, rtgpu_paper, chain_fp, plain_fp}) {
      const Result less = test(system);
      const Result greater = test(more);
      if (!less.applies() || greater.verdict != Verdict::schedulable) continue;
      ASSERT_EQ(less.verdict, Verdict::schedulable) << "seed " << seed << "\n" << test::describe(system);
      for (std::size_t i = 0; i < system.tasks.size(); ++i) {
        ASSERT_LE(less.tasks[i].bound, greater.tasks[i].bound) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace tactus::analysis
