// The strategies in the simulator give, event by event, what their plain reference gives: block by block, and
// in bulk.
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "support/first_seed.hpp"
#include "support/plain_strategies.hpp"
#include "support/random_systems.hpp"
#include "support/recording.hpp"
#include "support/shrink.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {
namespace {

std::string counters(std::uint64_t released, std::uint64_t completed, std::uint64_t pending) {
  return std::to_string(released) + " released, " + std::to_string(completed) + " completed, " +
         std::to_string(pending) + " pending";
}

std::optional<std::string> mismatch_in_mode(const Scenario& scenario, const PlainResult& expected,
                                            Recorder::Blocks blocks) {
  Recorder recorder{blocks};
  const std::array<trace::Observer*, 1> observers{&recorder};
  const sim::Outcome outcome = sim::simulate(scenario.system, scenario.options, observers);
  sort_events(recorder.recording);
  if (auto found = difference(expected.events, recorder.recording, "reference", "simulator")) return found;
  const std::string left = counters(expected.released, expected.completed, expected.pending);
  const std::string right = counters(outcome.released, outcome.completed, outcome.pending);
  if (left != right) return "reference: " + left + "\nsimulator: " + right + "\n";
  if (outcome.ending != sim::Ending::horizon) return "the simulator did not reach the horizon\n";
  if (outcome.horizon != expected.horizon || outcome.reached != expected.horizon) {
    return "the simulator has another horizon than the reference\n";
  }
  return std::nullopt;
}

std::optional<std::string> mismatch(const Scenario& scenario) try {
  PlainResult expected = simulate_strategy_plainly(scenario.system, scenario.options);
  sort_events(expected.events);
  if (auto found = mismatch_in_mode(scenario, expected, Recorder::Blocks::wanted)) {
    return "block by block:\n" + *found;
  }
  expected.events.blocks.clear();
  if (auto found = mismatch_in_mode(scenario, expected, Recorder::Blocks::unwanted))
    return "in bulk:\n" + *found;
  return std::nullopt;
} catch (const std::exception& error) {
  return std::string{"an exception: "} + error.what() + "\n";
}

// Shards, so that several can run at once.
class StrategiesAgainstReference : public testing::TestWithParam<std::uint64_t> {};

TEST_P(StrategiesAgainstReference, RandomSystems) {
  constexpr std::uint64_t number = 2000;
  const std::uint64_t first = first_seed() + GetParam() * number;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const Scenario scenario = strategy_scenario(seed);
    const std::vector<Finding> findings = validate(scenario.system);
    ASSERT_TRUE(findings.empty()) << "seed " << seed << ": " << findings.front().path << ": "
                                  << findings.front().message << "\n"
                                  << describe(scenario);
    if (!mismatch(scenario)) continue;
    const Scenario smallest = shrink(scenario, [](const Scenario& s) { return mismatch(s).has_value(); });
    FAIL() << "seed " << seed << ", made as small as possible:\n"
           << describe(smallest) << *mismatch(smallest);
  }
}

INSTANTIATE_TEST_SUITE_P(Shard, StrategiesAgainstReference, testing::Range<std::uint64_t>(0, 10));

}  // namespace
}  // namespace tactus::test
