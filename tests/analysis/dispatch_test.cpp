// Tasks whose work waits on its SMs, in the tests: what their way to the GPU adds, and what it does to
// others.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/federated_systems.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/dispatch.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::analysis {
namespace {

System system_of(const std::string& control) {
  const ReadResult result = read_system(
      R"(tactus: 1
platform:
  cpus: 1
  gpu: {sms: 8, virtual_sms_per_sm: 1}
  overheads: {release: 40us, launch: 20us, completion: 30us, engine: {event: 3us, submit: 7us},
              resident: {release: 1us, completion: 3us}, doorbell: {launch: 6us, completion: 2us}}
policy: {strategy: federated, virtual_sms: {control: 2, other: 4}}
tasks:
  - {name: control, period: 1ms, exclusive: 50us)" +
          control + R"(}
  - {name: other, period: 10ms, segments: [{cpu: 1ms}, {exclusive: 2ms}]}
)",
      "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message;
  return result.system.value();
}

std::vector<std::optional<Duration>> bounds(const System& system) {
  return smallest_bounds(system, check(system));
}

TEST(DispatchBounds, AResidentJobHasOnlyItsOwnOverheads) {
  EXPECT_EQ(bounds(system_of(", dispatch: resident"))[0], Duration{54'000});
}

TEST(DispatchBounds, ARungJobSavesTheLaunch) {
  const Duration launched = bounds(system_of("")).front().value();
  EXPECT_EQ(bounds(system_of(", dispatch: doorbell"))[0], launched - Duration{42'000});
}

TEST(DispatchBounds, AResidentTaskIsAsGoodAsAbsentForOthers) {
  System alone = system_of("");
  alone.tasks.erase(alone.tasks.begin());
  alone.virtual_sms.erase(alone.virtual_sms.begin());
  EXPECT_EQ(bounds(system_of(", dispatch: resident"))[1], bounds(alone)[0]);
  EXPECT_GT(bounds(system_of(""))[1], bounds(alone)[0]);
}

/// Tests of a shared GPU count launches; elsewhere than on SMs of its own, every job is launched.
TEST(DispatchBounds, OfASharedGpuNeedLaunches) {
  System system = system_of(", dispatch: resident");
  EXPECT_FALSE(mpcp(system).applies());
  EXPECT_FALSE(gpu_round_robin(system).applies());
  system.platform.overheads.engine = {};
  system.policy.strategy = strategy_named("time-sliced");
  system.tasks.pop_back();
  EXPECT_EQ(gpu_round_robin(system).tasks[0].bound, Duration{140'000});
}

/// A window loses the launch of whatever it serves, also one that a launcher makes longer.
TEST(DispatchBounds, ALauncherCostsAWindowWhatALaunchDoes) {
  const auto bound_with = [](const std::string& launch, const std::string& of_task) {
    const ReadResult result = read_system(
        "tactus: 1\nplatform: {cpus: 1, gpu: {sms: 1}, overheads: {launch: " + launch +
            "}}\npolicy: {strategy: sm-cores, reservations: {period: 20us, local: {budget: 10us}}}\ntasks:\n"
            "  - {name: a, period: 1ms, sm: 0, longest_block: 0ns, segments: [{cpu: 1us}, {exclusive: "
            "30us}]" +
            of_task + "}\n",
        "test.yaml");
    for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message;
    return chain_edf(result.system.value()).tasks[0].bound.value();
  };
  EXPECT_EQ(bound_with("0ns", ", launcher: true, enqueue: 3us"), bound_with("3us", ""));
  EXPECT_GT(bound_with("3us", ""), bound_with("0ns", ""));
}

/// What interrupts work that a launcher launches makes it be launched again.
TEST(DispatchBounds, AnInterruptionCostsTheLaunchOfWhatItInterrupts) {
  const ReadResult result = read_system(
      "tactus: 1\nplatform: {cpus: 1, gpu: {sms: 1}}\n"
      "policy: {strategy: sm-cores, order: fp, reservations: {period: 10us, local: {budget: 10us}}}\ntasks:\n"
      "  - {name: a, period: 10us, sm: 0, priority: 2, exclusive: 1us}\n"
      "  - {name: b, period: 1ms, sm: 0, priority: 1, longest_block: 0ns, launcher: true, enqueue: 3us, "
      "segments: [{cpu: 1us}, {exclusive: 30us}]}\n",
      "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message;
  const System& system = result.system.value();
  sim::SimulationOptions options;
  options.horizon = nanoseconds(1'000'000);
  trace::Recorder recorder{{.keep = {.ends = true}}};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::simulate(system, options, observers);
  Duration observed{};
  for (const trace::JobEnded& job : recorder.take().ends) {
    if (job.job.task == 1 && job.completion != never) observed = job.completion - job.release;
  }
  EXPECT_GT(observed, nanoseconds(40'000));
  const Result chain = chain_fp(system);
  ASSERT_TRUE(chain.tasks[1].bound.has_value());
  EXPECT_GE(*chain.tasks[1].bound, observed);
}

/// No job of a random system with such tasks takes longer than a bound.
TEST(DispatchBounds, HoldInSimulation) {
  std::uint64_t judged = 0;
  for (std::uint64_t seed = 0; seed < std::uint64_t{test::tries(2000)}; ++seed) {
    test::Scenario scenario;
    scenario.system = test::federated_system(seed, {.load_percent = 30});
    scenario = test::with_resident_tasks(std::move(scenario), seed);
    test::Dice dice{seed};
    EngineTime& engine = scenario.system.platform.overheads.engine;
    if (seed % 3 != 0) engine = {dice.duration(0, 2), dice.duration(0, 4)};
    const std::vector<std::optional<Duration>> proven = bounds(scenario.system);
    if (std::none_of(proven.begin(), proven.end(), [](const auto& bound) { return bound.has_value(); }))
      continue;
    ++judged;
    for (const Execution execution : {Execution::worst, Execution::random}) {
      trace::Recorder recorder{{.keep = {.ends = true}}};
      const std::array<trace::Observer*, 1> observers{&recorder};
      sim::SimulationOptions options;
      options.horizon = nanoseconds(20'000);
      options.seed = seed;
      options.execution = execution;
      options.max_pending = 1000;
      sim::simulate(scenario.system, options, observers);
      const trace::Recording recording = recorder.take();
      for (const trace::JobEnded& job : recording.ends) {
        if (job.completion == never || !proven[job.job.task]) continue;
        ASSERT_LE(job.completion - job.release, *proven[job.job.task]) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(judged, std::uint64_t{test::tries(2000)} / 10);
}

}  // namespace
}  // namespace tactus::analysis
