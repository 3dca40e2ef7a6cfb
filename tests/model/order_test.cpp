// Orders that follow from the model: of nodes by their edges, of tasks by their urgency.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tactus/model/system.hpp"

namespace tactus {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

Work graph(std::size_t nodes, std::vector<Edge> edges) {
  return {.form = WorkForm::graph, .nodes = std::vector<Node>(nodes), .edges = std::move(edges)};
}

TEST(TopologicalOrder, KeepsTheFileOrderWhereEdgesLeaveAChoice) {
  EXPECT_THAT(topological_order(graph(4, {})), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(topological_order(graph(4, {{3, 0}})), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(topological_order(graph(4, {{2, 1}, {1, 0}, {3, 0}})), ElementsAre(2, 1, 3, 0));
}

TEST(TopologicalOrder, ChainsKeepTheirOrder) {
  Work chain{.form = WorkForm::chain, .nodes = std::vector<Node>(3), .edges = {}};
  EXPECT_THAT(topological_order(chain), ElementsAre(0, 1, 2));
}

TEST(TopologicalOrder, CyclesHaveNone) {
  EXPECT_THAT(topological_order(graph(3, {{0, 1}, {1, 0}})), IsEmpty());
  EXPECT_THAT(topological_order(graph(1, {{0, 0}})), IsEmpty());
}

TEST(LeastTime, AddsTheBestCases) {
  Work work{.form = WorkForm::chain, .nodes = {}, .edges = {}};
  EXPECT_EQ(min_time(work), 0ns);
  KernelSegment kernel;
  kernel.grid = {1000, 1, 1};
  kernel.block_time = {3ns, 9ns};
  work.nodes = {{{}, CpuSegment{{1ns, 5ns}}}, {{}, kernel}, {{}, GpuSegment{{10ns, 90ns}, {}, 1}}};
  EXPECT_EQ(min_time(work), 14ns);
  work.nodes.push_back({{}, ExclusiveSegment{{Duration::max(), Duration::max()}}});
  EXPECT_EQ(min_time(work), Duration::max());
}

Task task(std::optional<std::int64_t> priority, std::optional<Duration> deadline,
          std::optional<Duration> period) {
  Task result;
  result.priority = priority;
  result.deadline = deadline;
  result.period = period;
  return result;
}

std::vector<TaskIndex> order_of(std::vector<Task> tasks) {
  System system;
  system.tasks = std::move(tasks);
  return urgency_order(system);
}

TEST(UrgencyOrder, LargerPriorityThenDeadlineThenPeriodThenFile) {
  EXPECT_THAT(order_of({task(1, 1ms, 1ms), task(3, 9ms, 9ms), task(2, 1ms, 1ms)}), ElementsAre(1, 2, 0));
  EXPECT_THAT(order_of({task(1, 5ms, 1ms), task(1, 4ms, 9ms)}), ElementsAre(1, 0));
  EXPECT_THAT(order_of({task(1, 5ms, 9ms), task(1, 5ms, 8ms)}), ElementsAre(1, 0));
  EXPECT_THAT(order_of({task(1, 5ms, 9ms), task(1, 5ms, 9ms)}), ElementsAre(0, 1));
}

TEST(UrgencyOrder, WithoutPrioritiesIsDeadlineMonotonic) {
  EXPECT_THAT(order_of({task({}, 5ms, 5ms), task({}, 3ms, 50ms), task({}, 4ms, 4ms)}), ElementsAre(1, 2, 0));
}

TEST(UrgencyOrder, ATaskWithoutPriorityComesAfterThoseWithOne) {
  EXPECT_THAT(order_of({task({}, 1ms, 1ms), task(0, 9ms, 9ms)}), ElementsAre(1, 0));
}

TEST(UrgencyOrder, ATaskWithoutDeadlineComesAfterThoseWithOne) {
  EXPECT_THAT(order_of({task({}, {}, {}), task({}, 9ms, 9ms)}), ElementsAre(1, 0));
}

TEST(UrgencyOrder, BestEffortComesLast) {
  std::vector<Task> tasks{task(9, {}, {}), task({}, {}, {}), task(0, 9ms, 9ms)};
  tasks[0].arrival = Arrival::best_effort;
  tasks[1].arrival = Arrival::once;
  EXPECT_THAT(order_of(tasks), ElementsAre(2, 1, 0));
}

TEST(Hyperperiod, IsTheLeastCommonMultipleOfThePeriods) {
  System system;
  EXPECT_EQ(hyperperiod(system), std::nullopt);
  system.tasks = {task({}, {}, {})};
  EXPECT_EQ(hyperperiod(system), std::nullopt);
  system.tasks = {task({}, 4ms, 4ms), task({}, {}, {}), task({}, 6ms, 6ms)};
  EXPECT_EQ(hyperperiod(system), 12ms);
  system.tasks.push_back(task({}, 1ms, Duration::max()));
  EXPECT_EQ(hyperperiod(system), std::nullopt);
}

}  // namespace
}  // namespace tactus
