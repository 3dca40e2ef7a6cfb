// The runtime's face, on virtual time.
#include "tactus/runtime/runtime.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/prctl.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>

#include "support/event_log.hpp"
#include "support/faulty_device.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/threads.hpp"
#include "tactus/device/host/host_device.hpp"
#include "tactus/device/sim/sim_device.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Task exclusive_task(const std::string& name, Duration period, Duration time) {
  Task task;
  task.name = name;
  task.period = period;
  task.deadline = period;
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(time)}});
  return task;
}

System empty_system() {
  System system;
  system.name = "robot";
  system.platform = *find_preset("jetson-tx2");
  system.policy.strategy = strategy_named("single-stream");
  return system;
}

System robot() {
  System system = empty_system();
  system.tasks.push_back(exclusive_task("lidar", 10ms, 2ms));
  system.tasks.push_back(exclusive_task("detector", 20ms, 5ms));
  return system;
}

RuntimeOptions on_virtual_time() {
  RuntimeOptions options;
  options.real_time = false;
  return options;
}

Runtime make_runtime(System system) {
  return Runtime{std::make_unique<device::SimDevice>(), std::move(system), on_virtual_time()};
}

TEST(Runtime, RunsForATimeAndShowsResponsesBesideBounds) {
  Runtime runtime{std::make_unique<device::SimDevice>(), robot(), on_virtual_time()};
  const RunReport report = runtime.run_for(100ms);
  EXPECT_TRUE(report.holds());
  EXPECT_EQ(report.outcome.ending, runtime::RunEnd::horizon);
  ASSERT_EQ(report.tasks.size(), 2U);
  EXPECT_EQ(report.tasks[0].completed, 10U);
  EXPECT_EQ(report.tasks[1].completed, 5U);
  EXPECT_EQ(report.tasks[1].response->max, 7ms);
  ASSERT_TRUE(report.bounds[0]);
  EXPECT_EQ(report.events_lost, 0U);
}

TEST(Runtime, KnowsItsBoundsBeforeItRuns) {
  System system = empty_system();
  system.policy.order = Order::fp;
  Runtime runtime = make_runtime(system);
  EXPECT_TRUE(runtime.bounds().empty());
  ASSERT_EQ(runtime.add(exclusive_task("lidar", 10ms, 2ms)), std::nullopt);
  const std::vector<std::optional<Duration>> alone = runtime.bounds();
  ASSERT_EQ(runtime.add(exclusive_task("detector", 20ms, 5ms)), std::nullopt);
  const std::vector<std::optional<Duration>> both = runtime.bounds();
  ASSERT_EQ(alone.size(), 1U);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(alone[0], Duration{2ms});
  EXPECT_GT(both[0], Duration{6ms}) << "the detector may be in the way";
  const RunReport report = runtime.run_for(100ms);
  EXPECT_EQ(report.bounds, both);
  EXPECT_FALSE(report.proven_bounds()[0].deadline_only);
}

TEST(Runtime, KnowsWhereOnlyTheDeadlineIsProven) {
  Runtime runtime = make_runtime(robot());  // by np-edf
  ASSERT_TRUE(runtime.proven_bounds()[0].deadline_only);
  const RunReport report = runtime.run_for(100ms);
  EXPECT_TRUE(report.deadline_only[0]);
  EXPECT_EQ(report.bounds[0], report.system.tasks[0].deadline);
}

TEST(Runtime, AJobThatIsNotDoneExceedsItsBoundByItsAge) {
  // What really runs takes longer than what was promised, and the run ends before the deadline.
  System truth = robot();
  truth.policy.order = Order::fp;
  truth.tasks[1].deadline = truth.tasks[1].period = 1s;
  truth.platform.overheads.completion = 1us;
  System declared = truth;
  truth.tasks[1].work.nodes[0].segment = ExclusiveSegment{Interval::exactly(500ms)};
  Runtime runtime{std::make_unique<test::FaultyDevice>(test::Faults{}, truth, Execution::worst, 1), declared,
                  on_virtual_time()};
  const RunReport report = runtime.run_for(8ms);
  EXPECT_EQ(report.misses, 0U);
  EXPECT_EQ(report.outcome.pending, 1U);
  ASSERT_TRUE(report.bounds[1]);
  ASSERT_LT(*report.bounds[1], 8ms);
  EXPECT_EQ(report.outcome.tasks[1].longest_known, 8ms);
  EXPECT_EQ(report.exceeded_bounds(), std::vector<TaskIndex>{1});
  EXPECT_FALSE(report.holds());
}

TEST(Runtime, AJobThatIsGivenUpExceedsItsBoundByItsAge) {
  System truth = empty_system();
  truth.policy.strategy = strategy_named("sm-cores");
  truth.policy.order = Order::fp;
  truth.policy.reservations = Reservations{.period = 10ms, .local = {}, .all = Window{0ms, 10ms}};
  truth.tasks.push_back(exclusive_task("detector", 1s, 5ms));
  truth.tasks[0].longest_block = 1ms;
  truth.tasks[0].budget = 20ms;
  truth.tasks[0].on_overrun = OnOverrun::abort;
  truth.platform.overheads.completion = 1us;
  const System declared = truth;
  truth.tasks[0].work.nodes[0].segment = ExclusiveSegment{Interval::exactly(500ms)};
  Runtime runtime{std::make_unique<test::FaultyDevice>(test::Faults{}, truth, Execution::worst, 1), declared,
                  on_virtual_time()};
  const RunReport report = runtime.run_for(50ms);
  EXPECT_EQ(report.outcome.tasks[0].aborted, 1U);
  EXPECT_GE(report.outcome.tasks[0].longest_known, 20ms);
  ASSERT_TRUE(report.bounds[0]);
  ASSERT_LT(*report.bounds[0], 20ms);
  EXPECT_EQ(report.misses, 0U);
  EXPECT_FALSE(report.holds());
}

TEST(Runtime, AJobThatFoundNoRoomIsNotAHold) {
  System system = empty_system();
  system.tasks.push_back(exclusive_task("first", 1s, 5ms));
  system.tasks.push_back(exclusive_task("second", 1s, 5ms));
  RuntimeOptions options = on_virtual_time();
  options.max_pending = 1;
  Runtime runtime{std::make_unique<test::FaultyDevice>(test::Faults{}, system, Execution::worst, 1), system,
                  options};
  const RunReport report = runtime.run_for(100ms);
  EXPECT_EQ(report.misses, 0U);
  EXPECT_EQ(report.outcome.dropped, 1U);
  EXPECT_FALSE(report.holds());
}

/// A release that jitter hides from the scheduler until after the end is pending, and counted apart.
TEST(Runtime, PendingJobsThatTheSchedulerHasNotSeenAreCounted) {
  System system = empty_system();
  system.tasks.push_back(exclusive_task("shy", 10ms, 1ms));
  system.tasks[0].jitter = 9ms;
  RuntimeOptions options = on_virtual_time();
  options.execution = Execution::random;
  std::uint64_t unseen = 0;
  for (options.seed = 1; options.seed <= 20; ++options.seed) {
    Runtime runtime{std::make_unique<device::SimDevice>(), system, options};
    const runtime::Outcome outcome = runtime.run_for(15ms).outcome;
    EXPECT_EQ(outcome.released, 2U);
    EXPECT_EQ(outcome.released, outcome.completed + outcome.pending + outcome.dropped);
    EXPECT_LE(outcome.unseen, outcome.pending);
    unseen += outcome.unseen;
  }
  EXPECT_GT(unseen, 0U);
  EXPECT_LT(unseen, 20U) << "some were seen before the end";
}

/// A scheduler that falls behind has no more jobs than there is room for; the others wait to be seen.
TEST(Runtime, MoreReleasesThanCanBeLookedAtAreUnseenAtTheEnd) {
  System system = empty_system();
  system.tasks.push_back(exclusive_task("fast", 100ns, 1us));
  RuntimeOptions options = on_virtual_time();
  options.max_pending = 2;
  Runtime runtime{device::make_host_device(), system, options};
  const runtime::Outcome outcome = runtime.run_for(10ms).outcome;
  EXPECT_EQ(outcome.released, outcome.completed + outcome.pending + outcome.dropped);
  EXPECT_GT(outcome.unseen, 0U);
  EXPECT_LE(outcome.pending - outcome.unseen, 2U);
}

TEST(Runtime, BoundsOfAMachineThatAddsNothingAreShownButNotCounted) {
  System truth = robot();
  truth.policy.order = Order::fp;
  truth.tasks[1].deadline = truth.tasks[1].period = 1s;
  const System declared = truth;
  truth.tasks[1].work.nodes[0].segment = ExclusiveSegment{Interval::exactly(500ms)};
  Runtime runtime{std::make_unique<test::FaultyDevice>(test::Faults{}, truth, Execution::worst, 1), declared,
                  on_virtual_time()};
  const RunReport report = runtime.run_for(8ms);
  EXPECT_FALSE(report.counts_overheads());
  EXPECT_EQ(report.exceeded_bounds(), std::vector<TaskIndex>{1});
  EXPECT_TRUE(report.holds());
}

/// Keeps the relay waiting until it is let go.
class Stuck final : public trace::Observer {
 public:
  using Observer::on;
  [[nodiscard]] trace::Interests interests() const override { return {.releases = true}; }
  void on(const trace::JobReleased& /*event*/) override { free.wait(false); }
  std::atomic<bool> free{false};
};

TEST(Runtime, MissesCountEvenWhenEventsAreLost) {
  System system = robot();
  system.tasks[1].deadline = 4ms;
  RuntimeOptions options = on_virtual_time();
  options.event_room = 2;
  Runtime runtime{std::make_unique<device::SimDevice>(), system, options};
  Stuck stuck;
  runtime.observe(stuck);
  runtime.start(100ms);
  while (runtime.step()) {
  }
  stuck.free = true;
  stuck.free.notify_all();
  const RunReport report = runtime.finish();
  EXPECT_GT(report.events_lost, 10U);
  EXPECT_GT(report.job_events_lost, 10U);
  EXPECT_EQ(report.misses, 5U);
  EXPECT_FALSE(report.holds());
  ASSERT_TRUE(report.outcome.first_miss);
  EXPECT_EQ(report.outcome.first_miss->job, (trace::JobName{1, 0}));
  EXPECT_EQ(report.tasks[1].released, 5U);
  EXPECT_EQ(report.tasks[1].completed, 5U);
  EXPECT_EQ(report.tasks[1].misses, 5U);
  ASSERT_TRUE(report.tasks[1].response);
  EXPECT_EQ(report.tasks[1].response->min, 5ms);
  EXPECT_EQ(report.tasks[1].response->mean, 5ms);
  EXPECT_EQ(report.tasks[1].response->max, 5ms);
  EXPECT_FALSE(report.tasks[1].response->p99_exact);
}

TEST(Runtime, RefusesATaskThatWouldBreakTheProofAndSaysWhy) {
  Runtime runtime = make_runtime(robot());
  const std::optional<std::string> refused = runtime.add(exclusive_task("map", 10ms, 9ms));
  ASSERT_TRUE(refused);
  EXPECT_THAT(*refused, HasSubstr("'map' is refused"));
  EXPECT_THAT(*refused, HasSubstr("np-edf"));
  EXPECT_EQ(runtime.system().tasks.size(), 2U);
  EXPECT_FALSE(runtime.add(exclusive_task("log", 100ms, 1ms)));
  EXPECT_EQ(runtime.system().tasks.size(), 3U);
  EXPECT_FALSE(runtime.add(exclusive_task("map", 10ms, 9ms), Admission::anyway));
  EXPECT_FALSE(runtime.run_for(100ms).holds());
}

TEST(Runtime, TasksMayComeFromCodeAlone) {
  Runtime runtime = make_runtime(empty_system());
  EXPECT_FALSE(runtime.add(exclusive_task("lidar", 10ms, 2ms)));
  EXPECT_EQ(runtime.run_for(50ms).tasks.at(0).completed, 5U);
}

/// What is called answers with an InputError whose text has both parts.
template <class Call>
void expect_refused(Call&& call, const std::string& what, const std::string& hint) {
  try {
    call();
    ADD_FAILURE() << "was not refused: " << what;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(what));
    EXPECT_THAT(error.what(), HasSubstr(hint));
  }
}

TEST(Runtime, NothingOfARunChangesWhileItIsOn) {
  Runtime runtime = make_runtime(robot());
  std::atomic<bool> flag{false};
  test::EventLog log;
  runtime.start(50ms);
  ASSERT_TRUE(runtime.step());
  const std::string hint = "start again";
  for (const Admission admission : {Admission::proven, Admission::anyway}) {
    expect_refused([&] { runtime.add(exclusive_task("log", 100ms, 1ms), admission); },
                   "cannot add task 'log' while a run is on", hint);
  }
  expect_refused([&] { runtime.bind("lidar", [](Job&) {}); }, "cannot bind task 'lidar'", hint);
  expect_refused([&] { runtime.bind("lidar", 0, [](Job&) {}); }, "cannot bind task 'lidar'", hint);
  expect_refused([&] { runtime.bind_blocks("lidar", [](Job&) {}); }, "cannot bind task 'lidar'", hint);
  expect_refused([&] { runtime.observe(log); }, "observer", hint);
  expect_refused([&] { runtime.on_miss([](const runtime::Incident&) {}); }, "callback", hint);
  expect_refused([&] { runtime.on_overrun([](const runtime::Incident&) {}); }, "callback", hint);
  expect_refused([&] { runtime.on_progress([](Time) {}); }, "callback", hint);
  expect_refused([&] { runtime.stop_when(flag); }, "flag", hint);
  expect_refused([&] { runtime.start(1s); }, "start another run", hint);
  while (runtime.step()) {
  }
  const RunReport report = runtime.finish();
  EXPECT_EQ(report.system, robot());
  EXPECT_EQ(report.tasks.size(), 2U);
  EXPECT_EQ(report.tasks[0].completed, 5U);
  // Between two runs it may.
  EXPECT_FALSE(runtime.add(exclusive_task("log", 100ms, 1ms)));
  EXPECT_EQ(runtime.run_for(50ms).tasks.at(2).completed, 1U);
}

TEST(Runtime, UnknownNamesAndBrokenRulesAreErrors) {
  Runtime runtime = make_runtime(robot());
  EXPECT_THROW(runtime.bind("radar", [](Job&) {}), InputError);
  EXPECT_THROW(runtime.bind("lidar", 1, [](Job&) {}), InputError);
  EXPECT_THROW(runtime.add(exclusive_task("lidar", 10ms, 2ms)), InputError);
  System broken = robot();
  broken.tasks[0].period = 0ms;
  EXPECT_THROW(make_runtime(broken), InputError);
}

TEST(Runtime, AWrongNameLeadsToTheRightOne) {
  Runtime runtime = make_runtime(robot());
  const std::string all = "the system has: lidar, detector";
  expect_refused([&] { runtime.bind("lidr", [](Job&) {}); }, "there is no task 'lidr'",
                 "did you mean 'lidar'? " + all);
  expect_refused([&] { runtime.bind("detecter", 0, [](Job&) {}); }, "there is no task 'detecter'",
                 "did you mean 'detector'? " + all);
  expect_refused([&] { runtime.release("zzz"); }, "there is no task 'zzz'", all);
  expect_refused([&] { runtime.add(exclusive_task("lidar", 10ms, 2ms)); }, "there is already a task 'lidar'",
                 all);
  Runtime empty = make_runtime(empty_system());
  expect_refused([&] { empty.bind("lidar", [](Job&) {}); }, "there is no task 'lidar'", "no tasks yet");
}

TEST(Runtime, ALongListOfNamesIsCut) {
  System system = empty_system();
  for (int i = 0; i < 30; ++i) system.tasks.push_back(exclusive_task("task " + std::to_string(i), 1s, 1ms));
  Runtime runtime = make_runtime(system);
  expect_refused([&] { runtime.bind("x", [](Job&) {}); }, "there is no task 'x'",
                 "task 18, task 19 and 10 more");
}

TEST(Runtime, ADeviceThatIsNotThereIsAnError) {
  expect_refused([] { const Runtime runtime(nullptr, robot()); }, "a runtime needs a device",
                 "host_device()");
}

TEST(Runtime, NoRoomForAnyJobIsAnError) {
  RuntimeOptions options = on_virtual_time();
  options.max_pending = 0;
  expect_refused([&] { const Runtime runtime(std::make_unique<device::SimDevice>(), robot(), options); },
                 "max_pending = 0", "1 or more");
}

void do_nothing(Job& /*job*/) {}

TEST(Runtime, AFunctionThatIsNotThereIsRefused) {
  System system = robot();
  system.tasks[1].work.form = WorkForm::chain;
  system.tasks[1].work.nodes = {
      {"", CopySegment{.time = Interval::exactly(1ms), .bytes = {}}},
      {"", KernelSegment{.grid = {8, 1, 1}, .block = 32, .block_time = {1ms, 1ms}}}};
  Runtime runtime = make_runtime(system);
  using Function = void (*)(Job&);
  const std::string what = "is null or empty";
  const std::string hint = "takes the time that the model says";
  expect_refused([&] { runtime.bind("lidar", std::function<void(Job&)>{}); }, what, hint);
  expect_refused([&] { runtime.bind("lidar", static_cast<Function>(nullptr)); }, what, hint);
  expect_refused([&] { runtime.bind("lidar", 0, std::function<int(Job&)>{}); }, what, hint);
  expect_refused([&] { runtime.bind_blocks("detector", {}, 1); }, what, hint);
  expect_refused([&] { runtime.bind_copy("detector", 0, CopyOfJob{}); }, what, hint);
  runtime.bind("lidar", &do_nothing);
}

/// Throws at the event with this number, or when it is asked what it wants for the time with this number.
class ThrowingObserver final : public trace::Observer {
 public:
  using Observer::on;
  ThrowingObserver(int event, int question) : event_{event}, question_{question} {}
  [[nodiscard]] trace::Interests interests() const override {
    if (++questions_ == question_) throw std::runtime_error{"the screen is gone"};
    return {.releases = true, .ends = true};
  }
  void on(const trace::JobReleased& /*event*/) override {
    if (++events_ == event_) throw std::runtime_error{"the disk is full"};
  }
  [[nodiscard]] int events() const { return events_; }

 private:
  int event_;
  int question_;
  int events_ = 0;
  mutable int questions_ = 0;
};

TEST(Runtime, AnObserverThatThrowsIsLeftAloneAndTheRunGoesOn) {
  ThrowingObserver throwing{3, 0};
  ThrowingObserver throws_when_asked{0, 2};
  test::EventLog log;
  Runtime runtime = make_runtime(robot());
  runtime.observe(throwing).observe(throws_when_asked).observe(log);
  const RunReport report = runtime.run_for(100ms);
  EXPECT_EQ(report.outcome.ending, runtime::RunEnd::horizon);
  EXPECT_TRUE(report.holds());
  EXPECT_EQ(report.tasks[0].completed, 10U);
  EXPECT_EQ(throwing.events(), 3);
  ASSERT_EQ(report.observer_failures.size(), 2U);
  EXPECT_EQ(report.observer_failures[0].observer, 0U);
  EXPECT_EQ(report.observer_failures[0].what, "the disk is full");
  EXPECT_THROW(std::rethrow_exception(report.observer_failures[0].error), std::runtime_error);
  EXPECT_EQ(report.observer_failures[1].observer, 1U);
  EXPECT_EQ(report.observer_failures[1].what, "the screen is gone");
  // The others get all of it.
  test::EventLog expected;
  std::vector<trace::Observer*> observers{&expected};
  sim::SimulationOptions options;
  options.horizon = 100ms;
  sim::simulate(robot(), options, observers);
  EXPECT_EQ(test::first_difference(expected, log).value_or(""), "");
}

TEST(Runtime, TellsOfMissesAtOnceAndStopsWhereATaskSaysSo) {
  System system = robot();
  system.tasks[1].deadline = 4ms;
  system.tasks[1].on_miss = OnMiss::stop;
  Runtime runtime = make_runtime(system);
  std::vector<runtime::Incident> misses;
  runtime.on_miss([&](const runtime::Incident& miss) { misses.push_back(miss); });
  const RunReport report = runtime.run_for(100ms);
  EXPECT_EQ(report.outcome.ending, runtime::RunEnd::miss);
  ASSERT_EQ(misses.size(), 1U);
  EXPECT_EQ(misses[0].job.task, 1U);
  EXPECT_EQ(misses[0].now, time_at(4ms) + 1ns);
  EXPECT_FALSE(report.holds());
}

TEST(Runtime, TellsOfAMissThatIsKnownWithTheEndOfItsJob) {
  System system = robot();
  system.tasks.resize(1);
  system.tasks[0].offset = {};
  const Duration response = [&] {
    Runtime runtime = make_runtime(system);
    return runtime.run_for(*system.tasks[0].period).tasks[0].response->max;
  }();
  system.tasks[0].deadline = response - 1ns;
  system.tasks[0].on_miss = OnMiss::stop;
  Runtime runtime = make_runtime(system);
  std::vector<runtime::Incident> misses;
  runtime.on_miss([&](const runtime::Incident& miss) { misses.push_back(miss); });
  const RunReport report = runtime.run_for(100ms);
  EXPECT_EQ(report.outcome.ending, runtime::RunEnd::miss);
  EXPECT_EQ(report.outcome.completed, 1U);
  ASSERT_EQ(misses.size(), 1U);
  EXPECT_EQ(misses[0].now, time_at(response));

  system.tasks[0].on_miss = OnMiss::skip_next;
  const RunReport skipping = make_runtime(system).run_for(4 * *system.tasks[0].period);
  EXPECT_EQ(skipping.outcome.completed, 2U);
  EXPECT_EQ(skipping.outcome.dropped, 2U);
}

TEST(Runtime, AJobThatIsGivenUpIsAMissAtOnce) {
  System system = robot();
  system.policy.strategy = strategy_named("sm-cores");
  system.policy.reservations = Reservations{.period = 10ms, .local = {}, .all = Window{0ms, 10ms}};
  system.tasks[1].longest_block = 1ms;
  system.tasks[1].budget = 3ms;
  system.tasks[1].on_overrun = OnOverrun::abort;
  std::vector<runtime::Incident> misses;
  Runtime runtime = make_runtime(system);
  runtime.on_miss([&](const runtime::Incident& miss) { misses.push_back(miss); });
  const RunReport report = runtime.run_for(100ms);
  EXPECT_EQ(report.tasks[1].misses, 5U);
  ASSERT_EQ(misses.size(), 5U);
  for (std::size_t i = 0; i < misses.size(); ++i) {
    EXPECT_EQ(misses[i].job, (trace::JobName{1, i}));
    EXPECT_GT(misses[i].now, misses[i].release);
    EXPECT_LT(misses[i].now, misses[i].deadline);
  }

  system.tasks[1].on_miss = OnMiss::stop;
  Runtime stopping = make_runtime(system);
  EXPECT_EQ(stopping.run_for(100ms).outcome.ending, runtime::RunEnd::miss);
}

TEST(Runtime, EnforcesABudget) {
  System system = robot();
  system.tasks[1].budget = 3ms;
  system.tasks[1].longest_block = 0ns;
  system.tasks[1].on_overrun = OnOverrun::skip_next;
  Runtime runtime = make_runtime(system);
  std::uint64_t overruns = 0;
  runtime.on_overrun([&](const runtime::Incident& /*overrun*/) { ++overruns; });
  const RunReport report = runtime.run_for(100ms);
  EXPECT_EQ(report.outcome.overruns, overruns);
  EXPECT_EQ(overruns, 3U);
  EXPECT_EQ(report.outcome.dropped, 2U);  // every second job is skipped
  EXPECT_EQ(report.tasks[1].completed, 3U);
}

Task kernel_task(const std::string& name, std::int64_t blocks, Duration block_time) {
  Task task;
  task.name = name;
  task.period = task.deadline = 100ms;
  KernelSegment kernel;
  kernel.grid = {blocks, 1, 1};
  kernel.block = 512;
  kernel.block_time = Interval::exactly(block_time);
  task.work.nodes.push_back({"", kernel});
  return task;
}

/// A job that is handed to the device behind another.
System queued_jobs(StrategyRef strategy) {
  System system = empty_system();
  system.platform.gpu.sms = 2;
  system.platform.gpu.threads_per_sm = 512;
  system.policy.strategy = strategy;
  system.tasks.push_back(kernel_task("long", 20, 4ms));
  system.tasks.push_back(kernel_task("innocent", 4, 4ms));
  system.tasks[1].on_overrun = OnOverrun::abort;
  return system;
}

TEST(Runtime, AJobDoesNotPayForTheTimeOfItsEquals) {
  System system = queued_jobs(strategy_named("as-submitted"));
  system.tasks[1].budget = 9ms;
  const RunReport report = make_runtime(system).run_for(300ms);
  EXPECT_EQ(report.outcome.overruns, 0U);
  EXPECT_EQ(report.tasks[1].completed, 3U);
  EXPECT_EQ(report.tasks[1].response->max, 48ms);
}

TEST(Runtime, AJobPaysFromWhenItsTurnHasCome) {
  System system = queued_jobs(strategy_named("as-submitted"));
  system.tasks[1].budget = 5ms;
  Runtime runtime = make_runtime(system);
  std::vector<Time> overruns;
  runtime.on_overrun([&](const runtime::Incident& overrun) { overruns.push_back(overrun.now); });
  const RunReport report = runtime.run_for(200ms);
  EXPECT_THAT(overruns, testing::ElementsAre(time_at(45ms), time_at(145ms)));
  EXPECT_EQ(report.outcome.tasks[1].overruns, 2U);
}

TEST(Runtime, AJobDoesNotPayForABlockThatWasThereBefore) {
  // The urgent job finds both SMs taken by a block of 4 ms that began 1 ms before.
  System system = queued_jobs(strategy_named("multi-stream"));
  system.policy.levels = 2;
  system.policy.order = Order::fp;
  system.tasks[0].priority = 1;
  system.tasks[1].priority = 2;
  system.tasks[1].offset = 1ms;
  system.tasks[1].budget = 9ms;
  const RunReport report = make_runtime(system).run_for(300ms);
  EXPECT_EQ(report.outcome.overruns, 0U);
  EXPECT_EQ(report.tasks[1].completed, 3U);
  EXPECT_EQ(report.tasks[1].response->max, 11ms);
}

TEST(Runtime, SaysWhereADemotionCannotBeEnforced) {
  for (const StrategyRef strategy :
       {strategy_named("as-submitted"), strategy_named("single-stream"), strategy_named("multi-stream")}) {
    System system = queued_jobs(strategy);
    system.policy.levels = 2;
    system.tasks[0].on_overrun = OnOverrun::demote;
    EXPECT_TRUE(make_runtime(system).run_for(100ms).outcome.not_enforced.empty()) << "there is no budget";
    system.tasks[0].budget = 1ms;
    const std::vector<std::string> said = make_runtime(system).run_for(100ms).outcome.not_enforced;
    if (strategy == strategy_named("multi-stream")) {
      EXPECT_TRUE(said.empty());
    } else {
      EXPECT_THAT(said, testing::ElementsAre(HasSubstr("on_overrun: demote of task 'long'")));
    }
  }
}

TEST(Runtime, ADemotedJobLetsOthersPass) {
  System system = queued_jobs(strategy_named("multi-stream"));
  system.policy.levels = 2;
  system.policy.order = Order::fp;
  system.tasks[0].priority = 2;
  system.tasks[1].priority = 1;
  EXPECT_EQ(make_runtime(system).run_for(100ms).tasks[1].response->max, 48ms);
  system.tasks[0].budget = 5ms;
  system.tasks[0].on_overrun = OnOverrun::demote;
  // At 5 ms a block of 4 ms is running, then the other job has its 8 ms.
  EXPECT_EQ(make_runtime(system).run_for(100ms).tasks[1].response->max, 16ms);
}

TEST(Runtime, SporadicTasksAreReleasedByCallAndNotTooEarly) {
  System system = robot();
  system.tasks[1].arrival = Arrival::sporadic;
  Runtime runtime = make_runtime(system);
  EXPECT_FALSE(runtime.release("detector"));  // nothing runs yet
  runtime.start(100ms);
  EXPECT_TRUE(runtime.release("detector"));
  EXPECT_FALSE(runtime.release("detector"));
  expect_refused([&] { runtime.release("lidar"); }, "task 'lidar' is released by the engine, not by call",
                 "`arrival: sporadic` makes it one that is called");
  while (runtime.step()) {
    if (runtime.device().now() >= time_at(40ms)) runtime.release("detector");
  }
  const RunReport report = runtime.finish();
  EXPECT_GE(report.tasks[1].completed, 3U);
  EXPECT_LE(report.tasks[1].completed, 5U);
}

TEST(Runtime, AReleaseThatWasGrantedIsNeverLost) {
  System system = robot();
  system.tasks[1].arrival = Arrival::sporadic;
  Runtime runtime = make_runtime(system);
  runtime.start(100ms);
  EXPECT_TRUE(runtime.release("detector"));
  const RunReport report = runtime.finish();  // before anybody looked
  EXPECT_EQ(report.tasks[1].released, 1U);
  EXPECT_EQ(report.outcome.pending, 1U);
}

/// What the scheduler of the operating system knows of the calling thread.
struct ThreadFacts {
  int policy = sched_getscheduler(0);
  int priority = [] {
    sched_param parameters{};
    sched_getparam(0, &parameters);
    return parameters.sched_priority;
  }();
  std::vector<int> cpus = available_cpus();
  int timer_slack = prctl(PR_GET_TIMERSLACK);
  friend bool operator==(const ThreadFacts&, const ThreadFacts&) = default;
};

void run_on_the_last_core(const std::function<void(Runtime&)>& run) {
  RuntimeOptions options;
  options.core = available_cpus().back();
  Runtime runtime{std::make_unique<device::SimDevice>(), robot(), options};
  run(runtime);
}

TEST(Runtime, TheCallersThreadIsAsItWasAfterARun) {
  // In a thread of its own, which may have what it likes.
  for (const int policy : {SCHED_OTHER, SCHED_BATCH, SCHED_RR}) {
    std::thread{[policy] {
      prctl(PR_SET_TIMERSLACK, 70'000UL);
      sched_param parameters{};
      parameters.sched_priority = policy == SCHED_RR ? 7 : 0;
      if (sched_setscheduler(0, policy, &parameters) != 0) return;  // not permitted
      const ThreadFacts before;
      run_on_the_last_core([&](Runtime& runtime) {
        runtime.start(100ms);
        EXPECT_EQ(available_cpus(), std::vector<int>{before.cpus.back()});
        EXPECT_NE(ThreadFacts{}, before);
        while (runtime.step()) {
        }
        runtime.finish();
        EXPECT_EQ(ThreadFacts{}, before) << "after a run in steps";
        runtime.run_for(20ms);
        EXPECT_EQ(ThreadFacts{}, before) << "after a whole run";
        runtime.on_progress([](Time /*now*/) { throw std::runtime_error{"no"}; });
        EXPECT_THROW(runtime.run_for(100ms), std::runtime_error);
        EXPECT_EQ(ThreadFacts{}, before) << "after an exception";
        runtime.start(100ms);
      });
      EXPECT_EQ(ThreadFacts{}, before) << "after a run that was given up";
    }}.join();
  }
}

TEST(Runtime, CanBeStoppedFromOutside) {
  Runtime runtime = make_runtime(robot());
  std::atomic<bool> stop{false};
  runtime.stop_when(stop);
  runtime.start();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(runtime.step());
  stop = true;
  EXPECT_FALSE(runtime.step());
  EXPECT_EQ(runtime.finish().outcome.ending, runtime::RunEnd::stopped);
}

/// The lidar comes while the detector's work is on the GPU.
System late_lidar() {
  System system = empty_system();
  system.policy.strategy = strategy_named("multi-stream");
  system.policy.order = Order::fp;
  system.policy.levels = 2;
  system.platform.gpu.sms = 2;
  system.platform.gpu.blocks_per_sm = 1;
  const auto kernel_task = [](const std::string& name, std::int64_t priority, std::int64_t blocks) {
    Task task = exclusive_task(name, 100ms, 1ms);
    task.priority = priority;
    task.work.nodes[0].segment =
        KernelSegment{.grid = {blocks, 1, 1}, .block = 32, .block_time = Interval::exactly(1ms)};
    return task;
  };
  system.tasks.push_back(kernel_task("lidar", 2, 8));
  system.tasks.push_back(kernel_task("detector", 1, 40));
  system.tasks[0].offset = 5ms;
  return system;
}

TEST(Runtime, BoundsCountOpaqueWorkAsOneBlock) {
  Runtime runtime = make_runtime(late_lidar());
  const RunReport in_blocks = runtime.run_for(100ms);
  EXPECT_THAT(in_blocks.outcome.not_enforced, testing::IsEmpty());
  ASSERT_TRUE(in_blocks.bounds[0]);
  EXPECT_LE(*in_blocks.bounds[0], 4ms + 2 * 1ms);
  runtime.bind("detector", [](Job&) {});
  const RunReport opaque = runtime.run_for(100ms);
  EXPECT_THAT(opaque.outcome.not_enforced,
              testing::ElementsAre(
                  "detector: its work is opaque: it cannot be preempted, so it counts as one block"));
  ASSERT_TRUE(opaque.bounds[0]);
  EXPECT_GE(*opaque.bounds[0], 4ms + 19ms) << "the detector takes 20 ms and is there first";
  EXPECT_EQ(runtime.bounds(), opaque.bounds);
  EXPECT_EQ(opaque.system, late_lidar()) << "the schedule is that of the file";
  EXPECT_EQ(opaque.tasks[0].response->max, in_blocks.tasks[0].response->max);
  // A task that needs the lidar's old bound is not admitted any more.
  Task urgent = late_lidar().tasks[0];
  urgent.name = "urgent";
  urgent.priority = 3;
  urgent.deadline = 12ms;
  const std::optional<std::string> refused = runtime.add(urgent);
  ASSERT_TRUE(refused);
  EXPECT_THAT(*refused, HasSubstr("'urgent' is refused"));
  EXPECT_FALSE(make_runtime(late_lidar()).add(urgent)) << "without the binding it is";
}

TEST(Runtime, AStopThatComesTooLateDoesNotEndTheNextRun) {
  Runtime runtime = make_runtime(robot());
  runtime.run_for(20ms);
  runtime.stop();
  EXPECT_EQ(runtime.run_for(20ms).outcome.ending, runtime::RunEnd::horizon);
}

TEST(Runtime, StepAndFinishNeedARun) {
  Runtime runtime = make_runtime(robot());
  expect_refused([&] { runtime.step(); }, "no run is on", "call start()");
  expect_refused([&] { runtime.finish(); }, "no run is on", "call start()");
  runtime.run_for(20ms);
  expect_refused([&] { runtime.step(); }, "no run is on", "call start()");
  expect_refused([&] { runtime.finish(); }, "no run is on", "call start()");
  EXPECT_THROW(runtime.run_for(-1ns), InputError);
  EXPECT_EQ(runtime.run_for(0ns).outcome.ending, runtime::RunEnd::horizon);
}

TEST(Runtime, AStopBeforeTheStartEndsTheNextRunAndNoOther) {
  Runtime runtime = make_runtime(robot());
  runtime.stop();
  const RunReport stopped = runtime.run_for(100ms);
  EXPECT_EQ(stopped.outcome.ending, runtime::RunEnd::stopped);
  EXPECT_EQ(stopped.outcome.completed, 0U);
  EXPECT_EQ(runtime.run_for(100ms).outcome.ending, runtime::RunEnd::horizon);
}

TEST(Runtime, ObserversSeeWhatTheSimulatorTells) {
  test::EventLog log;
  Runtime runtime = make_runtime(robot());
  runtime.observe(log);
  runtime.run_for(100ms);
  test::EventLog expected;
  std::vector<trace::Observer*> observers{&expected};
  sim::SimulationOptions options;
  options.horizon = 100ms;
  sim::simulate(robot(), options, observers);
  EXPECT_EQ(test::first_difference(expected, log).value_or(""), "");
}

}  // namespace
}  // namespace tactus
