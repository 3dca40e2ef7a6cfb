// The time that the engine itself needs: events are drained, then the most urgent submission is made.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "support/engine_examples.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::sim {
namespace {

using testing::ElementsAre;

/// Of the first job of each task.
std::vector<std::int64_t> responses(const System& system) {
  trace::Recorder recorder{{.keep = {.ends = true}}};
  const std::array<trace::Observer*, 1> observers{&recorder};
  SimulationOptions options;
  options.horizon = nanoseconds(6000);
  simulate(system, options, observers);
  std::vector<std::int64_t> times(system.tasks.size(), -1);
  const trace::Recording recording = recorder.take();
  for (const trace::JobEnded& job : recording.ends) {
    if (job.job.number == 0) times[job.job.task] = (job.completion - job.release).count();
  }
  return times;
}

TEST(EngineTime, OneStream) { EXPECT_THAT(responses(test::three_in_one_stream()), ElementsAre(9, 17, 24)); }

TEST(EngineTime, TwoLevels) { EXPECT_THAT(responses(test::three_on_two_levels()), ElementsAre(9, 18, 29)); }

/// A long enqueue holds up who has SMs of its own, too.
TEST(EngineTime, EnqueueOfATask) {
  EXPECT_THAT(responses(test::two_with_own_sms(400)), ElementsAre(407, 457));
  EXPECT_THAT(responses(test::two_with_own_sms(10)), ElementsAre(17, 67));
}

/// A launcher enqueues beside the engine.
TEST(EngineTime, EnqueueByALauncher) {
  EXPECT_THAT(responses(test::system_with_engine(
                  "{event: 1ns, submit: 4ns}", "strategy: federated, virtual_sms: {a: 1, b: 1}",
                  "  - {name: a, period: 1000ns, segments: [{exclusive: 5ns}]}\n"
                  "  - {name: b, period: 5000ns, enqueue: 400ns, launcher: true, segments: "
                  "[{exclusive: 50ns}]}\n")),
              ElementsAre(12, 461));
}

TEST(EngineTime, FourTasksWithSmsOfTheirOwn) {
  EXPECT_THAT(responses(test::four_with_own_sms()), ElementsAre(39, 43, 47, 51));
}

TEST(EngineTime, Chains) {
  EXPECT_THAT(responses(test::two_chains("{event: 1ns, submit: 3ns}")), ElementsAre(48, 58));
}

/// One submission is made at a time: the urgent job waits for one of the four, not for all.
TEST(EngineTime, AnUrgentSubmissionOvertakesThoseThatWait) {
  std::string tasks =
      "  - {name: urgent, period: 1000ns, offset: 5ns, enqueue: 2ns, segments: [{exclusive: 5ns}]}\n";
  for (const char* name : {"a", "b", "c", "d"}) {
    tasks += fmt::format("  - {{name: {}, period: 5000ns, enqueue: 10ns, segments: [{{exclusive: 50ns}}]}}\n",
                         name);
  }
  const std::vector<std::int64_t> seen = responses(test::system_with_engine(
      "{event: 1ns}", "strategy: federated, virtual_sms: {urgent: 1, a: 1, b: 1, c: 1, d: 1}", tasks));
  EXPECT_EQ(seen[0], 23);
}

/// What is not submitted is not decided: a copy that waits for six submissions does not hold the copy engine.
TEST(EngineTime, NoServerIsHeldForASubmissionThatWaits) {
  std::string tasks = "  - {name: urgent, period: 1000ns, offset: 8ns, segments: [{copy: 5ns}]}\n";
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    tasks += fmt::format("  - {{name: {}, period: 5000ns, enqueue: 10ns, segments: [{{exclusive: 50ns}}]}}\n",
                         name);
  }
  tasks += "  - {name: last, period: 6000ns, segments: [{copy: 5ns}]}\n";
  const std::vector<std::int64_t> seen = responses(test::system_with_engine(
      "{event: 1ns, submit: 2ns}", "strategy: federated, virtual_sms: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1}",
      tasks));
  EXPECT_EQ(seen[0], 23);
}

/// Events that come faster than they are handled do not fill the memory.
TEST(EngineTime, AnEngineThatFallsBehindEndsTheSimulation) {
  const System system = test::system_with_engine("{event: 1us}", "strategy: as-submitted",
                                                 "  - {name: a, period: 2ns, exclusive: 1ns}\n");
  SimulationOptions options;
  options.horizon = nanoseconds(1'000'000);
  options.max_pending = 100;
  const Outcome outcome = simulate(system, options, {});
  EXPECT_EQ(outcome.ending, SimulationEnd::too_many_jobs);
  EXPECT_LE(outcome.released, 200U);
}

TEST(EngineTime, NoTestProvesWhatItDoesNotCount) {
  const System system =
      test::system_with_engine("{event: 1ns, submit: 2ns}", "strategy: single-stream, order: fp",
                               "  - {name: a, period: 20ns, exclusive: 3ns}\n");
  for (const analysis::Analysis& analysis : analysis::registry()) {
    const bool applies = analysis::run(analysis, system).applies();
    EXPECT_FALSE(applies && !analysis.counts_engine) << analysis.id;
  }
}

}  // namespace
}  // namespace tactus::sim
