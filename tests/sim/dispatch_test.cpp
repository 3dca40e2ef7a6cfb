// How jobs get to SMs of their own: by launches, by a word in memory, or by the GPU's own clock.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tactus/io/system_file.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::sim {
namespace {

using testing::ElementsAre;

System system_with(const std::string& overheads, const std::string& tasks,
                   const std::string& strategy = "federated, virtual_sms: {a: 1, b: 1}") {
  const std::string text = fmt::format(
      "tactus: 1\nplatform: {{cpus: 1, gpu: {{sms: 8, virtual_sms_per_sm: 1}}, overheads: {{{}}}}}\n"
      "policy: {{strategy: {}}}\ntasks:\n{}",
      overheads, strategy, tasks);
  const ReadResult result = read_system(text, "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message << "\n" << text;
  return result.system.value();
}

/// Response times of the first jobs of a task.
std::vector<std::int64_t> responses(const System& system, std::int64_t horizon, TaskIndex task = 0) {
  trace::Recorder recorder{{.keep = {.ends = true}}};
  const std::array<trace::Observer*, 1> observers{&recorder};
  SimulationOptions options;
  options.horizon = nanoseconds(horizon);
  simulate(system, options, observers);
  std::vector<std::int64_t> times;
  const trace::Recording recording = recorder.take();
  for (const trace::JobEnded& job : recording.ends) {
    if (job.job.task == task && job.completion != never)
      times.push_back((job.completion - job.release).count());
  }
  return times;
}

const std::string both = "release: 40ns, launch: 20ns, completion: 10ns, ";
const std::string other = "  - {name: b, period: 100ns, exclusive: 50ns}\n";

TEST(Dispatch, ALaunchHasTheOverheadsOfThePlatform) {
  EXPECT_THAT(responses(system_with(both + "resident: {release: 2ns, completion: 1ns}",
                                    "  - {name: a, period: 100ns, exclusive: 5ns}\n" + other),
                        99),
              ElementsAre(75));
}

TEST(Dispatch, ResidentJobsHaveTheirOwn) {
  EXPECT_THAT(
      responses(system_with(both + "resident: {release: 2ns, completion: 1ns}",
                            "  - {name: a, period: 100ns, dispatch: resident, exclusive: 5ns}\n" + other),
                200),
      ElementsAre(8, 8));
}

TEST(Dispatch, ResidentJobsThatWereNotMeasuredCountAsLaunches) {
  EXPECT_THAT(
      responses(
          system_with(both, "  - {name: a, period: 100ns, dispatch: resident, exclusive: 5ns}\n" + other),
          99),
      ElementsAre(75));
}

TEST(Dispatch, ADoorbellIsRungByTheScheduler) {
  EXPECT_THAT(
      responses(system_with(both + "doorbell: {launch: 3ns, completion: 2ns}",
                            "  - {name: a, period: 100ns, dispatch: doorbell, exclusive: 5ns}\n" + other),
                99),
      ElementsAre(50));
}

TEST(Dispatch, TheEngineDoesNotDelayResidentJobs) {
  const std::string engine = "engine: {event: 30ns, submit: 60ns}, resident: {release: 2ns, completion: 1ns}";
  const std::string a = "  - {name: a, period: 400ns, exclusive: 5ns, dispatch: ";
  const std::string b = "  - {name: b, period: 400ns, exclusive: 50ns}\n";
  EXPECT_THAT(responses(system_with(engine, a + "resident}\n" + b), 799), ElementsAre(8, 8));
  // Two releases, both submissions, its end.
  EXPECT_THAT(responses(system_with(engine, a + "launch}\n" + b), 399), ElementsAre(30 + 30 + 60 + 60 + 30));
}

/// None of several jobs that the GPU releases at one instant is lost, with an engine that needs time or
/// without.
TEST(Dispatch, ResidentJobsOfOneInstant) {
  const std::string tasks =
      "  - {name: a, period: 100ns, dispatch: resident, exclusive: 5ns}\n"
      "  - {name: b, period: 100ns, dispatch: resident, exclusive: 7ns}\n";
  for (const std::string engine : {"", "engine: {event: 30ns, submit: 60ns}, "}) {
    const System system = system_with(engine + "resident: {release: 2ns, completion: 1ns}", tasks);
    EXPECT_THAT(responses(system, 300, 0), ElementsAre(8, 8, 8)) << engine;
    EXPECT_THAT(responses(system, 300, 1), ElementsAre(10, 10, 10)) << engine;
  }
}

/// An overrun delays the task's own next job, and nobody else.
TEST(Dispatch, ResidentJobsWaitForTheOneBefore) {
  EXPECT_THAT(responses(system_with("release: 0",
                                    "  - {name: a, period: 10ns, dispatch: resident, exclusive: [1ns, 15ns], "
                                    "jobs: [{time: 15ns}, {time: 2ns}, {time: 2ns}, {time: 2ns}]}\n" +
                                        other),
                        39),
              ElementsAre(15, 7, 2, 2));
}

TEST(Dispatch, OnSharedSmsEveryJobIsLaunched) {
  EXPECT_THAT(responses(system_with(both + "resident: {release: 2ns, completion: 1ns}",
                                    "  - {name: a, period: 300ns, dispatch: resident, exclusive: 5ns}\n",
                                    "single-stream"),
                        299),
              ElementsAre(75));
}

}  // namespace
}  // namespace tactus::sim
