// The time that the engine itself needs: events are drained, then the most urgent submission is made.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::sim {
namespace {

using testing::ElementsAre;

System system_with(const std::string& overheads, const std::string& policy, const std::string& tasks) {
  const std::string text = fmt::format(
      "tactus: 1\nplatform: {{cpus: 1, gpu: {{sms: 8, virtual_sms_per_sm: 1}}, overheads: {{engine: {}}}}}\n"
      "policy: {{{}}}\ntasks:\n{}",
      overheads, policy, tasks);
  const ReadResult result = read_system(text, "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message << "\n" << text;
  return result.system.value();
}

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

TEST(EngineTime, OneStream) {
  EXPECT_THAT(responses(system_with("{event: 1ns, submit: 2ns}", "strategy: single-stream, order: fp",
                                    "  - {name: a, period: 20ns, exclusive: 3ns}\n"
                                    "  - {name: b, period: 30ns, exclusive: 5ns}\n"
                                    "  - {name: c, period: 40ns, exclusive: 4ns}\n")),
              ElementsAre(9, 17, 24));
}

TEST(EngineTime, TwoLevels) {
  EXPECT_THAT(
      responses(system_with("{event: 1ns, submit: 2ns}", "strategy: multi-stream, order: fp, levels: 2",
                            "  - {name: a, period: 60ns, longest_block: 1ns, exclusive: 3ns}\n"
                            "  - {name: b, period: 80ns, longest_block: 2ns, exclusive: 6ns}\n"
                            "  - {name: c, period: 120ns, longest_block: 2ns, exclusive: 8ns}\n")),
      ElementsAre(9, 18, 29));
}

/// A long enqueue holds up who has SMs of its own, too.
TEST(EngineTime, EnqueueOfATask) {
  const auto with_enqueue = [](int time) {
    return responses(system_with(
        "{event: 1ns}", "strategy: federated, virtual_sms: {a: 1, b: 1}",
        fmt::format("  - {{name: a, period: 1000ns, enqueue: 4ns, segments: [{{exclusive: 5ns}}]}}\n"
                    "  - {{name: b, period: 5000ns, enqueue: {}ns, segments: [{{exclusive: 50ns}}]}}\n",
                    time)));
  };
  EXPECT_THAT(with_enqueue(400), ElementsAre(407, 457));
  EXPECT_THAT(with_enqueue(10), ElementsAre(17, 67));
}

/// A launcher enqueues beside the engine.
TEST(EngineTime, EnqueueByALauncher) {
  EXPECT_THAT(
      responses(system_with("{event: 1ns, submit: 4ns}", "strategy: federated, virtual_sms: {a: 1, b: 1}",
                            "  - {name: a, period: 1000ns, segments: [{exclusive: 5ns}]}\n"
                            "  - {name: b, period: 5000ns, enqueue: 400ns, launcher: true, segments: "
                            "[{exclusive: 50ns}]}\n")),
      ElementsAre(12, 461));
}

TEST(EngineTime, FourTasksWithSmsOfTheirOwn) {
  std::string tasks;
  for (const char* name : {"a", "b", "c", "d"}) {
    tasks += fmt::format("  - {{name: {}, period: 200ns, segments: [{{exclusive: 30ns}}]}}\n", name);
  }
  EXPECT_THAT(responses(system_with("{event: 1ns, submit: 4ns}",
                                    "strategy: federated, virtual_sms: {a: 1, b: 1, c: 1, d: 1}", tasks)),
              ElementsAre(39, 43, 47, 51));
}

TEST(EngineTime, Chains) {
  const char* const segments = "[{cpu: 2ns}, {copy: 4ns}, {exclusive: 10ns}, {copy: 4ns}, {cpu: 2ns}]";
  EXPECT_THAT(
      responses(system_with("{event: 1ns, submit: 3ns}", "strategy: federated, virtual_sms: {a: 1, b: 1}",
                            fmt::format("  - {{name: a, period: 200ns, segments: {0}}}\n"
                                        "  - {{name: b, period: 400ns, segments: {0}}}\n",
                                        segments))),
      ElementsAre(48, 58));
}

/// One submission is made at a time: the urgent job waits for one of the four, not for all.
TEST(EngineTime, AnUrgentSubmissionOvertakesThoseThatWait) {
  std::string tasks =
      "  - {name: urgent, period: 1000ns, offset: 5ns, enqueue: 2ns, segments: [{exclusive: 5ns}]}\n";
  for (const char* name : {"a", "b", "c", "d"}) {
    tasks += fmt::format("  - {{name: {}, period: 5000ns, enqueue: 10ns, segments: [{{exclusive: 50ns}}]}}\n",
                         name);
  }
  const std::vector<std::int64_t> seen = responses(system_with(
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
  const std::vector<std::int64_t> seen =
      responses(system_with("{event: 1ns, submit: 2ns}",
                            "strategy: federated, virtual_sms: {a: 1, b: 1, c: 1, d: 1, e: 1, f: 1}", tasks));
  EXPECT_EQ(seen[0], 23);
}

/// Events that come faster than they are handled do not fill the memory.
TEST(EngineTime, AnEngineThatFallsBehindEndsTheSimulation) {
  const System system =
      system_with("{event: 1us}", "strategy: as-submitted", "  - {name: a, period: 2ns, exclusive: 1ns}\n");
  SimulationOptions options;
  options.horizon = nanoseconds(1'000'000);
  options.max_pending = 100;
  const Outcome outcome = simulate(system, options, {});
  EXPECT_EQ(outcome.ending, SimulationEnd::too_many_jobs);
  EXPECT_LE(outcome.released, 200U);
}

TEST(EngineTime, NoTestProvesWhatItDoesNotCount) {
  const System system = system_with("{event: 1ns, submit: 2ns}", "strategy: single-stream, order: fp",
                                    "  - {name: a, period: 20ns, exclusive: 3ns}\n");
  for (const analysis::Analysis& analysis : analysis::registry()) {
    const bool applies = analysis::run(analysis, system).applies();
    EXPECT_FALSE(applies && !analysis.counts_engine) << analysis.id;
  }
}

}  // namespace
}  // namespace tactus::sim
