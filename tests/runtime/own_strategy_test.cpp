// A strategy that Tactus does not have: read from a file, checked, simulated and run, without a change in
// src/.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/event_log.hpp"
#include "support/fifo_stream.hpp"
#include "support/host_run.hpp"
#include "support/recording.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/runtime/runtime.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* text = R"(
tactus: 1
name: fifo
platform: jetson-tx2
policy: {strategy: fifo-stream}
tasks:
  - {name: long, period: 40ms, exclusive: 10ms}
  - {name: first, period: 40ms, offset: 2ms, segments: [{copy: 1ms}, {exclusive: 2ms}]}
  - {name: urgent, period: 40ms, deadline: 5ms, offset: 3ms, exclusive: 1ms}
)";

class OwnStrategy : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    EXPECT_THAT(read_system(text, "fifo.yaml").problems, testing::Not(testing::IsEmpty()));
    sched::add_strategy(fifo_stream);
  }
  static System system() { return read_system(text, "fifo.yaml").system.value(); }
};

/// Names of tasks, in the order in which their jobs ended.
std::vector<std::string> order_of_ends(const System& system, std::span<const trace::JobEnded> ends) {
  std::vector<std::string> names;
  for (const trace::JobEnded& end : ends) names.push_back(system.tasks[end.job.task].name);
  return names;
}

TEST_F(OwnStrategy, IsSimulatedInItsOrder) {
  const System fifo = system();
  Recorder recorder{Recorder::Blocks::wanted};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::SimulationOptions options;
  options.horizon = 40ms;
  const sim::Outcome outcome = sim::simulate(fifo, options, observers);
  EXPECT_EQ(outcome.completed, 3U);
  EXPECT_THAT(order_of_ends(fifo, recorder.recording.ends), testing::ElementsAre("long", "first", "urgent"));
  EXPECT_EQ(recorder.recording.ends[2].completion, time_at(14ms));
}

TEST_F(OwnStrategy, NoAnalysisIsAboutIt) {
  const System fifo = system();
  const analysis::CheckResult result = analysis::check(fifo);
  EXPECT_EQ(result.verdict, analysis::Verdict::unproven);
  for (const analysis::CheckedAnalysis& one : result.analyses) {
    EXPECT_FALSE(one.result.applies()) << one.analysis.id;
    EXPECT_TRUE(analysis::is_for_other_strategy(one.analysis, fifo)) << one.analysis.id;
  }
}

TEST_F(OwnStrategy, RunsAsItIsSimulated) {
  EventLog simulated{true};
  EventLog executed{true};
  const std::array<trace::Observer*, 1> simulator_observers{&simulated};
  const std::array<trace::Observer*, 1> executive_observers{&executed};
  const System fifo = system();
  sim::SimulationOptions options;
  options.horizon = 400ms;
  sim::simulate(fifo, options, simulator_observers);
  device::SimDevice device;
  runtime::ExecutiveOptions run_options;
  run_options.horizon = options.horizon;
  run_options.plays_overheads = true;
  runtime::Executive{fifo, device, run_options, executive_observers}.run();
  EXPECT_EQ(first_difference(simulated, executed).value_or("none"), "none");
}

TEST_F(OwnStrategy, RunsOnTheHostDevice) {
  System fifo = system();
  for (Task& task : fifo.tasks) {  // so that the run ends with the jobs, however slow the machine is
    task.arrival = Arrival::once;
    task.period.reset();
  }
  const std::unique_ptr<device::Device> device = device::make_host_device(plain_host());
  const runtime::Outcome outcome = runtime::Executive{fifo, *device, {}, {}}.run();
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.completed, 3U);
}

TEST_F(OwnStrategy, StreamsOfTasksNeedNames) {
  static constexpr sched::StrategyEntry nameless{
      .facts = {.name = "nameless", .orders = sched::edf_or_fp, .streams_of_tasks = true},
      .refusals = fifo_stream.refusals,
      .make = fifo_stream.make};
  EXPECT_THROW(sched::add_strategy(nameless), InputError);
  EXPECT_THROW(strategy_named("nameless"), InputError);
}

TEST_F(OwnStrategy, NamesAreUnique) {
  EXPECT_THROW(sched::add_strategy(fifo_stream), InputError);
  EXPECT_THROW(strategy_named("lifo-stream"), InputError);
  EXPECT_EQ(strategy_named("fifo-stream")->name, "fifo-stream");
}

}  // namespace
}  // namespace tactus::test
