// Where a strategy must equal something simpler: one level is a single stream, a window that covers its
// period is none, and preemption anywhere on one SM is a textbook uniprocessor.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "support/dice.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "support/recording.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {
namespace {

Recording record(const Scenario& scenario) {
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::simulate(scenario.system, scenario.options, observers);
  sort_events(recorder.recording);
  return recorder.recording;
}

TEST(DegenerateStrategies, OneLevelIsASingleStream) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 2000; ++seed) {
    Scenario one_level = strategy_scenario(seed);
    one_level.system.policy.strategy = strategy_named("multi-stream");
    one_level.system.policy.levels = 1;
    Scenario single = one_level;
    single.system.policy.strategy = strategy_named("single-stream");
    single.system.policy.levels = single.system.platform.gpu.priority_levels;
    const auto found = difference(record(one_level), record(single), "one level", "single stream");
    ASSERT_FALSE(found) << "seed " << seed << "\n" << describe(single) << *found;
  }
}

TEST(DegenerateStrategies, AWindowThatCoversItsPeriodIsNone) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 2000; ++seed) {
    Scenario scenario = strategy_scenario(seed);
    Policy& policy = scenario.system.policy;
    policy.strategy = strategy_named("sm-cores");
    const auto with_window = [&](std::int64_t period, std::int64_t budget) {
      const Window window{Duration{}, Duration{budget}};
      policy.reservations = Reservations{.period = Duration{period}, .local = {}, .all = {}};
      (seed % 2 == 0 ? policy.reservations->local : policy.reservations->all) = window;
      EXPECT_TRUE(validate(scenario.system).empty());
      return record(scenario);
    };
    const std::int64_t period = 1 + static_cast<std::int64_t>(seed % 9);
    const Recording covered = with_window(period, period);
    // One that ends only behind the horizon.
    const auto found = difference(covered, with_window(2'000'000, 1'000'000), "covered", "open");
    ASSERT_FALSE(found) << "seed " << seed << "\n" << describe(scenario) << *found;
  }
}

/// Periodic and single jobs of exclusive work that can be stopped anywhere, as whole numbers.
Scenario ideal_scenario(std::uint64_t seed) {
  Dice dice{seed};
  Scenario scenario;
  System& system = scenario.system;
  system.name = "ideal " + std::to_string(seed);
  system.platform.gpu.priority_levels = 4;
  system.policy.levels = 4;
  system.policy.order = dice.pick({Order::edf, Order::fp});
  system.policy.refill = dice.pick({Refill::lazy, Refill::immediate});
  // No more tasks than levels, so that there is always one left.
  const std::int64_t tasks = dice.between(1, 4);
  const std::int64_t longest = dice.pick({2, 4, 8});
  for (std::int64_t i = 0; i < tasks; ++i) {
    Task task;
    task.name = "task" + std::to_string(i);
    task.offset = dice.duration(0, dice.pick({0, 6}));
    task.arrival = dice.pick({Arrival::periodic, Arrival::periodic, Arrival::once});
    if (repeats(task)) task.period = dice.duration(2, 16);
    task.deadline = dice.duration(1, 20);
    task.longest_block = Duration{};
    task.sm = {.kind = SmAffinity::Kind::one, .core = 0};
    task.work.nodes.push_back(
        {.name = "", .segment = ExclusiveSegment{Interval::exactly(dice.duration(1, longest))}});
    system.tasks.push_back(std::move(task));
  }
  scenario.options.horizon = dice.duration(20, 120);
  return scenario;
}

/// The completion of every job that completes, in the order of jobs.
std::vector<std::tuple<trace::JobName, Time>> completions(const Recording& recording) {
  std::vector<std::tuple<trace::JobName, Time>> result;
  for (const trace::JobEnded& end : recording.ends) {
    if (end.completion != never) result.emplace_back(end.job, end.completion);
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// A processor that gives every unit of time to the best job there is, inside the window.
std::vector<std::tuple<trace::JobName, Time>> unit_steps(const Scenario& scenario,
                                                         const std::optional<Window>& window) {
  struct Job {
    trace::JobName name;
    std::int64_t release = 0;
    std::int64_t deadline = 0;
    std::int64_t left = 0;
    bool began = false;
    std::size_t rank = 0;
  };
  const System& system = scenario.system;
  const std::int64_t horizon = in_ns(*scenario.options.horizon);
  const std::vector<TaskIndex> order = urgency_order(system);
  std::vector<Job> jobs;
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    const Task& task = system.tasks[index];
    const auto rank = static_cast<std::size_t>(std::find(order.begin(), order.end(), index) - order.begin());
    std::uint64_t number = 0;
    for (std::int64_t release = in_ns(task.offset); release < horizon; release += in_ns(*task.period)) {
      jobs.push_back({.name = {.task = index, .number = number++},
                      .release = release,
                      .deadline = release + in_ns(*task.deadline),
                      .left = in_ns(drawn_time(task.work.nodes.front().segment).worst),
                      .rank = rank});
      if (!task.period) break;
    }
  }
  const bool edf = system.policy.order == Order::edf;
  const auto key = [&](const Job& job) {
    return std::tuple{edf ? job.deadline : 0, edf && !job.began, job.rank, job.name.number};
  };
  std::vector<std::tuple<trace::JobName, Time>> result;
  for (std::int64_t now = 0; now < horizon; ++now) {
    if (window) {
      const std::int64_t phase = now % in_ns(system.policy.reservations->period);
      if (phase < in_ns(window->offset) || phase >= in_ns(window->offset + window->budget)) continue;
    }
    Job* best = nullptr;
    for (Job& job : jobs) {
      if (job.release > now || job.left == 0) continue;
      if (best == nullptr || key(job) < key(*best)) best = &job;
    }
    if (best == nullptr) continue;
    best->began = true;
    if (--best->left == 0) result.emplace_back(best->name, time_at(Duration{now + 1}));
  }
  std::sort(result.begin(), result.end());
  return result;
}

TEST(DegenerateStrategies, StreamsEnoughForAllAndPreemptionAnywhereIsATextbookProcessor) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 2000; ++seed) {
    Scenario scenario = ideal_scenario(seed);
    scenario.system.policy.strategy = strategy_named("multi-stream");
    ASSERT_TRUE(validate(scenario.system).empty()) << describe(scenario);
    ASSERT_EQ(completions(record(scenario)), unit_steps(scenario, std::nullopt)) << describe(scenario);
  }
}

TEST(DegenerateStrategies, OneCoreAndPreemptionAnywhereIsATextbookProcessorInItsWindows) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 2000; ++seed) {
    Scenario scenario = ideal_scenario(seed);
    Dice dice{seed ^ 0x55U};
    Policy& policy = scenario.system.policy;
    policy.strategy = strategy_named("sm-cores");
    Window window;
    window.budget = dice.duration(1, 9);
    window.offset = dice.duration(0, 4);
    const Duration behind = dice.duration(0, 4);
    policy.reservations =
        Reservations{.period = window.offset + window.budget + behind, .local = window, .all = {}};
    ASSERT_TRUE(validate(scenario.system).empty()) << describe(scenario);
    ASSERT_EQ(completions(record(scenario)), unit_steps(scenario, window)) << describe(scenario);
  }
}

}  // namespace
}  // namespace tactus::test
