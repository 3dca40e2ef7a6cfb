// What is simulated is what is run: the executive on virtual time leaves the simulator's trace, event for
// event.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/by_node_systems.hpp"
#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/event_log.hpp"
#include "support/federated_systems.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/falsify/borderline_systems.hpp"
#include "tactus/runtime/executive.hpp"

namespace tactus::test {
namespace {

/// How the two differ; nothing when they do not. Counts the events that were compared.
std::optional<std::string> difference(const Scenario& scenario, bool blocks, std::size_t& compared) {
  EventLog simulated{blocks};
  EventLog executed{blocks};
  const std::array<trace::Observer*, 1> simulator_observers{&simulated};
  const std::array<trace::Observer*, 1> executive_observers{&executed};
  const sim::Outcome expected = sim::simulate(scenario.system, scenario.options, simulator_observers);
  if (expected.ending != sim::SimulationEnd::horizon) return std::nullopt;  // the simulator has no more room

  device::SimDevice device;
  runtime::ExecutiveOptions options;
  options.horizon = scenario.options.horizon;
  options.seed = scenario.options.seed;
  options.execution = scenario.options.execution;
  options.max_pending = *scenario.options.max_pending;
  options.plays_overheads = true;
  const runtime::Outcome outcome =
      runtime::Executive{scenario.system, device, options, executive_observers}.run();
  if (std::optional<std::string> found = first_difference(simulated, executed)) return found;
  if (outcome.assumptions.first) return to_text(scenario.system, *outcome.assumptions.first);
  compared += simulated.entries.size();
  if (outcome.released != expected.released || outcome.completed != expected.completed ||
      outcome.pending != expected.pending || outcome.dropped != expected.dropped) {
    return "the numbers of jobs differ";
  }
  return std::nullopt;
}

void expect_the_same(std::uint64_t first, std::uint64_t number,
                     const std::function<Scenario(std::uint64_t)>& generate) {
  std::size_t compared = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    Scenario scenario = generate(seed);
    if (!scenario.options.horizon) scenario.options.horizon = nanoseconds(2000);
    for (const bool blocks : {true, false}) {
      const std::optional<std::string> found = difference(scenario, blocks, compared);
      ASSERT_FALSE(found) << "seed " << seed << "\n" << describe(scenario) << *found;
    }
  }
  EXPECT_GT(compared, 10 * number);
}

constexpr std::uint64_t systems = tries(250);

class SameTrace : public testing::TestWithParam<std::uint64_t> {
 protected:
  [[nodiscard]] static std::uint64_t first() { return first_seed() + GetParam() * 3 * systems; }
};

TEST_P(SameTrace, AsSubmitted) { expect_the_same(first(), systems, mixed_scenario); }
TEST_P(SameTrace, AsSubmittedWithManyWaves) { expect_the_same(first(), systems / 5, bulk_scenario); }
TEST_P(SameTrace, StreamsAndCores) { expect_the_same(first(), 3 * systems, strategy_scenario); }
TEST_P(SameTrace, Federated) { expect_the_same(first(), systems, federated_scenario); }
/// With four shards 500 systems of each strategy.
TEST_P(SameTrace, ByNode) {
  for (const std::string_view strategy : by_node_strategies) {
    expect_the_same(first(), systems / 2,
                    [&](std::uint64_t seed) { return by_node_scenario_under(strategy, seed); });
  }
}

/// The same system with threads that enqueue the work of some tasks.
Scenario with_launchers(Scenario scenario, std::uint64_t seed) {
  Dice dice{seed};
  for (Task& task : scenario.system.tasks) {
    if (!uses_gpu(task.work) || task.dispatch != Dispatch::launch || !dice.percent(50)) continue;
    task.launcher = true;
    task.enqueue = dice.duration(0, 20);
  }
  return scenario;
}

TEST_P(SameTrace, Launchers) {
  const auto expect_with_launchers = [&](const std::function<Scenario(std::uint64_t)>& generate) {
    expect_the_same(first(), systems / 5,
                    [&](std::uint64_t seed) { return with_launchers(generate(seed), seed); });
  };
  expect_with_launchers(mixed_scenario);
  expect_with_launchers(strategy_scenario);
  expect_with_launchers(federated_scenario);
}

/// The same system on an engine that needs time for events and submissions.
Scenario with_engine_time(Scenario scenario, std::uint64_t seed) {
  Dice dice{seed};
  EngineTime& engine = scenario.system.platform.overheads.engine;
  engine.event = dice.duration(0, 3);
  engine.submit = dice.duration(engine.event == Duration{} ? 1 : 0, 6);
  for (Task& task : scenario.system.tasks) {
    if (dice.percent(20)) task.enqueue = dice.duration(0, 30);
  }
  return scenario;
}

TEST_P(SameTrace, EngineThatNeedsTime) {
  const auto expect_with_engine = [&](const std::function<Scenario(std::uint64_t)>& generate) {
    expect_the_same(first(), systems / 2,
                    [&](std::uint64_t seed) { return with_engine_time(generate(seed), seed); });
  };
  expect_with_engine(mixed_scenario);
  expect_with_engine(strategy_scenario);
  expect_with_engine(federated_scenario);
  for (const std::string_view strategy : by_node_strategies) {
    expect_with_engine([&](std::uint64_t seed) { return by_node_scenario_under(strategy, seed); });
  }
}

TEST_P(SameTrace, ResidentTasks) {
  expect_the_same(first(), systems / 2, [](std::uint64_t seed) {
    Scenario scenario = with_resident_tasks(federated_scenario(seed), seed);
    return seed % 2 == 0 ? with_engine_time(std::move(scenario), seed) : scenario;
  });
}

/// Nodes with releases of their own, jobs that overlap, edges to later jobs, and in a third of them an engine
/// that needs time. With four shards 500 systems of each order.
TEST_P(SameTrace, Graphs) {
  for (const Order order : {Order::edf, Order::fair_lateness}) {
    expect_the_same(first(), systems / 2, [&](std::uint64_t seed) {
      falsify::Dice dice{seed, 0};
      Scenario scenario;
      scenario.system = falsify::random_system(
          {.strategy = "graph", .order = order, .dispatch = false, .best_effort = false}, dice);
      scenario.options.seed = seed;
      scenario.options.execution = seed % 2 == 0 ? Execution::worst : Execution::random;
      scenario.options.horizon = std::chrono::microseconds{200};
      scenario.options.max_pending = 64;
      return seed % 3 == 0 ? with_engine_time(std::move(scenario), seed) : scenario;
    });
  }
}

/// Few jobs of a task at once: of those beyond, the same ones are turned away.
TEST_P(SameTrace, MaxJobs) {
  const auto expect_with_limits = [&](const std::function<Scenario(std::uint64_t)>& generate) {
    expect_the_same(first(), systems / 2, [&](std::uint64_t seed) {
      Scenario scenario = with_max_jobs(generate(seed), seed);
      return seed % 4 == 0 ? with_engine_time(std::move(scenario), seed) : scenario;
    });
  };
  expect_with_limits(mixed_scenario);
  expect_with_limits(strategy_scenario);
  expect_with_limits(federated_scenario);
  for (const std::string_view strategy : by_node_strategies) {
    expect_with_limits([&](std::uint64_t seed) { return by_node_scenario_under(strategy, seed); });
  }
  expect_the_same(first(), systems / 2, [](std::uint64_t seed) {
    falsify::Dice dice{seed, 0};
    Scenario scenario;
    scenario.system = falsify::random_system(
        {.strategy = "graph", .order = Order::edf, .dispatch = false, .best_effort = false}, dice);
    scenario.options.seed = seed;
    scenario.options.execution = Execution::random;
    scenario.options.horizon = std::chrono::microseconds{200};
    scenario.options.max_pending = 64;
    return with_max_jobs(std::move(scenario), seed);
  });
}

INSTANTIATE_TEST_SUITE_P(Shard, SameTrace, testing::Range<std::uint64_t>(0, 4));

}  // namespace
}  // namespace tactus::test
