// The scheduler core: what it does with events that are in order, and with those that are not.
#include "tactus/sched/core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/base/error.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::sched {
namespace {

using testing::HasSubstr;

Task task_with(std::vector<Segment> segments, Arrival arrival = Arrival::once) {
  Task task;
  task.name = "task";
  task.arrival = arrival;
  task.work.form = segments.size() == 1 ? WorkForm::single : WorkForm::chain;
  for (Segment& segment : segments) task.work.nodes.push_back({"", segment});
  return task;
}

KernelSegment kernel() {
  KernelSegment segment;
  segment.block = 32;
  segment.block_time = Interval::exactly(nanoseconds(5));
  return segment;
}

CopySegment copy() { return {.time = Interval::exactly(nanoseconds(2)), .bytes = {}, .direction = {}}; }

System system_of(std::vector<Task> tasks) {
  System system;
  system.platform = *find_preset("jetson-tx2");
  system.tasks = std::move(tasks);
  return system;
}

Capabilities simulator() { return {.engine = "the test", .priority_levels = 2}; }

Commands step(Core& core, std::int64_t now, std::vector<Event> events) {
  Commands commands;
  core.step(time_at(nanoseconds(now)), events, commands);
  return commands;
}

template <class Kind>
std::vector<Kind> only(const Commands& commands) {
  std::vector<Kind> found;
  for (const Command& command : commands) {
    if (const auto* one = std::get_if<Kind>(&command)) found.push_back(*one);
  }
  return found;
}

TEST(Core, SubmitsAllSegmentsOfAJobInOrderAtItsRelease) {
  const System system = system_of({task_with({copy(), kernel(), copy()})});
  Core core{system, 4};
  const auto submits =
      only<Submit>(step(core, 7, {Released{.task = 0, .number = 0, .nominal = time_at(nanoseconds(7))}}));
  ASSERT_EQ(submits.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(submits[i].id.segment, i);
    EXPECT_EQ(submits[i].stream, own_stream);
    EXPECT_EQ(submits[i].level, 1U);  // stream priority 0 is the least urgent of two levels
  }
}

TEST(Core, AJobIsDoneWhenItsLastSegmentHasFinishedAndNotBefore) {
  const System system = system_of({task_with({copy(), kernel()})});
  Core core{system, 4};
  const auto submits = only<Submit>(step(core, 0, {Released{}}));
  EXPECT_TRUE(only<Done>(step(core, 2, {Finished{submits[0].id}})).empty());
  const auto done = only<Done>(step(core, 9, {Finished{submits[1].id}}));
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].task, 0U);
  EXPECT_EQ(core.jobs().size(), 0U);
}

TEST(Core, ADuplicatedCompletionIsHarmless) {
  const System system = system_of({task_with({copy(), kernel()})});
  Core core{system, 4};
  const auto submits = only<Submit>(step(core, 0, {Released{}}));
  const Event first = Finished{submits[0].id};
  EXPECT_TRUE(only<Done>(step(core, 2, {first, first})).empty());
  EXPECT_TRUE(only<Done>(step(core, 3, {first})).empty());
  EXPECT_EQ(core.jobs().size(), 1U);
}

TEST(Core, ALateCompletionOfAJobThatIsGoneDoesNotTouchItsSuccessorInTheTable) {
  const System system = system_of({task_with({kernel()}, Arrival::periodic)});
  System periodic = system;
  periodic.tasks[0].period = periodic.tasks[0].deadline = nanoseconds(10);
  Core core{periodic, 1};
  const auto first = only<Submit>(step(core, 0, {Released{}}));
  step(core, 5, {Finished{first[0].id}});
  const auto second =
      only<Submit>(step(core, 10, {Released{.task = 0, .number = 1, .nominal = time_at(nanoseconds(10))}}));
  EXPECT_EQ(second[0].id.job.slot, first[0].id.job.slot);
  EXPECT_TRUE(only<Done>(step(core, 11, {Finished{first[0].id}})).empty());
  EXPECT_EQ(core.jobs().size(), 1U);
}

TEST(Core, AFullTableDropsTheReleaseAndSaysSo) {
  const System system = system_of({task_with({kernel()})});
  Core core{system, 1};
  step(core, 0, {Released{}});
  const Commands commands =
      step(core, 1, {Released{.task = 0, .number = 1, .nominal = time_at(nanoseconds(1))}});
  ASSERT_EQ(only<DropJob>(commands).size(), 1U);
  EXPECT_EQ(only<DropJob>(commands)[0].number, 1U);
  EXPECT_TRUE(only<Submit>(commands).empty());
}

TEST(Core, ABestEffortTaskRepeatsAtItsCompletionInFileOrderUntilAskedToStop) {
  const System system =
      system_of({task_with({kernel()}, Arrival::best_effort), task_with({kernel()}, Arrival::once)});
  Core core{system, 4};
  const auto first = only<Submit>(step(core, 0, {Released{}}));
  const Commands both =
      step(core, 5, {Finished{first[0].id}, Released{.task = 1, .number = 0, .nominal = {}}});
  const auto submits = only<Submit>(both);
  ASSERT_EQ(submits.size(), 2U);
  EXPECT_EQ(core.jobs().find(submits[0].id.job)->task, 0U);
  EXPECT_EQ(core.jobs().find(submits[0].id.job)->number, 1U);
  EXPECT_EQ(core.jobs().find(submits[1].id.job)->task, 1U);
  EXPECT_EQ(only<Repeat>(both).size(), 1U);
  const Commands last = step(core, 10, {StopRequested{}, Finished{submits[0].id}});
  EXPECT_EQ(only<Done>(last).size(), 1U);
  EXPECT_TRUE(only<Submit>(last).empty());
}

TEST(Core, BestEffortTasksThatAreAbortedRepeatInFileOrder) {
  System system =
      system_of({task_with({kernel()}, Arrival::best_effort), task_with({kernel()}, Arrival::best_effort)});
  for (Task& task : system.tasks) task.on_overrun = OnOverrun::abort;
  Core core{system, 4};
  const auto first =
      only<Submit>(step(core, 0, {Released{}, Released{.task = 1, .number = 0, .nominal = {}}}));
  ASSERT_EQ(first.size(), 2U);
  step(core, 1, {BudgetUsedUp{first[0].id.job}, BudgetUsedUp{first[1].id.job}});
  const Commands again = step(core, 2, {Stopped{first[1].id}, Stopped{first[0].id}});
  const auto repeats = only<Repeat>(again);
  ASSERT_EQ(repeats.size(), 2U);
  EXPECT_EQ(core.jobs().find(repeats[0].job)->task, 0U);
  EXPECT_EQ(core.jobs().find(repeats[1].job)->task, 1U);
}

TEST(Core, ABestEffortJobThatWaitsAndIsAbortedIsRepeated) {
  System system =
      system_of({task_with({kernel()}, Arrival::once), task_with({kernel()}, Arrival::best_effort)});
  system.policy.strategy = strategy_named("single-stream");
  system.tasks[1].on_overrun = OnOverrun::abort;
  Core core{system, 4};
  step(core, 0, {Released{}, Released{.task = 1, .number = 0, .nominal = {}}});
  JobId waiting{};
  core.jobs().for_each([&](JobId id, const JobRow& job) {
    if (job.task == 1) waiting = id;
  });
  const Commands commands = step(core, 1, {BudgetUsedUp{waiting}});
  EXPECT_EQ(only<DropJob>(commands).size(), 1U);
  EXPECT_EQ(only<Repeat>(commands).size(), 1U);
}

TEST(Core, AFailedSegmentDropsItsJobOnceNothingOfItIsLeftOnTheDevice) {
  const System system = system_of({task_with({copy(), kernel()})});
  Core core{system, 4};
  const auto submits = only<Submit>(step(core, 0, {Released{}}));
  const Commands failed = step(core, 1, {Failed{submits[0].id}});
  EXPECT_TRUE(only<DropJob>(failed).empty());
  ASSERT_EQ(only<RequestStop>(failed).size(), 1U);
  EXPECT_EQ(only<RequestStop>(failed)[0].id, submits[1].id);
  EXPECT_TRUE(step(core, 2, {Failed{submits[0].id}}).empty());
  const auto dropped = only<DropJob>(step(core, 3, {Stopped{submits[1].id, {}}}));
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0].why, Dropped::failed);
  EXPECT_EQ(core.jobs().size(), 0U);
}

TEST(Core, WhatIsHeardOfAnEarlierPartIsIgnored) {
  System system = system_of({task_with({kernel()}, Arrival::best_effort)});
  system.policy.strategy = strategy_named("single-stream");
  Core core{system, 4};
  const auto first = only<Submit>(step(core, 0, {Released{}}));
  ASSERT_EQ(first.size(), 1U);
  const auto second = only<Submit>(step(core, 1, {Stopped{first[0].id, {}}}));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_NE(first[0].id.part, second[0].id.part);
  EXPECT_TRUE(step(core, 2, {Stopped{first[0].id, {}}}).empty());
  EXPECT_TRUE(step(core, 3, {Finished{first[0].id}}).empty());
  EXPECT_EQ(only<Done>(step(core, 4, {Finished{second[0].id}})).size(), 1U);
}

/// One task of exclusive work whose jobs have a budget.
System with_overruns(OnOverrun on_overrun) {
  System system = system_of({task_with({ExclusiveSegment{{nanoseconds(5), nanoseconds(5)}}})});
  system.policy.strategy = strategy_named("single-stream");
  system.tasks[0].on_overrun = on_overrun;
  return system;
}

TEST(Core, AJobThatUsesUpItsBudgetIsAbortedAtItsNextStop) {
  const System system = with_overruns(OnOverrun::abort);
  Core core{system, 4};
  const auto submit = only<Submit>(step(core, 0, {Released{}})).at(0);
  const Commands over = step(core, 3, {BudgetUsedUp{submit.id.job}});
  EXPECT_EQ(only<RequestStop>(over).size(), 1U);
  const Commands stopped = step(core, 4,
                                {Stopped{submit.id, {.time = nanoseconds(3)}},
                                 Released{.task = 0, .number = 1, .nominal = time_at(nanoseconds(4))}});
  ASSERT_EQ(only<DropJob>(stopped).size(), 1U);
  EXPECT_EQ(only<DropJob>(stopped)[0].why, Dropped::aborted);
  EXPECT_EQ(only<Submit>(stopped).size(), 1U);  // the next job has the stream
}

TEST(Core, AJobThatEndsBeforeItCanBeAbortedIsDone) {
  const System system = with_overruns(OnOverrun::abort);
  Core core{system, 4};
  const auto submit = only<Submit>(step(core, 0, {Released{}})).at(0);
  step(core, 3, {BudgetUsedUp{submit.id.job}});
  const Commands commands = step(core, 4, {Finished{submit.id}});
  EXPECT_EQ(only<Done>(commands).size(), 1U);
  EXPECT_TRUE(only<DropJob>(commands).empty());
}

TEST(Core, AJobThatWaitsIsAbortedAtOnce) {
  const System system = with_overruns(OnOverrun::abort);
  Core core{system, 4};
  const auto submit = only<Submit>(step(core, 0, {Released{}, Released{.task = 0, .number = 1}})).at(0);
  JobId waiting{};
  core.jobs().for_each([&](JobId id, const JobRow& job) {
    if (job.number == 1) waiting = id;
  });
  EXPECT_EQ(only<DropJob>(step(core, 1, {BudgetUsedUp{waiting}})).size(), 1U);
  EXPECT_TRUE(only<Submit>(step(core, 2, {Finished{submit.id}})).empty());
}

TEST(Core, AfterAnOverrunOrAMissTheNextJobIsSkippedIfSoAsked) {
  for (const bool overrun : {true, false}) {
    System system = with_overruns(overrun ? OnOverrun::skip_next : OnOverrun::proceed);
    if (!overrun) system.tasks[0].on_miss = OnMiss::skip_next;
    Core core{system, 4};
    const auto submit = only<Submit>(step(core, 0, {Released{}})).at(0);
    const Event event = overrun ? Event{BudgetUsedUp{submit.id.job}} : Event{DeadlinePassed{submit.id.job}};
    EXPECT_TRUE(step(core, 3, {event}).empty());
    const auto skipped = only<DropJob>(step(core, 4, {Released{.task = 0, .number = 1}}));
    ASSERT_EQ(skipped.size(), 1U);
    EXPECT_EQ(skipped[0].why, Dropped::skipped);
    EXPECT_EQ(only<Done>(step(core, 5, {Finished{submit.id}})).size(), 1U);
    EXPECT_EQ(only<Submit>(step(core, 6, {Released{.task = 0, .number = 2}})).size(), 1U);
  }
}

TEST(Core, ADemotedJobGivesWayToAllOthers) {
  System system = system_of({task_with({kernel()}, Arrival::once), task_with({kernel()}, Arrival::once)});
  system.policy.strategy = strategy_named("multi-stream");
  system.policy.order = Order::fp;
  system.tasks[0].priority = 2;
  system.tasks[1].priority = 1;
  system.tasks[0].on_overrun = OnOverrun::demote;
  Core core{system, 4};
  const auto first = only<Submit>(step(core, 0, {Released{}})).at(0);
  EXPECT_TRUE(only<Submit>(step(core, 1, {Released{.task = 1}})).empty());
  const auto second = only<Submit>(step(core, 2, {BudgetUsedUp{first.id.job}}));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].stream, 1U);  // above the demoted one
}

TEST(Core, TheDeadlineCountsFromTheNominalRelease) {
  System system = system_of({task_with({kernel()})});
  system.tasks[0].deadline = nanoseconds(100);
  Core core{system, 4};
  const auto submits =
      only<Submit>(step(core, 30, {Released{.task = 0, .number = 0, .nominal = time_at(nanoseconds(20))}}));
  EXPECT_EQ(core.jobs().find(submits[0].id.job)->deadline, time_at(nanoseconds(120)));
}

TEST(Core, NamedStreamsAreSharedByName) {
  System system = system_of({task_with({kernel()}), task_with({kernel()}), task_with({kernel()})});
  system.tasks[0].stream = "a";
  system.tasks[1].stream = "b";
  system.tasks[2].stream = "a";
  Core core{system, 4};
  EXPECT_EQ(core.streams(), 2U);
  const auto submits =
      only<Submit>(step(core, 0, {Released{0, 0, {}}, Released{1, 0, {}}, Released{2, 0, {}}}));
  EXPECT_EQ(submits[0].stream, submits[2].stream);
  EXPECT_NE(submits[0].stream, submits[1].stream);
}

TEST(Refusals, NameAllTasksWithASegmentOnce) {
  const GpuSegment gpu{.work = Interval::exactly(nanoseconds(1)), .overhead = {}};
  System system = system_of({task_with({gpu, kernel(), gpu}), task_with({kernel()}), task_with({gpu})});
  for (std::size_t i = 0; i < system.tasks.size(); ++i) system.tasks[i].name = "t" + std::to_string(i);
  EXPECT_THAT(
      refusals(system, simulator()),
      testing::ElementsAre(testing::StartsWith("tasks 't0', 't2': a `gpu` segment needs virtual SMs")));
  for (std::size_t i = 3; i < 7; ++i) {
    system.tasks.push_back(system.tasks[2]);
    system.tasks.back().name = "t" + std::to_string(i);
  }
  EXPECT_THAT(refusals(system, simulator()),
              testing::ElementsAre(testing::StartsWith("tasks 't0', 't2', 't3', 't4' and 2 more: ")));
}

TEST(Refusals, SayWhoTakesTheSystem) {
  System system = system_of({task_with({GpuSegment{.work = {}, .overhead = {}}, kernel()})});
  system.tasks[0].stream_priority = -2;
  try {
    refuse_what_is_missing(system, simulator());
    FAIL() << "it gives no virtual SMs";
  } catch (const InputError& error) {
    ASSERT_EQ(error.problems().size(), 2U);
    EXPECT_EQ(error.problems()[0].id, ProblemId::not_supported);
    EXPECT_EQ(error.problems()[0].hint, "");
    EXPECT_THAT(error.problems()[1].hint, HasSubstr("`tactus compare FILE`")) << "once, behind all of them";
  }
  EXPECT_NO_THROW(refuse_what_is_missing(system_of({task_with({kernel()})}), simulator()));
}

TEST(Refusals, NameWhatIsMissing) {
  System system = system_of({task_with({GpuSegment{.work = {}, .overhead = {}}, kernel()})});
  ASSERT_EQ(refusals(system, simulator()).size(), 1U);
  EXPECT_THAT(refusals(system, simulator()).front(), HasSubstr("`gpu`"));
  system.tasks[0] = task_with({kernel()});
  EXPECT_TRUE(refusals(system, simulator()).empty());
  system.tasks[0].stream_priority = -2;
  EXPECT_EQ(refusals(system, simulator()).size(), 1U);
  system.tasks[0].stream_priority = 0;
  system.policy.strategy = strategy_named("graph");
  EXPECT_THAT(refusals(system, simulator()).front(), HasSubstr("graph"));
}

// ------------------------------------------------------------------------------- federated, copies in pieces

/// Two copies of ten bytes in pieces of four, the second less urgent.
System two_cut_copies() {
  const CopySegment long_copy{.time = Interval::exactly(nanoseconds(10)), .bytes = 10, .direction = {}};
  System system = system_of({task_with({long_copy}), task_with({long_copy})});
  system.platform.gpu.copy_bandwidth = 1'000'000'000;
  system.platform.gpu.copy_chunk = 4;
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  for (Task& task : system.tasks) task.work.form = WorkForm::chain;
  system.tasks[0].priority = 1;
  system.tasks[1].on_overrun = OnOverrun::abort;
  return system;
}

Released release_of(TaskIndex task) { return {.task = task, .number = 0, .nominal = origin}; }

TEST(CopyChunks, AreSubmittedOneByOneTheMostUrgentFirst) {
  const System system = two_cut_copies();
  Core core{system, 4};
  const auto one = [&](std::int64_t now, std::vector<Event> events) {
    const auto submits = only<Submit>(step(core, now, std::move(events)));
    EXPECT_EQ(submits.size(), 1U);
    EXPECT_EQ(submits.at(0).extent, Extent::slice);
    return submits.at(0).id;
  };
  const SubmissionId low = one(0, {release_of(1)});
  EXPECT_TRUE(step(core, 1, {release_of(0)}).empty()) << "the engine is busy";
  const SubmissionId urgent = one(4, {Stopped{low, {.time = nanoseconds(4)}}});
  EXPECT_NE(urgent.job, low.job);
  EXPECT_TRUE(step(core, 5, {Stopped{low, {.time = nanoseconds(4)}}}).empty()) << "it was told before";
  const SubmissionId second = one(8, {Stopped{urgent, {.time = nanoseconds(4)}}});
  EXPECT_EQ(second.job, urgent.job) << "nothing less urgent comes between";
  EXPECT_NE(second.part, urgent.part);
  const Commands done = step(core, 12, {Finished{second}});  // a device may need fewer pieces
  EXPECT_EQ(only<Done>(done).size(), 1U);
  ASSERT_EQ(only<Submit>(done).size(), 1U);
  EXPECT_EQ(only<Submit>(done)[0].id.job, low.job);
}

TEST(CopyChunks, AJobThatIsAbortedLeavesTheEngineAtTheEndOfItsPiece) {
  const System system = two_cut_copies();
  Core core{system, 4};
  const SubmissionId low = only<Submit>(step(core, 0, {release_of(1)})).at(0).id;
  const Commands asked = step(core, 1, {release_of(0), BudgetUsedUp{low.job}});
  EXPECT_EQ(only<RequestStop>(asked).size(), 1U);
  EXPECT_TRUE(only<Submit>(asked).empty());
  const Commands over = step(core, 4, {Stopped{low, {.time = nanoseconds(4)}}});
  EXPECT_EQ(only<DropJob>(over).size(), 1U);
  const auto urgent = only<Submit>(over);
  ASSERT_EQ(urgent.size(), 1U);
  EXPECT_FALSE(urgent[0].id.job == low.job);
}

TEST(CopyChunks, AJobThatIsAbortedBetweenItsPiecesIsForgotten) {
  const System system = two_cut_copies();
  Core core{system, 4};
  const SubmissionId low = only<Submit>(step(core, 0, {release_of(1)})).at(0).id;
  const auto urgent = only<Submit>(
      step(core, 4, {release_of(0), Stopped{low, {.time = nanoseconds(4)}}}));  // now `low` waits
  ASSERT_EQ(urgent.size(), 1U);
  const Commands dropped = step(core, 5, {BudgetUsedUp{low.job}});
  EXPECT_EQ(only<DropJob>(dropped).size(), 1U);
  const Commands done = step(core, 8, {Finished{urgent[0].id}});
  EXPECT_EQ(only<Done>(done).size(), 1U);
  EXPECT_TRUE(only<Submit>(done).empty());
  EXPECT_EQ(core.jobs().size(), 0U);
}

}  // namespace
}  // namespace tactus::sched
