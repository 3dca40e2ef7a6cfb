// What a run assumes about times, and which assumption was broken first.
#include "tactus/device/assumptions.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tactus/io/system_file.hpp"

namespace tactus::device {
namespace {

using namespace std::chrono_literals;

System system_from(const std::string& text) {
  ReadResult read = read_system("tactus: 1\n" + text, "test.yaml");
  if (!read.system) throw InputError{std::move(read.problems)};
  return std::move(*read.system);
}

System two_tasks(const std::string& overheads) {
  return system_from("platform: {base: h200, overheads: {" + overheads + R"(}}
policy: {strategy: single-stream}
tasks:
  - {name: camera, period: 10ms, exclusive: 1ms}
  - {name: network, period: 20ms, exclusive: 3ms, enqueue: 450us}
)");
}

TEST(Assumptions, NothingIsAssumedOfAMachineWithoutOverheads) {
  System system = two_tasks("release: 0us");
  system.tasks[1].enqueue.reset();
  AssumptionWatch watch{system};
  watch.called({0, 0}, 0, time_at(1ms), 1s);
  watch.ran({0, 0}, 0, time_at(1ms), 1s);
  watch.was_away(time_at(1ms), 1s);
  EXPECT_FALSE(watch.seen().first);
  EXPECT_EQ(watch.seen().segments[0][0].calls.longest, 1s);
  EXPECT_EQ(watch.seen().segments[0][0].runs.count, 1U);
}

TEST(Assumptions, ACallIsHeldAgainstItsEnqueueTimeOrThatOfAnySubmission) {
  const System system = two_tasks("release: 50us, engine: {submit: 5us}");
  AssumptionWatch watch{system};
  watch.called({1, 0}, 0, time_at(1ms), 450us);
  watch.called({0, 0}, 0, time_at(2ms), 5us);
  EXPECT_FALSE(watch.seen().first);
  watch.called({0, 1}, 0, time_at(10ms), 6us);
  ASSERT_TRUE(watch.seen().first);
  EXPECT_EQ(watch.seen().first->job, (trace::JobName{0, 1}));
  EXPECT_EQ(watch.seen().first->at, time_at(10ms + 5us));
  EXPECT_EQ(to_text(system, *watch.seen().first),
            "at 10.005ms task 'camera', job 1, segment 0: its function took 6us, declared are 5us");
}

TEST(Assumptions, ASegmentMayTakeItsWorstCaseAndTheDelaysOfTheMachine) {
  const System system = two_tasks("launch: 10us, completion: 20us, engine: {event: 1us, submit: 5us}");
  AssumptionWatch watch{system};
  const Duration allowed = *watch.seen().segments[0][0].assumed_run;
  EXPECT_EQ(allowed, 1ms + 10us + 20us + 450us + 2us);  // and one submission and two events before it
  watch.ran({0, 0}, 0, time_at(0ms), allowed);
  EXPECT_FALSE(watch.seen().first);
  watch.ran({0, 1}, 0, time_at(10ms), allowed + 1ns);
  ASSERT_TRUE(watch.seen().first);
  EXPECT_EQ(watch.seen().first->what, Assumption::segment);
}

TEST(Assumptions, NoActionOfTheEngineDelaysAResidentJob) {
  const System system = system_from(R"(platform:
  base: h200
  overheads: {release: 40us, launch: 10us, completion: 20us, engine: {event: 1us, submit: 5us},
              resident: {release: 1us, completion: 3us}}
policy: {strategy: federated, virtual_sms: {control: 8, network: 16}}
tasks:
  - {name: control, period: 10ms, exclusive: 1ms, dispatch: resident}
  - {name: network, period: 20ms, exclusive: 3ms, enqueue: 450us}
)");
  const AssumptionWatch watch{system};
  EXPECT_EQ(watch.seen().segments[0][0].assumed_run, 1ms + 1us + 3us);
  EXPECT_EQ(watch.seen().segments[1][0].assumed_run, 3ms + 10us + 20us + 450us + 2us);
}

TEST(Assumptions, TheFirstIsTheOneWhoseTimeWasOverFirst) {
  const System system = two_tasks("release: 50us");
  AssumptionWatch watch{system};
  watch.called({1, 3}, 0, time_at(60ms), 2ms);  // over at 60.45ms
  watch.was_away(time_at(60100us), 1ms);        // over at 60.15ms, but noticed later
  watch.was_away(time_at(70ms), 5ms);
  ASSERT_TRUE(watch.seen().first);
  EXPECT_EQ(watch.seen().first->what, Assumption::engine);
  EXPECT_EQ(to_text(system, *watch.seen().first),
            "at 60.15ms the engine's CPU was away for 1ms; `release` allows 50us");
  EXPECT_EQ(watch.seen().broken, (std::array<std::uint64_t, 3>{1, 0, 2}));
}

TEST(Assumptions, MeanOfNothingIsZero) {
  TimesSeen times;
  EXPECT_EQ(times.mean(), 0us);
  times.add(1us);
  times.add(3us);
  EXPECT_EQ(times.mean(), 2us);
  EXPECT_EQ(times.longest, 3us);
}

}  // namespace
}  // namespace tactus::device
