// What the strategies answer to events: submissions, stops and timers, instant by instant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tactus/model/presets.hpp"
#include "tactus/sched/core.hpp"

namespace tactus::sched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Task task_with(std::int64_t time, std::int64_t deadline, std::optional<std::int64_t> longest_block = {}) {
  Task task;
  task.name = "task";
  task.period = nanoseconds(1000);
  task.deadline = nanoseconds(deadline);
  if (longest_block) task.longest_block = nanoseconds(*longest_block);
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(nanoseconds(time))}});
  return task;
}

Task best_effort(std::int64_t time, std::optional<std::int64_t> longest_block = {}) {
  Task task = task_with(time, 1, longest_block);
  task.arrival = Arrival::best_effort;
  task.period.reset();
  task.deadline.reset();
  return task;
}

Task on_core(std::int32_t core, Task task) {
  task.sm = {.kind = SmAffinity::Kind::one, .core = core};
  return task;
}

System system_of(StrategyRef strategy, std::vector<Task> tasks) {
  System system;
  system.platform.gpu.sms = 2;
  system.platform.gpu.priority_levels = 3;
  system.policy.strategy = strategy;
  system.tasks = std::move(tasks);
  return system;
}

/// Cores in [0, 8), the gang in [8, 12), every 12.
System cores_of(std::vector<Task> tasks) {
  System system = system_of(strategy_named("sm-cores"), std::move(tasks));
  system.policy.reservations = Reservations{.period = nanoseconds(12),
                                            .local = Window{nanoseconds(0), nanoseconds(8)},
                                            .all = Window{nanoseconds(8), nanoseconds(4)}};
  return system;
}

/// A core and its commands as text: "submit 0/1 to 2 at 0" is job 1 of task 0 in stream 2 with rank 0,
/// "slice" instead of "submit" where it is one, "on 1" behind it where the SM set is not all.
class Driver {
 public:
  explicit Driver(const System& system) : core{system, 16} {}

  std::vector<std::string> step(std::int64_t now, const std::vector<Event>& events) {
    Commands commands;
    core.step(time_at(nanoseconds(now)), events, commands);
    std::vector<std::string> lines;
    for (const Command& command : commands) {
      std::visit([&](const auto& one) { lines.push_back(line(one)); }, command);
    }
    return lines;
  }
  std::vector<std::string> release(std::int64_t now, TaskIndex task, std::uint64_t number = 0) {
    return step(now, {Released{.task = task, .number = number, .nominal = time_at(nanoseconds(now))}});
  }
  /// The job's only segment.
  [[nodiscard]] SubmissionId submission(TaskIndex task, std::uint64_t number = 0) const {
    SubmissionId found;
    core.jobs().for_each([&](JobId id, const JobRow& job) {
      if (job.task == task && job.number == number) found = {.job = id, .segment = 0};
    });
    return found;
  }
  std::vector<std::string> finish(std::int64_t now, TaskIndex task, std::uint64_t number = 0) {
    return step(now, {Finished{submission(task, number)}});
  }
  std::vector<std::string> stop(std::int64_t now, TaskIndex task, std::uint64_t number = 0) {
    return step(now, {Stopped{submission(task, number), {}}});
  }

  Core core;

 private:
  [[nodiscard]] std::string name(JobId id) const {
    const JobRow* job = core.jobs().find(id);
    return job == nullptr ? "gone" : std::to_string(job->task) + "/" + std::to_string(job->number);
  }
  [[nodiscard]] std::string line(const Submit& submit) const {
    return (submit.extent == Extent::slice ? "slice " : "submit ") + name(submit.id.job) + " to " +
           std::to_string(submit.stream) + " at " + std::to_string(submit.level) +
           (submit.sms == 0 ? "" : " on " + std::to_string(submit.sms));
  }
  [[nodiscard]] std::string line(const RequestStop& stop) const { return "stop " + name(stop.id.job); }
  [[nodiscard]] std::string line(const HoldCore& hold) const { return "hold for " + name(hold.job); }
  [[nodiscard]] static std::string line(const ArmTimer& arm) {
    return "timer " + std::to_string(in_ns(arm.at));
  }
  [[nodiscard]] static std::string line(const CancelTimer& /*cancel*/) { return "no timer"; }
  [[nodiscard]] std::string line(const Repeat& repeat) const { return "repeat " + name(repeat.job); }
  [[nodiscard]] static std::string line(const DropJob& drop) { return "drop " + std::to_string(drop.task); }
  [[nodiscard]] static std::string line(const Done& done) {
    return "done " + std::to_string(done.task) + "/" + std::to_string(done.number);
  }
};

TEST(SingleStream, HoldsOneJobAndTakesTheBestNext) {
  Driver driver{
      system_of(strategy_named("single-stream"), {task_with(5, 50), task_with(5, 40), task_with(5, 30)})};
  EXPECT_EQ(driver.core.streams(), 1U);
  EXPECT_FALSE(driver.core.refills_lazily());
  EXPECT_THAT(driver.release(0, 0), ElementsAre("submit 0/0 to 0 at 0"));
  EXPECT_THAT(driver.release(1, 1), IsEmpty());
  EXPECT_THAT(driver.release(2, 2), IsEmpty());
  EXPECT_THAT(driver.finish(5, 0), ElementsAre("done 0/0", "submit 2/0 to 0 at 0"));
  EXPECT_THAT(driver.finish(10, 2), ElementsAre("done 2/0", "submit 1/0 to 0 at 0"));
  EXPECT_THAT(driver.finish(15, 1), ElementsAre("done 1/0"));
}

TEST(SingleStream, SeesEverythingOfAnInstantBeforeItChooses) {
  Driver driver{system_of(strategy_named("single-stream"), {task_with(5, 50), task_with(5, 40)})};
  EXPECT_THAT(driver.step(0, {Released{0, 0, {}}, Released{1, 0, {}}}), ElementsAre("submit 1/0 to 0 at 0"));
}

TEST(SingleStream, StopsBestEffortWorkOnceAndOnlyIfItCanBePreemptedAnywhere) {
  Driver stops{
      system_of(strategy_named("single-stream"), {best_effort(5, 0), task_with(1, 9), task_with(1, 8)})};
  EXPECT_THAT(stops.release(0, 0), ElementsAre("slice 0/0 to 0 at 0"));
  EXPECT_THAT(stops.release(2, 1), ElementsAre("stop 0/0"));
  EXPECT_THAT(stops.release(3, 2), IsEmpty());  // it was asked already
  EXPECT_THAT(stops.stop(3, 0), ElementsAre("submit 2/0 to 0 at 0"));
  EXPECT_THAT(stops.finish(4, 2), ElementsAre("done 2/0", "submit 1/0 to 0 at 0"));
  EXPECT_THAT(stops.finish(5, 1), ElementsAre("done 1/0", "slice 0/0 to 0 at 0"));
  EXPECT_THAT(stops.release(6, 1, 1), ElementsAre("stop 0/0"));  // and anew in its next turn
  // It was done by itself.
  EXPECT_THAT(stops.finish(7, 0), ElementsAre("done 0/0", "repeat 0/1", "submit 1/1 to 0 at 0"));

  Driver slices{system_of(strategy_named("single-stream"), {best_effort(5, 2), task_with(1, 9)})};
  EXPECT_THAT(slices.release(0, 0), ElementsAre("slice 0/0 to 0 at 0"));
  EXPECT_THAT(slices.release(1, 1), IsEmpty());
  EXPECT_THAT(slices.stop(2, 0), ElementsAre("submit 1/0 to 0 at 0"));
}

TEST(MultiStream, FillsLevelsFromTheLeastUrgentUp) {
  System system = system_of(strategy_named("multi-stream"),
                            {task_with(9, 50), task_with(9, 40), task_with(9, 30), task_with(9, 5)});
  system.policy.levels = 3;
  Driver driver{system};
  EXPECT_EQ(driver.core.streams(), 3U);
  EXPECT_TRUE(driver.core.refills_lazily());
  EXPECT_THAT(driver.release(0, 0), ElementsAre("submit 0/0 to 0 at 2"));
  EXPECT_THAT(driver.release(1, 1), ElementsAre("submit 1/0 to 1 at 1"));
  EXPECT_THAT(driver.release(2, 2), ElementsAre("submit 2/0 to 2 at 0"));
  EXPECT_THAT(driver.release(3, 3), IsEmpty());               // no level is left
  EXPECT_THAT(driver.finish(4, 0), ElementsAre("done 0/0"));  // nor is one above the highest
  EXPECT_THAT(driver.finish(5, 2), ElementsAre("done 2/0", "submit 3/0 to 2 at 0"));
}

TEST(MultiStream, SubmitsSeveralAtOneInstantTheBestLowest) {
  System system =
      system_of(strategy_named("multi-stream"), {task_with(9, 50), task_with(9, 40), task_with(9, 30)});
  system.policy.levels = 3;
  Driver driver{system};
  // The best takes level 0; the others are not better than it.
  EXPECT_THAT(driver.step(0, {Released{0, 0, {}}, Released{1, 0, {}}, Released{2, 0, {}}}),
              ElementsAre("submit 2/0 to 0 at 2"));
}

TEST(MultiStream, EqualDeadlinesWait) {
  System system = system_of(strategy_named("multi-stream"), {task_with(9, 50), task_with(9, 49)});
  system.policy.levels = 2;
  Driver driver{system};
  driver.release(0, 0);
  EXPECT_THAT(driver.release(1, 1), IsEmpty());
}

TEST(MultiStream, RefillsLazilyOnlyWhereThereAreLevelsAndThePolicySaysSo) {
  System system = system_of(strategy_named("multi-stream"), {task_with(9, 50)});
  system.policy.levels = 1;
  EXPECT_FALSE(Driver{system}.core.refills_lazily());
  system.policy.levels = 2;
  EXPECT_TRUE(Driver{system}.core.refills_lazily());
  system.policy.refill = Refill::immediate;
  EXPECT_FALSE(Driver{system}.core.refills_lazily());
}

TEST(MultiStream, BestEffortWorkTakesTheLowestLevelOnlyWhenAllAreEmpty) {
  System system = system_of(strategy_named("multi-stream"), {best_effort(5, 0), task_with(9, 50)});
  system.policy.levels = 2;
  Driver driver{system};
  EXPECT_THAT(driver.step(0, {Released{0, 0, {}}, Released{1, 0, {}}}), ElementsAre("submit 1/0 to 0 at 1"));
  EXPECT_THAT(driver.finish(9, 1), ElementsAre("done 1/0", "slice 0/0 to 0 at 1"));
  // There is a level above, so the device makes room by itself.
  EXPECT_THAT(driver.release(10, 1, 1), ElementsAre("submit 1/1 to 1 at 0"));
}

TEST(SmCores, ServeEachCoreAloneAndWakeAtTheNextEdge) {
  Driver driver{cores_of({on_core(0, task_with(3, 50)), on_core(1, task_with(3, 50)), task_with(2, 50)})};
  EXPECT_EQ(driver.core.streams(), 3U);
  EXPECT_THAT(driver.core.sm_sets(), ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_FALSE(driver.core.refills_lazily());
  EXPECT_THAT(driver.step(0, {Released{0, 0, {}}, Released{1, 0, {}}, Released{2, 0, {}}}),
              ElementsAre("slice 0/0 to 0 at 0 on 1", "slice 1/0 to 1 at 0 on 2", "timer 8"));
  EXPECT_THAT(driver.step(3, {Finished{driver.submission(0)}, Finished{driver.submission(1)}}),
              ElementsAre("done 0/0", "done 1/0"));  // the timer stays
  EXPECT_THAT(driver.step(8, {TimerFired{0}}), ElementsAre("slice 2/0 to 2 at 0", "timer 12"));
  EXPECT_THAT(driver.finish(10, 2), ElementsAre("done 2/0", "no timer"));  // nobody waits
  EXPECT_THAT(driver.release(13, 0, 1), ElementsAre("slice 0/1 to 0 at 0 on 1", "timer 20"));
}

TEST(SmCores, StopWhatCanBePreemptedAnywhereForABetterJobAndForTheEndOfTheWindow) {
  Driver driver{cores_of({on_core(0, task_with(20, 50, 0)), on_core(0, task_with(2, 10))})};
  EXPECT_THAT(driver.release(0, 0), ElementsAre("slice 0/0 to 0 at 0 on 1", "timer 8"));
  EXPECT_THAT(driver.release(1, 1), ElementsAre("stop 0/0"));
  EXPECT_THAT(driver.step(1, {TimerFired{7}}), IsEmpty());  // nothing new
  EXPECT_THAT(driver.stop(1, 0), ElementsAre("slice 1/0 to 0 at 0 on 1"));
  EXPECT_THAT(driver.finish(3, 1), ElementsAre("done 1/0", "slice 0/0 to 0 at 0 on 1"));
  EXPECT_THAT(driver.step(8, {TimerFired{0}}), ElementsAre("stop 0/0", "timer 12"));
  EXPECT_THAT(driver.stop(8, 0), IsEmpty());
  EXPECT_THAT(driver.step(12, {TimerFired{0}}), ElementsAre("slice 0/0 to 0 at 0 on 1", "timer 20"));
}

TEST(SmCores, DoNotStartASliceThatMayEndBehindTheWindow) {
  System system = cores_of({on_core(0, task_with(9, 50, 4)), on_core(0, task_with(1, 60))});
  Driver driver{system};
  EXPECT_THAT(driver.step(0, {Released{0, 0, {}}, Released{1, 0, {}}}),
              ElementsAre("slice 0/0 to 0 at 0 on 1", "timer 8"));
  EXPECT_THAT(driver.stop(4, 0), ElementsAre("slice 0/0 to 0 at 0 on 1"));  // 4 to 8 fits exactly
  EXPECT_THAT(driver.step(8, {Stopped{driver.submission(0), {}}, TimerFired{0}}), ElementsAre("timer 12"));
  EXPECT_THAT(driver.step(12, {TimerFired{0}}), ElementsAre("slice 0/0 to 0 at 0 on 1", "timer 20"));

  system.platform.overheads.launch = nanoseconds(1);
  Driver launching{system};
  launching.step(0, {Released{0, 0, {}}, Released{1, 0, {}}});
  // With its launch it may end at 9: the core idles, although task 1 would fit.
  EXPECT_THAT(launching.stop(4, 0), IsEmpty());
  EXPECT_THAT(launching.step(12, {TimerFired{0}}), ElementsAre("slice 0/0 to 0 at 0 on 1", "timer 20"));
  // What is left after two slices is short.
  EXPECT_THAT(launching.stop(17, 0), ElementsAre("slice 0/0 to 0 at 0 on 1"));
}

TEST(SmCores, TheGangWaitsForEveryCoreAndTheCoresForTheGang) {
  Driver driver{cores_of({on_core(1, task_with(8, 50)), task_with(4, 50)})};
  EXPECT_THAT(driver.step(0, {Released{0, 0, {}}, Released{1, 0, {}}}),
              ElementsAre("slice 0/0 to 1 at 0 on 2", "timer 8"));
  // The slice has ended, but that is not known yet.
  EXPECT_THAT(driver.step(8, {TimerFired{0}}), ElementsAre("timer 12"));
  EXPECT_THAT(driver.finish(9, 0), ElementsAre("done 0/0"));  // 9 + 4 is behind the window
  EXPECT_THAT(driver.step(12, {TimerFired{0}, Released{0, 1, time_at(nanoseconds(12))}}),
              ElementsAre("slice 0/1 to 1 at 0 on 2", "timer 20"));
  driver.finish(20, 0, 1);
  EXPECT_THAT(driver.step(20, {TimerFired{0}}), IsEmpty());  // it began in the step before
  EXPECT_THAT(driver.step(24, {TimerFired{0}, Released{0, 2, time_at(nanoseconds(24))}}),
              ElementsAre("timer 32"));
  EXPECT_THAT(driver.finish(25, 1), ElementsAre("done 1/0"));  // 25 + 8 is behind the window
}

TEST(SmCores, SubmitBestEffortWorkAtTheLeastUrgentLevel) {
  Driver driver{cores_of({on_core(0, best_effort(2)), on_core(0, task_with(1, 50))})};
  EXPECT_THAT(driver.release(0, 0), ElementsAre("slice 0/0 to 0 at 2 on 1", "timer 8"));
  EXPECT_THAT(driver.release(1, 1), IsEmpty());
  EXPECT_THAT(driver.finish(2, 0), ElementsAre("done 0/0", "repeat 0/1", "slice 1/0 to 0 at 0 on 1"));
  EXPECT_THAT(driver.finish(3, 1), ElementsAre("done 1/0", "slice 0/1 to 0 at 2 on 1"));
}

TEST(SmCores, GroupsFormOneCoreAndLeaveTheRestToTheGang) {
  System system = cores_of({on_core(0, task_with(1, 50))});
  system.platform.gpu.sms = 5;
  system.policy.sm_group = 2;
  EXPECT_THAT(Driver{system}.core.sm_sets(), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

TEST(StrategyRefusals, NameWhatTheEngineLacks) {
  Capabilities plain{.engine = "the test", .priority_levels = 2};
  System streams = system_of(strategy_named("multi-stream"), {task_with(9, 50)});
  streams.policy.levels = 3;
  streams.policy.refill = Refill::immediate;
  EXPECT_THAT(refusals(streams, plain),
              ElementsAre(HasSubstr("policy.levels is 3"), HasSubstr("policy.refill is immediate")));
  streams.policy.levels = 1;  // then nothing is refilled
  EXPECT_THAT(refusals(streams, plain), IsEmpty());

  System cores = cores_of({on_core(0, task_with(9, 50, 0))});
  EXPECT_THAT(refusals(cores, plain),
              ElementsAre(HasSubstr("cannot restrict work"), HasSubstr("longest_block")));
  plain.sm_set_granularity = 2;
  plain.stops_kernels = true;
  EXPECT_THAT(refusals(cores, plain), ElementsAre(HasSubstr("multiples of 2")));
  cores.policy.sm_group = 2;
  cores.tasks[0].sm.core = 0;
  EXPECT_THAT(refusals(cores, plain), IsEmpty());

  for (const StrategyRef kind :
       {strategy_named("single-stream"), strategy_named("multi-stream"), strategy_named("sm-cores")}) {
    System mixed = cores_of({task_with(9, 50)});
    mixed.policy.strategy = kind;
    mixed.policy.levels = 2;
    mixed.policy.sm_group = 2;
    mixed.tasks[0].work.form = WorkForm::chain;
    mixed.tasks[0].work.nodes.push_back({"", CpuSegment{Interval::exactly(nanoseconds(1))}});
    EXPECT_THAT(refusals(mixed, plain), ElementsAre(HasSubstr("`cpu`")));
  }
}

}  // namespace
}  // namespace tactus::sched
