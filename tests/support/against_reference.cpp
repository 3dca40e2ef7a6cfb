#include "support/against_reference.hpp"

#include <array>
#include <exception>
#include <vector>

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
  if (outcome.ending != sim::SimulationEnd::horizon) return "the simulator did not reach the horizon\n";
  if (outcome.horizon != expected.horizon || outcome.reached != expected.horizon) {
    return "the simulator has another horizon than the reference\n";
  }
  return std::nullopt;
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

}  // namespace

std::optional<std::string> mismatch(const Scenario& scenario, Reference reference) try {
  PlainResult expected = reference(scenario.system, scenario.options);
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

std::optional<std::string> mismatch_with_few_pending(const Scenario& scenario, Reference reference) try {
  PlainResult expected = reference(scenario.system, scenario.options);
  for (const Recorder::Blocks blocks : {Recorder::Blocks::wanted, Recorder::Blocks::unwanted}) {
    Recorder recorder{blocks};
    const std::array<trace::Observer*, 1> observers{&recorder};
    const sim::Outcome outcome = sim::simulate(scenario.system, scenario.options, observers);
    if (outcome.released != recorder.recording.releases.size() ||
        outcome.released != outcome.completed + outcome.pending ||
        outcome.released != recorder.recording.ends.size()) {
      return "counters that do not fit: " + counters(outcome.released, outcome.completed, outcome.pending);
    }
    Recording known = expected.events;
    if (blocks == Recorder::Blocks::unwanted) known.blocks.clear();
    if (outcome.ending == sim::SimulationEnd::too_many_jobs) {
      cut_at(known, outcome.reached);
      cut_at(recorder.recording, outcome.reached);
    }
    sort_events(known);
    sort_events(recorder.recording);
    if (auto found = difference(known, recorder.recording, "reference", "simulator")) {
      return "known up to " + std::to_string(in_ns(outcome.reached)) + ":\n" + *found;
    }
  }
  return std::nullopt;
} catch (const std::exception& error) {
  return std::string{"an exception: "} + error.what() + "\n";
}

std::optional<std::string> find_mismatch(std::uint64_t first, std::uint64_t number,
                                         const std::function<Scenario(std::uint64_t)>& generate,
                                         Reference reference, Mismatch mismatch_of) {
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const Scenario scenario = generate(seed);
    const std::vector<Violation> violations = validate(scenario.system);
    const std::string name = "seed " + std::to_string(seed);
    if (!violations.empty()) {
      return name + ": " + violations.front().path + ": " + violations.front().message + "\n" +
             describe(scenario);
    }
    if (!mismatch_of(scenario, reference)) continue;
    const Scenario smallest =
        shrink(scenario, [&](const Scenario& s) { return mismatch_of(s, reference).has_value(); });
    return name + ", made as small as possible:\n" + describe(smallest) + *mismatch_of(smallest, reference);
  }
  return std::nullopt;
}

}  // namespace tactus::test
