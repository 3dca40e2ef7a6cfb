// What goes wrong when the device ends what is in flight is in the result, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#include "support/faulty_device.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/runtime/executive.hpp"
#include "tactus/runtime/runtime.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

System one_task(Duration deadline) {
  System system;
  system.name = "one";
  system.platform.gpu.sms = 1;
  system.platform.clusters = {1};
  system.policy.strategy = strategy_named("single-stream");
  Task& task = system.tasks.emplace_back();
  task.name = "lidar";
  task.period = 10ms;
  task.deadline = deadline;
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(2ms)}});
  return system;
}

runtime::Outcome run(const System& system, const Faults& faults, int steps_until_stop = 1000) {
  FaultyDevice device{faults, system, Execution::worst, 1};
  runtime::ExecutiveOptions options;
  options.horizon = 100ms;
  options.watchdog = 30ms;
  runtime::Executive executive{system, device, std::move(options), {}};
  executive.start();
  for (int steps = 0; executive.step(); ++steps) {
    if (steps == steps_until_stop) executive.stop();
  }
  return executive.finish();
}

TEST(FailureAtClose, SpoilsARunThatReachedItsHorizon) {
  const System system = one_task(10ms);
  const runtime::Outcome well = run(system, {});
  EXPECT_EQ(well.ending, runtime::RunEnd::horizon);
  EXPECT_EQ(well.failure, "");
  const runtime::Outcome outcome = run(system, {.at_close = true});
  EXPECT_EQ(outcome.ending, runtime::RunEnd::failed);
  EXPECT_EQ(outcome.failure, "a fault was injected");
  EXPECT_EQ(outcome.reached, well.reached);
  EXPECT_EQ(outcome.completed, well.completed);
}

TEST(FailureAtClose, SpoilsARunThatWasStopped) {
  const System system = one_task(10ms);
  EXPECT_EQ(run(system, {}, 3).ending, runtime::RunEnd::stopped);
  const runtime::Outcome outcome = run(system, {.at_close = true}, 3);
  EXPECT_EQ(outcome.ending, runtime::RunEnd::failed);
  EXPECT_EQ(outcome.failure, "a fault was injected");
}

TEST(FailureAtClose, IsWorseThanAMiss) {
  System system = one_task(1ms);
  system.tasks[0].on_miss = OnMiss::stop;
  EXPECT_EQ(run(system, {}).ending, runtime::RunEnd::miss);
  EXPECT_EQ(run(system, {.at_close = true}).ending, runtime::RunEnd::failed);
}

TEST(FailureAtClose, IsToldBesideWhatWasLost) {
  const runtime::Outcome outcome = run(one_task(10ms), {.lost = 1000, .at_close = true});
  EXPECT_EQ(outcome.ending, runtime::RunEnd::lost);
  EXPECT_THAT(outcome.failure, HasSubstr("nothing was heard of task 'lidar'"));
  EXPECT_THAT(outcome.failure, HasSubstr("a fault was injected"));
}

/// The function is running when the run is stopped, and throws when it is asked to return.
TEST(FailureAtClose, AFunctionThatThrowsWhenAskedToReturnIsAFailure) {
  device::HostOptions host;
  host.real_time = false;
  RuntimeOptions options;
  options.real_time = false;
  Runtime runtime{device::make_host_device(host), one_task(10ms), options};
  std::atomic<bool> stop{false};
  runtime.stop_when(stop);
  runtime.bind("lidar", [&stop](Job& job) {
    stop = true;
    while (!job.stop_requested()) std::this_thread::yield();
    throw std::runtime_error{"not now"};
  });
  const RunReport report = runtime.run_until_stopped();
  EXPECT_FALSE(report.holds());
  EXPECT_EQ(report.outcome.ending, runtime::RunEnd::failed);
  EXPECT_EQ(report.outcome.failure, "task 'lidar', job 0, segment 0: not now");
}

}  // namespace
}  // namespace tactus::test
