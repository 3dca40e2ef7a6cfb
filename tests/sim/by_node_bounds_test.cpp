// What the composed tests prove, held against schedules of the simulator, under every strategy.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "support/by_node_systems.hpp"
#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/recording.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {
namespace {

/// The longest response of each task in some schedules.
std::vector<Duration> longest_responses(const System& system, Dice& dice, int schedules) {
  std::vector<Duration> longest(system.tasks.size());
  for (int i = 0; i < schedules; ++i) {
    System played = system;
    for (Task& task : played.tasks) {
      if (task.arrival != Arrival::best_effort && dice.percent(70)) task.offset = dice.duration(0, 60);
    }
    Recorder recorder{Recorder::Blocks::unwanted};
    const std::array<trace::Observer*, 1> observers{&recorder};
    sim::SimulationOptions options;
    options.max_pending = enough_pending;
    options.horizon = nanoseconds(2000);
    options.seed = dice.bits();
    options.execution = dice.pick({Execution::worst, Execution::random, Execution::random});
    sim::simulate(played, options, observers);
    for (const trace::JobEnded& end : recorder.recording.ends) {
      if (end.completion == never) continue;
      longest[end.job.task] = std::max(longest[end.job.task], end.completion - end.release);
    }
  }
  return longest;
}

class ComposedBounds : public testing::TestWithParam<const char*> {};

TEST_P(ComposedBounds, HoldInEverySchedule) {
  std::map<std::string, int> judged;  // by strategy
  int attained = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(3000); ++seed) {
    Scenario scenario = by_node_scenario(seed);
    System& system = scenario.system;
    for (Task& task : system.tasks) task.jobs.clear();
    const analysis::Result result = run(*analysis::find(GetParam()), system);
    if (!result.applies()) continue;
    Dice dice{seed};
    const std::vector<Duration> longest = longest_responses(system, dice, 8);
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      if (!result.tasks[i].bound) continue;
      ++judged[std::string{system.policy.strategy->name}];
      attained += longest[i] == *result.tasks[i].bound ? 1 : 0;
      ASSERT_LE(longest[i], *result.tasks[i].bound) << "seed " << seed << ", " << system.tasks[i].name << "\n"
                                                    << describe(system);
    }
  }
  EXPECT_GE(judged.size(), 4U);
  EXPECT_GT(attained, 0);
  std::string text;
  for (const auto& [strategy, count] : judged) text += strategy + " " + std::to_string(count) + ", ";
  RecordProperty("judged", text);
  RecordProperty("attained", attained);
}

INSTANTIATE_TEST_SUITE_P(Registry, ComposedBounds,
                         testing::Values("chain-fp", "chain-edf", "plain-fp", "plain-edf"));

}  // namespace
}  // namespace tactus::test
