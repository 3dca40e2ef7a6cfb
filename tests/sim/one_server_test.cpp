// The short path of the simulator says the same as the full engine.
#include "tactus/sim/one_server.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/event_log.hpp"
#include "support/host_run.hpp"
#include "tactus/model/strategy.hpp"

namespace tactus::sim {
namespace {

using namespace std::chrono_literals;
using test::Dice;

/// Releases and ends. Who asks for operations as well gets the full engine.
class Ends final : public trace::Observer {
 public:
  using Observer::on;
  explicit Ends(bool asks_for_operations) : asks_for_operations_{asks_for_operations} {}
  [[nodiscard]] trace::Interests interests() const override {
    return {.releases = true, .operations = asks_for_operations_, .ends = true};
  }
  void on(const trace::JobReleased& event) override { log.on(event); }
  void on(const trace::JobEnded& event) override {
    log.on(event);
    if (event.missed) ++misses;
  }

  test::EventLog log;
  std::uint64_t misses = 0;

 private:
  bool asks_for_operations_;
};

Interval any_time(Dice& dice) {
  const Duration worst = dice.duration(1, 40);
  return {dice.percent(50) ? worst : dice.duration(1, worst.count()), worst};
}

System any_system(Dice& dice) {
  System system = test::small_host_system();
  const bool first_come = dice.percent(40);
  system.policy.strategy = strategy_named(first_come ? "as-submitted" : "single-stream");
  system.policy.order = dice.pick({Order::edf, Order::fp});
  const std::int64_t tasks = dice.between(1, 8);
  for (std::int64_t i = 0; i < tasks; ++i) {
    const Interval time = any_time(dice);
    const Segment segment =
        first_come || dice.percent(60)
            ? Segment{ExclusiveSegment{time}}
            : Segment{KernelSegment{.grid = {dice.between(1, 9), 1, 1}, .block = 32, .block_time = time}};
    Task& task = test::add_task(system, "t" + std::to_string(i), {segment});
    task.arrival = dice.pick({Arrival::periodic, Arrival::periodic, Arrival::sporadic, Arrival::once});
    task.offset = dice.percent(50) ? Duration{} : dice.duration(0, 100);
    if (dice.percent(30)) task.longest_block = dice.duration(0, 10);
    if (dice.percent(30)) task.priority = dice.between(0, 3);
    if (task.arrival == Arrival::once) {
      if (dice.percent(50)) task.deadline = dice.duration(1, 200);
      continue;
    }
    task.period = dice.percent(50) ? dice.duration(20, 400) : Duration{dice.between(2, 8) * 40};
    task.deadline = dice.percent(50) ? *task.period : dice.duration(1, 2 * task.period->count());
  }
  return system;
}

TEST(OneServer, TellsWhatTheFullEngineTells) {
  int taken = 0;
  std::uint64_t completed = 0;
  std::uint64_t missed = 0;
  for (std::uint64_t seed = 0; seed < test::tries(20000U); ++seed) {
    Dice dice{seed};
    const System system = any_system(dice);
    SimulationOptions options;
    options.seed = seed;
    options.execution = dice.pick({Execution::worst, Execution::best, Execution::random});
    options.horizon = dice.duration(0, dice.percent(90) ? 3000 : 30000);
    Ends of_short_path{false};
    Ends of_engine{true};
    const std::array<trace::Observer*, 1> observers{&of_short_path};
    trace::Fanout fanout{observers};
    const std::optional<Outcome> outcome = simulate_one_server(system, options, fanout);
    if (!outcome) continue;
    ++taken;
    const std::array<trace::Observer*, 1> engine_observers{&of_engine};
    const Outcome expected = simulate(system, options, engine_observers);
    ASSERT_EQ(first_difference(of_short_path.log, of_engine.log).value_or("none"), "none") << "seed " << seed;
    EXPECT_EQ(outcome->horizon, expected.horizon);
    EXPECT_EQ(outcome->reached, expected.reached);
    EXPECT_EQ(outcome->released, expected.released);
    EXPECT_EQ(outcome->completed, expected.completed);
    EXPECT_EQ(outcome->pending, expected.pending);
    EXPECT_EQ(outcome->ending, expected.ending);
    if (HasFailure()) FAIL() << "seed " << seed;
    completed += outcome->completed;
    missed += of_engine.misses;
  }
  EXPECT_GT(taken, test::tries(8000));
  EXPECT_GT(completed, test::tries(200'000U));
  EXPECT_GT(missed, test::tries(1000U));
}

System two_tasks() {
  System system = test::small_host_system();
  system.policy.strategy = strategy_named("single-stream");
  for (const char* name : {"a", "b"}) {
    Task& task = test::add_task(system, name, {test::host_exclusive(1ms)});
    task.arrival = Arrival::periodic;
    task.period = task.deadline = 10ms;
  }
  return system;
}

bool takes_short_path(const System& system, const SimulationOptions& options = {}) {
  Ends ends{false};
  const std::array<trace::Observer*, 1> observers{&ends};
  trace::Fanout fanout{observers};
  return simulate_one_server(system, options, fanout).has_value();
}

TEST(OneServer, LeavesEverythingElseToTheEngine) {
  EXPECT_TRUE(takes_short_path(two_tasks()));
  const auto after = [](auto change) {
    System system = two_tasks();
    change(system);
    return takes_short_path(system);
  };
  EXPECT_FALSE(after([](System& s) { s.platform.overheads.launch = 1us; }));
  EXPECT_FALSE(after([](System& s) { s.platform.overheads.completion = 1us; }));
  EXPECT_FALSE(after([](System& s) { s.platform.overheads.release = 1us; }));
  EXPECT_FALSE(after([](System& s) { s.tasks[0].jitter = 1us; }));
  EXPECT_FALSE(after([](System& s) { s.policy.strategy = strategy_named("multi-stream"); }));
  EXPECT_FALSE(after([](System& s) { s.tasks[0].work.nodes.push_back(s.tasks[0].work.nodes[0]); }));
  EXPECT_FALSE(after([](System& s) { s.tasks[0].work.nodes[0].segment = test::host_copy(1ms); }));
  EXPECT_FALSE(after([](System& s) { s.tasks[0].arrival = Arrival::best_effort; }));
  EXPECT_FALSE(after([](System& s) { s.tasks[0].period = 1ms; })) << "more work than time: jobs pile up";
  EXPECT_FALSE(after([](System& s) {
    s.tasks[0].work.nodes[0].segment = ExclusiveSegment{{1ns, 9ms}};
  })) << "millions of jobs could wait";
  EXPECT_FALSE(after([](System& s) {
    s.policy.strategy = strategy_named("as-submitted");
    s.tasks[0].stream = "shared";
  }));
  EXPECT_FALSE(after([](System& s) {
    s.policy.strategy = strategy_named("as-submitted");
    s.tasks[0].work.nodes[0].segment = test::host_kernel(1, 1ms);
  })) << "kernels may run side by side";
  SimulationOptions few;
  few.max_pending = 3;
  EXPECT_FALSE(takes_short_path(two_tasks(), few));
  Ends with_operations{true};
  const std::array<trace::Observer*, 1> observers{&with_operations};
  trace::Fanout fanout{observers};
  EXPECT_FALSE(simulate_one_server(two_tasks(), {}, fanout));
}

}  // namespace
}  // namespace tactus::sim
