// The same tasks under other strategies: what is kept, what is refused, and that nothing is claimed unproven.
#include "tactus/plan/ways.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/gpu_job_systems.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/plan/compare.hpp"
#include "tactus/plan/hints.hpp"
#include "tactus/plan/json.hpp"

namespace tactus::plan {
namespace {

using analysis::Verdict;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

System read(std::string_view text) {
  ReadResult result = read_system(text, "system.yaml", Completeness::to_be_planned);
  EXPECT_THAT(result.problems, IsEmpty());
  return result.system.value_or(System{});
}

System kernels() {
  return read(R"(tactus: 1
platform: {gpu: {sms: 4}}
policy: {strategy: single-stream}
tasks:
  - {name: control, period: 10ms, deadline: 5ms, kernel: {grid: 2, block: 1024, block_time: 1ms}}
  - {name: vision, period: 40ms, kernel: {grid: 64, block: 1024, block_time: 1ms}}
)");
}

System one_stream_too_slow() {
  return read(R"(tactus: 1
platform: jetson-tx2
policy: {strategy: single-stream, order: edf}
tasks:
  - {name: controller, period: 20ms, deadline: 6ms, kernel: {grid: 4, block: 1024, block_time: 1ms}}
  - {name: detector, period: 40ms, kernel: {grid: 48, block: 1024, block_time: 1.2ms}}
)");
}

TEST(Ways, ExclusiveWorkIsNeverPutOnFewerSms) {
  const System system = test::one_stream(Order::edf, {{1, 4, 4}, {3, 19, 20}});
  const Candidates federated = candidates(system, {strategy_named("federated"), Order::fp});
  EXPECT_THAT(federated.all, IsEmpty());
  EXPECT_THAT(federated.why_not, HasSubstr("no known time on fewer SMs"));
  // All SMs together are still those it has.
  const Candidates cores = candidates(system, {strategy_named("sm-cores"), Order::edf});
  ASSERT_THAT(cores.all, SizeIs(1));
  EXPECT_FALSE(cores.all.front().any_core);
}

TEST(Ways, KernelsMayHaveAnyCore) {
  const Candidates cores = candidates(kernels(), {strategy_named("sm-cores"), Order::edf});
  ASSERT_THAT(cores.all, SizeIs(2));
  EXPECT_TRUE(cores.all.back().any_core);
  EXPECT_EQ(cores.all.back().system.tasks[0].sm.kind, SmAffinity::Kind::any);
}

TEST(Ways, AFileThatSaysWhereTasksRunIsKept) {
  System system = kernels();
  system.tasks[0].sm = {SmAffinity::Kind::one, 1};
  const Candidates cores = candidates(system, {strategy_named("sm-cores"), Order::fp});
  ASSERT_THAT(cores.all, SizeIs(1));
  EXPECT_EQ(cores.all.front().system.tasks[0].sm.core, 1);
}

TEST(Ways, WhatHoldsIsACompleteSystemThatCheckAccepts) {
  const System system = kernels();
  int holding = 0;
  for (const Way& way : all_ways()) {
    const Trial trial = try_way(system, way, {});
    EXPECT_FALSE(trial.holds() ? !trial.why_not.empty() : trial.why_not.empty()) << strategy_word(way);
    if (!trial.holds()) continue;
    ++holding;
    EXPECT_EQ(trial.plan.planned.policy.strategy, way.strategy);
    EXPECT_EQ(analysis::check(trial.plan.planned).verdict, Verdict::schedulable) << strategy_word(way);
  }
  EXPECT_GE(holding, 1);
}

TEST(Compare, EveryWayHasARowAndNoSimulationPassesABound) {
  const System system = kernels();
  const Comparison comparison = compare(system, all_ways(), {}, {});
  ASSERT_EQ(comparison.ways.size(), all_ways().size());
  EXPECT_TRUE(comparison.some_holds());
  for (const ComparedWay& way : comparison.ways) {
    if (!way.trial.holds()) continue;
    ASSERT_TRUE(way.simulated) << strategy_word(way.trial.way);
    EXPECT_EQ(way.simulated->misses, 0U);
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      if (!way.trial.bounds[i].bound || !way.simulated->longest[i]) continue;
      EXPECT_LE(*way.simulated->longest[i], *way.trial.bounds[i].bound) << strategy_word(way.trial.way);
    }
  }
}

TEST(Compare, JsonSaysWhatWasChosen) {
  const nlohmann::ordered_json json = to_json(compare(kernels(), all_ways(), {}, {}));
  EXPECT_EQ(json["some_holds"], true);
  ASSERT_THAT(json["strategies"], SizeIs(all_ways().size()));
  for (const auto& way : json["strategies"]) {
    if (way["verdict"] == "schedulable") {
      EXPECT_TRUE(way["plan"]["found"]) << way.dump();
      EXPECT_TRUE(way["analysis"].is_string());
    } else {
      EXPECT_FALSE(way["why_not"].get<std::string>().empty()) << way.dump();
    }
  }
}

TEST(Compare, AStopLeavesNoRowBehindThatWasNotTried) {
  const std::atomic<bool> stop{true};
  Watch watch;
  watch.stop = &stop;
  const Comparison comparison = compare(kernels(), all_ways(), {}, watch);
  EXPECT_TRUE(comparison.interrupted);
  EXPECT_FALSE(comparison.some_holds());
  EXPECT_THAT(comparison.ways, IsEmpty());
}

TEST(Compare, TheWorstPartIsRoundedUp) {
  using D = std::optional<Duration>;
  const std::vector<D> values{Duration{1}, Duration{2}, std::nullopt};
  const std::vector<D> deadlines{Duration{3}, Duration{7}, Duration{1}};
  const auto worst = worst_part(values, deadlines);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->task, 0U);
  EXPECT_EQ(worst->thousandths, 334);
  EXPECT_FALSE(worst_part({}, {}));
}

TEST(Hints, EveryOneHoldsWhenItIsChecked) {
  const System system = one_stream_too_slow();
  const analysis::CheckResult result = analysis::check(system);
  ASSERT_EQ(result.verdict, Verdict::unproven);
  const Hints hints = find_hints(system, result, {});
  ASSERT_TRUE(hints.nearest);
  EXPECT_EQ(hints.nearest->analysis, "np-edf");
  ASSERT_THAT(hints.deadlines, SizeIs(1));
  System changed = system;
  changed.tasks[hints.deadlines[0].task].deadline = hints.deadlines[0].deadline;
  EXPECT_EQ(analysis::check(changed).verdict, Verdict::schedulable);
  EXPECT_GT(hints.deadlines[0].deadline, *system.tasks[hints.deadlines[0].task].deadline);
  ASSERT_TRUE(hints.speed);
  EXPECT_EQ(analysis::check(at_speed(system, hints.speed->thousandths)).verdict, Verdict::schedulable);
  EXPECT_NE(analysis::check(at_speed(system, hints.speed->thousandths * 99 / 100)).verdict,
            Verdict::schedulable);
  ASSERT_FALSE(hints.ways.empty());
  for (const WayHint& hint : hints.ways) {
    EXPECT_EQ(analysis::check(hint.trial.plan.planned).verdict, Verdict::schedulable);
  }
}

TEST(Hints, AnOverloadedSystemIsToldNoDeadline) {
  const System system = read(R"(tactus: 1
platform: {gpu: {sms: 1}}
policy: {strategy: single-stream}
tasks:
  - {name: a, period: 10ms, deadline: 8ms, exclusive: 9ms}
  - {name: b, period: 10ms, deadline: 8ms, exclusive: 9ms}
)");
  const Hints hints = find_hints(system, analysis::check(system), {});
  EXPECT_THAT(hints.deadlines, IsEmpty());
  EXPECT_THAT(hints.ways, IsEmpty());
  ASSERT_TRUE(hints.speed);
  EXPECT_GE(hints.speed->thousandths, 1800);
}

TEST(Hints, DeadlinesBeyondPeriodsAreTriedAtThePeriods) {
  System system = read(R"(tactus: 1
platform: {gpu: {sms: 1}}
policy: {strategy: single-stream}
tasks:
  - {name: a, period: 10ms, deadline: 15ms, exclusive: 2ms}
  - {name: b, period: 20ms, exclusive: 3ms}
)");
  const Hints hints = find_hints(system, analysis::check(system), {});
  ASSERT_TRUE(hints.periods);
  EXPECT_THAT(hints.periods->tasks, testing::ElementsAre(0));
  system.tasks[0].deadline = system.tasks[0].period;
  EXPECT_EQ(analysis::check(system).verdict, Verdict::schedulable);

  system.tasks[0].deadline = *system.tasks[0].period * 2;
  std::get<ExclusiveSegment>(system.tasks[0].work.nodes[0].segment).time =
      Interval::exactly(*system.tasks[0].period);
  EXPECT_FALSE(find_hints(system, analysis::check(system), {}).periods) << "overloaded at the period, too";
}

TEST(Hints, SpeedDividesEveryTimeAndRoundsUp) {
  System system = read(R"(tactus: 1
platform: {gpu: {sms: 1, copy_bandwidth: 1GB/s}}
tasks:
  - name: a
    period: 10ms
    segments: [{cpu: 3ns}, {copy: {bytes: 1000B}}, {kernel: {grid: 1, block: 32, block_time: [3ns, 5ns]}}]
  - {name: b, period: 10ms, exclusive: 7ns, longest_block: 3ns}
)");
  const System faster = at_speed(system, 2000);
  EXPECT_EQ(std::get<CpuSegment>(faster.tasks[0].work.nodes[0].segment).time.worst.count(), 2);
  EXPECT_EQ(std::get<CopySegment>(faster.tasks[0].work.nodes[1].segment).time.worst.count(), 500);
  EXPECT_EQ(faster.platform.gpu.copy_bandwidth, 2'000'000'000);
  EXPECT_EQ(std::get<KernelSegment>(faster.tasks[0].work.nodes[2].segment).block_time.best.count(), 1);
  EXPECT_EQ(std::get<KernelSegment>(faster.tasks[0].work.nodes[2].segment).block_time.worst.count(), 3);
  EXPECT_EQ(faster.tasks[1].longest_block->count(), 2);
  EXPECT_EQ(at_speed(system, 1000), system);
}

TEST(Hints, AStopEndsTheSearch) {
  const std::atomic<bool> stop{true};
  Watch watch;
  watch.stop = &stop;
  const System system = one_stream_too_slow();
  const Hints hints = find_hints(system, analysis::check(system), watch);
  EXPECT_TRUE(hints.stopped);
  EXPECT_TRUE(hints.empty());
}

}  // namespace
}  // namespace tactus::plan
