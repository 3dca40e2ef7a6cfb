// A budget is used by nobody's time but one's own: when a job is said to have used it up, something of the
// job really ran for that long.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "support/by_node_systems.hpp"
#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/federated_systems.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "support/recording.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/runtime/executive.hpp"

namespace tactus::test {
namespace {

/// Scenarios without delays between the device and who watches it: these are charged, as documented.
Scenario with_budgets(Scenario scenario, std::uint64_t seed) {
  Dice dice{seed ^ 0xb5d9e7U};
  Overheads& overheads = scenario.system.platform.overheads;
  overheads.completion = overheads.launch = Duration{};
  for (Task& task : scenario.system.tasks) {
    if (dice.percent(70)) task.budget = dice.duration(1, 25);
    task.on_overrun =
        dice.pick({OnOverrun::proceed, OnOverrun::skip_next, OnOverrun::abort, OnOverrun::demote});
  }
  scenario.options.horizon =
      std::min(scenario.options.horizon.value_or(nanoseconds(1000)), nanoseconds(3000));
  return scenario;
}

/// For how long up to an instant segments of the job ran; those that run side by side count each.
Duration time_served(const Recording& recording, trace::JobName job, Time until) {
  std::vector<std::tuple<std::uint32_t, Time, Time>> spans;  // by segment
  const auto add = [&](const auto& events) {
    for (const auto& event : events) {
      if (event.job == job && event.start < until)
        spans.emplace_back(event.segment, event.start, std::min(event.end, until));
    }
  };
  add(recording.blocks);
  add(recording.copies);
  add(recording.cpus);
  std::sort(spans.begin(), spans.end());
  Duration served{};
  Time covered = origin;
  std::uint32_t last = 0;
  for (const auto& [segment, start, end] : spans) {
    if (std::exchange(last, segment) != segment) covered = origin;
    if (end <= covered) continue;
    served += end - std::max(start, covered);
    covered = end;
  }
  return served;
}

/// Whether the horizon cut the job off: what was running then may not be told.
bool was_cut_off(const Recording& recording, trace::JobName job) {
  return std::any_of(recording.ends.begin(), recording.ends.end(), [&](const trace::JobEnded& end) {
    return end.job == job && end.completion == never && end.fate == trace::Fate::ran;
  });
}

/// Answers how many jobs used up their budgets and were looked at.
std::size_t expect_own_time(const Scenario& scenario, std::uint64_t seed) {
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  device::SimDevice device;
  std::vector<runtime::Incident> overruns;
  runtime::ExecutiveOptions options;
  options.horizon = scenario.options.horizon;
  options.seed = scenario.options.seed;
  options.execution = scenario.options.execution;
  options.max_pending = *scenario.options.max_pending;
  options.plays_overheads = true;
  options.on_overrun = [&](const runtime::Incident& overrun) { overruns.push_back(overrun); };
  runtime::Executive{scenario.system, device, options, observers}.run();
  std::size_t looked_at = 0;
  for (const runtime::Incident& overrun : overruns) {
    if (was_cut_off(recorder.recording, overrun.job)) continue;
    ++looked_at;
    const Duration budget = *scenario.system.tasks[overrun.job.task].budget;
    EXPECT_GE(time_served(recorder.recording, overrun.job, overrun.now), budget)
        << "seed " << seed << ": task " << overrun.job.task << " job " << overrun.job.number << " at "
        << in_ns(overrun.now) << "\n"
        << describe(scenario) << to_text(recorder.recording);
  }
  return looked_at;
}

/// One job of 10 ns on the CPU, to which the machine adds 5: how many used up such a budget.
std::size_t overruns_with(Duration budget) {
  System system;
  system.name = "cpu";
  system.platform.overheads.cpu = Duration{5};
  system.policy = {.strategy = strategy_named("federated"), .order = Order::fp, .reservations = {}};
  Task& task = system.tasks.emplace_back();
  task.name = "only";
  task.arrival = Arrival::once;
  task.deadline = Duration{100};
  task.budget = budget;
  task.on_overrun = OnOverrun::proceed;
  task.work.nodes.push_back({.name = {}, .segment = CpuSegment{Interval::exactly(Duration{10})}});
  device::SimDevice device;
  std::size_t overruns = 0;
  runtime::ExecutiveOptions options;
  options.horizon = Duration{100};
  options.plays_overheads = true;
  options.on_overrun = [&](const runtime::Incident& /*overrun*/) { ++overruns; };
  runtime::Executive{system, device, options, {}}.run();
  return overruns;
}

TEST(Budgets, WhatTheMachineAddsToACpuSegmentIsFree) {
  EXPECT_EQ(overruns_with(Duration{10}), 0U);
  EXPECT_EQ(overruns_with(Duration{9}), 1U);
}

class OwnBudget : public testing::TestWithParam<std::uint64_t> {
 protected:
  template <class Generate>
  void expect_of_all(Generate generate) {
    constexpr std::uint64_t systems = tries(3000);
    std::size_t overruns = 0;
    const std::uint64_t first = first_seed() + GetParam() * systems;
    for (std::uint64_t seed = first; seed < first + systems && !HasFailure(); ++seed) {
      overruns += expect_own_time(with_budgets(generate(seed), seed), seed);
    }
    EXPECT_GT(overruns, systems / 4);
  }
};

TEST_P(OwnBudget, AsSubmitted) { expect_of_all(mixed_scenario); }
TEST_P(OwnBudget, StreamsAndCores) { expect_of_all(strategy_scenario); }
TEST_P(OwnBudget, Federated) { expect_of_all(federated_scenario); }
TEST_P(OwnBudget, ByNode) { expect_of_all(by_node_scenario); }

INSTANTIATE_TEST_SUITE_P(Shard, OwnBudget, testing::Range<std::uint64_t>(0, 2));

}  // namespace
}  // namespace tactus::test
