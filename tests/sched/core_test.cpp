// The scheduler core: what it does with events that are in order, and with those that are not.
#include "tactus/sched/core.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tactus/model/presets.hpp"

namespace tactus::sched {
namespace {

using testing::HasSubstr;

Task task_with(std::vector<Segment> segments, Arrival arrival = Arrival::once) {
  Task task;
  task.name = "t";
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
  core.step(at(nanoseconds(now)), events, commands);
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
      only<Submit>(step(core, 7, {Released{.task = 0, .number = 0, .nominal = at(nanoseconds(7))}}));
  ASSERT_EQ(submits.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(submits[i].operation.segment, i);
    EXPECT_EQ(submits[i].stream, own_stream);
    EXPECT_EQ(submits[i].rank, 1U);  // stream priority 0 is the least urgent of two levels
  }
}

TEST(Core, AJobIsDoneWhenItsLastSegmentHasFinishedAndNotBefore) {
  const System system = system_of({task_with({copy(), kernel()})});
  Core core{system, 4};
  const auto submits = only<Submit>(step(core, 0, {Released{}}));
  EXPECT_TRUE(only<Done>(step(core, 2, {Finished{submits[0].operation}})).empty());
  const auto done = only<Done>(step(core, 9, {Finished{submits[1].operation}}));
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done[0].task, 0U);
  EXPECT_EQ(core.jobs().size(), 0U);
}

TEST(Core, ADuplicatedCompletionIsHarmless) {
  const System system = system_of({task_with({copy(), kernel()})});
  Core core{system, 4};
  const auto submits = only<Submit>(step(core, 0, {Released{}}));
  const Event first = Finished{submits[0].operation};
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
  step(core, 5, {Finished{first[0].operation}});
  const auto second =
      only<Submit>(step(core, 10, {Released{.task = 0, .number = 1, .nominal = at(nanoseconds(10))}}));
  EXPECT_EQ(second[0].operation.job.slot, first[0].operation.job.slot);
  EXPECT_TRUE(only<Done>(step(core, 11, {Finished{first[0].operation}})).empty());
  EXPECT_EQ(core.jobs().size(), 1U);
}

TEST(Core, AFullTableDropsTheReleaseAndSaysSo) {
  const System system = system_of({task_with({kernel()})});
  Core core{system, 1};
  step(core, 0, {Released{}});
  const Commands commands = step(core, 1, {Released{.task = 0, .number = 1, .nominal = at(nanoseconds(1))}});
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
      step(core, 5, {Finished{first[0].operation}, Released{.task = 1, .number = 0, .nominal = {}}});
  const auto submits = only<Submit>(both);
  ASSERT_EQ(submits.size(), 2U);
  EXPECT_EQ(core.jobs().find(submits[0].operation.job)->task, 0U);
  EXPECT_EQ(core.jobs().find(submits[0].operation.job)->number, 1U);
  EXPECT_EQ(core.jobs().find(submits[1].operation.job)->task, 1U);
  EXPECT_EQ(only<Repeat>(both).size(), 1U);
  const Commands last = step(core, 10, {StopRequested{}, Finished{submits[0].operation}});
  EXPECT_EQ(only<Done>(last).size(), 1U);
  EXPECT_TRUE(only<Submit>(last).empty());
}

TEST(Core, AFailedSegmentDropsItsJob) {
  const System system = system_of({task_with({copy(), kernel()})});
  Core core{system, 4};
  const auto submits = only<Submit>(step(core, 0, {Released{}}));
  EXPECT_EQ(only<DropJob>(step(core, 1, {Failed{submits[0].operation}})).size(), 1U);
  EXPECT_EQ(core.jobs().size(), 0U);
  EXPECT_TRUE(step(core, 2, {Failed{submits[0].operation}}).empty());
}

TEST(Core, TheDeadlineCountsFromTheNominalRelease) {
  System system = system_of({task_with({kernel()})});
  system.tasks[0].deadline = nanoseconds(100);
  Core core{system, 4};
  const auto submits =
      only<Submit>(step(core, 30, {Released{.task = 0, .number = 0, .nominal = at(nanoseconds(20))}}));
  EXPECT_EQ(core.jobs().find(submits[0].operation.job)->deadline, at(nanoseconds(120)));
}

TEST(Core, NamedStreamsAreSharedByName) {
  System system = system_of({task_with({kernel()}), task_with({kernel()}), task_with({kernel()})});
  system.tasks[0].stream = "a";
  system.tasks[1].stream = "b";
  system.tasks[2].stream = "a";
  Core core{system, 4};
  EXPECT_EQ(core.named_streams(), (std::vector<std::string>{"a", "b"}));
  const auto submits =
      only<Submit>(step(core, 0, {Released{0, 0, {}}, Released{1, 0, {}}, Released{2, 0, {}}}));
  EXPECT_EQ(submits[0].stream, submits[2].stream);
  EXPECT_NE(submits[0].stream, submits[1].stream);
}

TEST(Refusals, NameWhatIsMissing) {
  System system = system_of({task_with({CpuSegment{Interval::exactly(nanoseconds(1))}, kernel()})});
  ASSERT_EQ(refusals(system, simulator()).size(), 1U);
  EXPECT_THAT(refusals(system, simulator()).front(), HasSubstr("`cpu`"));
  system.tasks[0] = task_with({kernel()});
  EXPECT_TRUE(refusals(system, simulator()).empty());
  system.tasks[0].stream_priority = -2;
  EXPECT_EQ(refusals(system, simulator()).size(), 1U);
  system.tasks[0].stream_priority = 0;
  system.policy.strategy = StrategyKind::graph;
  EXPECT_THAT(refusals(system, simulator()).front(), HasSubstr("graph"));
}

}  // namespace
}  // namespace tactus::sched
