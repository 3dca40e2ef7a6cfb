// What bounds a simulation: interruption, overload, and observers that have had enough.
#include <gtest/gtest.h>

#include <atomic>

#include "tactus/base/error.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/sim/horizon.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::sim {
namespace {

Task kernel_task(std::int64_t blocks, std::int64_t block_time) {
  Task task;
  task.name = "kernel";
  task.arrival = Arrival::once;
  KernelSegment kernel;
  kernel.grid = {blocks, 1, 1};
  kernel.block = 512;
  kernel.block_time = Interval::exactly(nanoseconds(block_time));
  task.work.nodes.push_back({"", kernel});
  return task;
}

Task periodic(Task task, std::int64_t period) {
  task.arrival = Arrival::periodic;
  task.period = task.deadline = nanoseconds(period);
  return task;
}

template <class... Tasks>
System tx2(Tasks... tasks) {
  System system;
  system.name = "limits";
  system.platform = *find_preset("jetson-tx2");
  (system.tasks.push_back(std::move(tasks)), ...);
  return system;
}

struct Counter : trace::Observer {
  using Observer::on;
  std::uint64_t max_blocks = ~std::uint64_t{0};
  std::uint64_t blocks = 0;
  std::uint64_t ends = 0;
  std::uint64_t misses = 0;
  Time last_completion{};

  [[nodiscard]] trace::Interests interests() const override {
    return {.blocks = blocks < max_blocks, .ends = true};
  }
  void on(const trace::BlockRan& /*event*/) override { ++blocks; }
  void on(const trace::JobEnded& event) override {
    ++ends;
    misses += event.missed ? 1 : 0;
    if (event.completion != never) last_completion = std::max(last_completion, event.completion);
  }
};

Outcome run(const System& system, SimulationOptions options, Counter& counter) {
  trace::Observer* observers[] = {&counter};
  return simulate(system, options, observers);
}

TEST(Limits, AnObserverThatLosesInterestInBlocksMakesABillionOfThemCheapAgain) {
  const System system = tx2(kernel_task(1'000'000'000, 7));
  Counter counter;
  counter.max_blocks = 5000;
  run(system, {}, counter);
  EXPECT_GE(counter.blocks, 5000U);
  EXPECT_LT(counter.blocks, 10'000U);
  EXPECT_EQ(counter.last_completion, time_at(nanoseconds(7 * 125'000'000)));
}

TEST(Limits, AStopEndsTheSimulationAndKeepsWhatIsKnown) {
  const System system = tx2(periodic(kernel_task(1, 10), 100));
  const std::atomic<bool> stop{true};
  SimulationOptions options;
  options.horizon = nanoseconds(1'000'000'000'000);
  options.watch.stop = &stop;
  Counter counter;
  counter.max_blocks = 0;
  const Outcome outcome = run(system, options, counter);
  EXPECT_EQ(outcome.ending, SimulationEnd::interrupted);
  EXPECT_LT(outcome.reached, outcome.horizon);
  EXPECT_GT(outcome.completed, 0U);
  EXPECT_EQ(outcome.released, outcome.completed + outcome.pending);
  EXPECT_EQ(counter.ends, outcome.released);
}

TEST(Limits, AStopIsSeenAlsoWhileTheDeviceWorksAlone) {
  const System system = tx2(kernel_task(1'000'000'000, 7));
  const std::atomic<bool> stop{true};
  SimulationOptions options;
  options.watch.stop = &stop;
  Counter counter;  // every block is told, so no wave is skipped
  const Outcome outcome = run(system, options, counter);
  EXPECT_EQ(outcome.ending, SimulationEnd::interrupted);
  EXPECT_EQ(outcome.pending, 1U);
  EXPECT_LT(counter.blocks, 1'000'000U);
}

TEST(Limits, OverloadReachesItsHorizonWithFewRowsAndCountsEveryJob) {
  // A job takes 1000 ns, one comes every ns: a thousand times too many.
  const System system = tx2(periodic(kernel_task(8, 1000), 1));
  SimulationOptions options;
  options.horizon = nanoseconds(1'000'000);
  options.max_pending = 2000;
  Counter counter;
  counter.max_blocks = 0;
  const Outcome outcome = run(system, options, counter);
  EXPECT_EQ(outcome.ending, SimulationEnd::horizon);
  EXPECT_EQ(outcome.released, 1'000'000U);
  EXPECT_EQ(outcome.completed, 1000U);
  EXPECT_EQ(outcome.pending, 999'000U);
  EXPECT_EQ(counter.ends, 1'000'000U);
  // Every job has 1 ns and takes 1000.
  EXPECT_EQ(counter.misses, 1'000'000U);
}

TEST(Limits, OverloadThatDrainsTooFarStopsWhereItIsNoLongerKnown) {
  const System system = tx2(periodic(kernel_task(8, 1000), 1));
  SimulationOptions options;
  options.horizon = nanoseconds(1'000'000);
  options.max_pending = 100;
  Counter counter;
  counter.max_blocks = 0;
  const Outcome outcome = run(system, options, counter);
  EXPECT_EQ(outcome.ending, SimulationEnd::too_many_jobs);
  EXPECT_LT(outcome.reached, outcome.horizon);
  EXPECT_EQ(outcome.released, outcome.completed + outcome.pending);
}

TEST(Limits, ATimeThatLeaves64BitsIsSaidNotTakenForTheEnd) {
  System system = tx2(kernel_task(1, 10));
  system.tasks[0].offset = Duration::max() - nanoseconds(5);
  system.tasks[0].jitter = nanoseconds(100);
  system.tasks[0].deadline = nanoseconds(1);
  Counter counter;
  EXPECT_THROW(run(system, {}, counter), OverflowError);
  system.tasks[0].offset = Duration{};
  system.platform.overheads.launch = Duration::max();
  EXPECT_THROW(run(system, {}, counter), OverflowError);
}

TEST(Horizon, IsShortWhenBestEffortJobsWouldFillIt) {
  System system = tx2(periodic(kernel_task(1, 1), 1'000'000'000'000), kernel_task(1, 1));
  system.tasks[1].arrival = Arrival::best_effort;
  EXPECT_EQ(default_horizon(system), time_at(nanoseconds(1'000'000))) << "1,000,000 of them";
}

TEST(Horizon, IsTwoHyperperiodsAfterTheLargestOffset) {
  System system = tx2(periodic(kernel_task(1, 1), 6), periodic(kernel_task(1, 1), 10));
  system.tasks[1].offset = nanoseconds(7);
  EXPECT_EQ(default_horizon(system), time_at(nanoseconds(67)));
}

TEST(Horizon, OfOnceOnlySystemsIsTheirLastCompletion) {
  const System system = tx2(kernel_task(9, 5));
  EXPECT_EQ(default_horizon(system), never);
  Counter counter;
  EXPECT_EQ(run(system, {}, counter).horizon, time_at(nanoseconds(10)));
}

TEST(Horizon, IsAskedForWhenThereIsNoAffordableOne) {
  System best_effort = tx2(kernel_task(1, 1));
  best_effort.tasks[0].arrival = Arrival::best_effort;
  EXPECT_THROW(default_horizon(best_effort), InputError);
  System late = tx2(periodic(kernel_task(1, 1), 997), periodic(kernel_task(1, 1), 10'000'000'019));
  late.tasks[1].offset = std::chrono::seconds{100};
  EXPECT_THROW(default_horizon(late), InputError) << "100,300,902 jobs before it comes";
}

void expect_horizon(const System& system, Duration end, HorizonReason reason) {
  const Horizon horizon = choose_horizon(system);
  EXPECT_EQ(horizon.end, time_at(end));
  EXPECT_EQ(to_string(horizon.reason), to_string(reason));
}

TEST(Horizon, CountsWindowsIn) {
  // The task and the windows are in phase again after 325us, and only its fifth job is late.
  const System system = *read_system(R"(
tactus: 1
platform: jetson-tx2
policy: {strategy: sm-cores, order: edf, reservations: {period: 13us, local: {offset: 5us, budget: 7us}}}
tasks: [{name: a, period: 25us, deadline: 24us, offset: 16us, sm: 0, longest_block: 0, exclusive: 13us}]
)",
                                     "windows.yaml")
                             .system;
  expect_horizon(system, std::chrono::microseconds{16 + 2 * 325}, HorizonReason::hyperperiods);
}

TEST(Horizon, OfRatesThatDoNotDivideASecondIsTwoOfTheirCycles) {
  constexpr std::int64_t hz_30 = 33'333'333;
  constexpr std::int64_t hz_60 = 16'666'666;
  const auto beside_30 = [](std::int64_t period) {
    return tx2(periodic(kernel_task(1, 1), hz_30), periodic(kernel_task(1, 1), period));
  };
  expect_horizon(beside_30(hz_60), nanoseconds(66'666'668), HorizonReason::rates);       // 1/30 s, rounded up
  expect_horizon(beside_30(5'000'000), nanoseconds(200'000'000), HorizonReason::rates);  // 200 Hz
  expect_horizon(beside_30(100'000'000), nanoseconds(200'000'000), HorizonReason::rates);    // 10 Hz
  expect_horizon(beside_30(33'366'700), nanoseconds(66'666'666'668), HorizonReason::rates);  // 29.97 Hz
  System late = beside_30(hz_60);
  late.tasks[1].offset = nanoseconds(1'000);
  expect_horizon(late, nanoseconds(66'667'668), HorizonReason::rates);
}

TEST(Horizon, FallsBackToSomeJobsOfEveryTask) {
  // Neither periods nor rates come together within reach.
  expect_horizon(tx2(periodic(kernel_task(1, 1), 999'983), periodic(kernel_task(1, 1), 1'000'003),
                     periodic(kernel_task(1, 1), 1'000'033)),
                 nanoseconds(1'000'033'000), HorizonReason::fallback);  // 1,000 jobs of the slowest
  expect_horizon(tx2(periodic(kernel_task(1, 1), 99'999'989), periodic(kernel_task(1, 1), 99'999'971),
                     periodic(kernel_task(1, 1), 99'999'959)),
                 std::chrono::seconds{10}, HorizonReason::fallback);
  expect_horizon(tx2(periodic(kernel_task(1, 1), 999'983), periodic(kernel_task(1, 1), 10'000'000'019)),
                 nanoseconds(40'000'000'076), HorizonReason::fallback);  // four jobs of the slowest
  expect_horizon(tx2(periodic(kernel_task(1, 1), 997), periodic(kernel_task(1, 1), 99'999'989)),
                 nanoseconds(899'999'901), HorizonReason::fallback);  // up to 1,000,000 jobs in all
  const System one_year = tx2(periodic(kernel_task(1, 1), 4'611'686'018'427'387'847),
                              periodic(kernel_task(1, 1), 4'611'686'018'427'387'803));
  expect_horizon(one_year, std::chrono::seconds{10}, HorizonReason::fallback);  // its cycle is beyond 64 bits
  // Four periods of the slow one are 40,000,000 jobs of the fast one.
  expect_horizon(tx2(periodic(kernel_task(1, 1), 997), periodic(kernel_task(1, 1), 10'000'000'019)),
                 nanoseconds(997'000'026), HorizonReason::fallback);
}

TEST(Horizon, ReleasesBeforeItHappenAndCompletionsAtItCount) {
  const System system = tx2(periodic(kernel_task(1, 10), 10));
  SimulationOptions options;
  options.horizon = nanoseconds(30);
  Counter counter;
  const Outcome outcome = run(system, options, counter);
  EXPECT_EQ(outcome.released, 3U);
  EXPECT_EQ(outcome.completed, 3U);
  EXPECT_EQ(counter.misses, 0U);
}

}  // namespace
}  // namespace tactus::sim
