// The strategy `federated` in the simulator gives, event by event, what its plain reference gives: block by
// block, and in bulk.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/federated_systems.hpp"
#include "support/first_seed.hpp"
#include "support/plain_federated.hpp"
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
  PlainResult expected = simulate_federated_plainly(scenario.system, scenario.options);
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

/// What both know for certain where the simulation ended early: all that was over before that instant.
void cut_at(Recording& recording, Time reached) {
  std::erase_if(recording.releases, [&](const auto& e) { return e.release >= reached; });
  std::erase_if(recording.blocks, [&](const auto& e) { return e.end >= reached; });
  std::erase_if(recording.copies, [&](const auto& e) { return e.end >= reached; });
  std::erase_if(recording.cpus, [&](const auto& e) { return e.end >= reached; });
  std::erase_if(recording.operations, [&](const auto& e) { return e.end >= reached; });
  std::erase_if(recording.ends, [&](const auto& e) { return e.completion >= reached; });
}

/// With few jobs pending at once the simulator ends where there is no room for one more. Up to there nothing
/// may differ, and what it counts fits what it told.
std::optional<std::string> mismatch_with_few_pending(const Scenario& scenario) try {
  PlainResult expected = simulate_federated_plainly(scenario.system, scenario.options);
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  const sim::Outcome outcome = sim::simulate(scenario.system, scenario.options, observers);
  if (outcome.released != recorder.recording.releases.size() ||
      outcome.released != outcome.completed + outcome.pending ||
      outcome.released != recorder.recording.ends.size()) {
    return "counters that do not fit: " + counters(outcome.released, outcome.completed, outcome.pending);
  }
  if (outcome.ending == sim::Ending::too_many_jobs) {
    cut_at(expected.events, outcome.reached);
    cut_at(recorder.recording, outcome.reached);
  }
  sort_events(expected.events);
  sort_events(recorder.recording);
  if (auto found = difference(expected.events, recorder.recording, "reference", "simulator")) {
    return "known up to " + std::to_string(count(outcome.reached)) + ":\n" + *found;
  }
  return std::nullopt;
} catch (const std::exception& error) {
  return std::string{"an exception: "} + error.what() + "\n";
}

using Mismatch = std::optional<std::string> (*)(const Scenario&);

void expect_no_mismatch(std::uint64_t first, std::uint64_t number,
                        const std::function<Scenario(std::uint64_t)>& generate, Mismatch mismatch_of) {
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const Scenario scenario = generate(seed);
    const std::vector<Finding> findings = validate(scenario.system);
    ASSERT_TRUE(findings.empty()) << "seed " << seed << ": " << findings.front().path << ": "
                                  << findings.front().message << "\n"
                                  << describe(scenario);
    if (!mismatch_of(scenario)) continue;
    const Scenario smallest = shrink(scenario, [&](const Scenario& s) { return mismatch_of(s).has_value(); });
    FAIL() << "seed " << seed << ", made as small as possible:\n"
           << describe(smallest) << *mismatch_of(smallest);
  }
}

// Shards, so that several can run at once.
class FederatedAgainstReference : public testing::TestWithParam<std::uint64_t> {};

TEST_P(FederatedAgainstReference, RandomSystems) {
  expect_no_mismatch(first_seed() + GetParam() * 1000, 1000, federated_scenario, mismatch);
}

TEST_P(FederatedAgainstReference, FewJobsPending) {
  const auto with_few_pending = [](std::uint64_t seed) {
    Scenario scenario = federated_scenario(seed);
    scenario.options.most_pending = static_cast<std::uint32_t>(1 + seed % 7);
    return scenario;
  };
  expect_no_mismatch(first_seed() + GetParam() * 300, 300, with_few_pending, mismatch_with_few_pending);
}

INSTANTIATE_TEST_SUITE_P(Shard, FederatedAgainstReference, testing::Range<std::uint64_t>(0, 10));

}  // namespace
}  // namespace tactus::test
