// Which job comes first.
#include "tactus/sched/ready_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tactus::sched {
namespace {

using testing::ElementsAre;

Task task_with(std::int64_t deadline, Arrival arrival = Arrival::periodic) {
  Task task;
  task.name = "task";
  task.arrival = arrival;
  if (arrival == Arrival::periodic) task.period = nanoseconds(100);
  if (arrival != Arrival::best_effort) task.deadline = nanoseconds(deadline);
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(nanoseconds(1))}});
  return task;
}

/// Task 0 has the longer deadline, so task 1 comes first in the strict order; task 2 is best-effort.
System system_with(Order order) {
  System system;
  system.policy.order = order;
  system.tasks = {task_with(50), task_with(40), task_with(0, Arrival::best_effort)};
  return system;
}

JobRow job(TaskIndex task, std::uint64_t number, Time deadline) {
  JobRow result;
  result.task = task;
  result.number = number;
  result.deadline = deadline;
  return result;
}

JobRow job(TaskIndex task, std::uint64_t number, std::int64_t deadline) {
  return job(task, number, time_at(nanoseconds(deadline)));
}

Urgency submitted(Urgency urgency) {
  urgency.waiting = false;
  return urgency;
}

TEST(Urgency, UnderEdfIsTheDeadlineThenTheStrictOrderThenTheJob) {
  const JobOrder order{system_with(Order::edf)};
  EXPECT_LT(order.of_waiting(job(0, 0, 49)), order.of_waiting(job(1, 0, 50)));
  EXPECT_LT(order.of_waiting(job(1, 7, 50)), order.of_waiting(job(0, 0, 50)));
  EXPECT_LT(order.of_waiting(job(1, 6, 50)), order.of_waiting(job(1, 7, 50)));
}

TEST(Urgency, UnderEdfASubmittedJobWinsAmongEqualDeadlinesOnly) {
  const JobOrder order{system_with(Order::edf)};
  const Urgency running = submitted(order.of_waiting(job(0, 0, 50)));
  EXPECT_LT(running, order.of_waiting(job(1, 0, 50)));
  EXPECT_LT(order.of_waiting(job(1, 0, 49)), running);
}

TEST(Urgency, UnderFixedPrioritiesIsTheStrictOrderThenTheJob) {
  const JobOrder order{system_with(Order::fp)};
  const Urgency running = submitted(order.of_waiting(job(0, 0, 10)));
  EXPECT_LT(order.of_waiting(job(1, 9, 1000)), running);
  EXPECT_LT(order.of_waiting(job(0, 0, 10)), order.of_waiting(job(0, 1, 5)));
}

TEST(Urgency, OfBestEffortJobsIsTheLeast) {
  for (const Order kind : {Order::edf, Order::fp}) {
    const JobOrder order{system_with(kind)};
    EXPECT_TRUE(order.is_best_effort(2));
    EXPECT_FALSE(order.is_best_effort(0));
    // Also behind a job that has no deadline either, and although it was submitted already.
    EXPECT_LT(order.of_waiting(job(0, 0, never)), submitted(order.of_waiting(job(2, 0, never))));
  }
}

TEST(ReadyQueue, GivesTheMostUrgentFirst) {
  const JobOrder order{system_with(Order::edf)};
  ReadyQueue queue;
  EXPECT_TRUE(queue.empty());
  const std::vector<std::int64_t> deadlines{30, 10, 50, 20, 40, 10};
  for (std::size_t i = 0; i < deadlines.size(); ++i) {
    queue.push({.urgency = order.of_waiting(job(0, i, deadlines[i])), .id = {}, .task = 0});
  }
  std::vector<std::uint64_t> numbers;
  while (!queue.empty()) {
    const std::uint64_t best = queue.best().urgency.number;
    numbers.push_back(queue.pop().urgency.number);
    EXPECT_EQ(numbers.back(), best);
  }
  EXPECT_THAT(numbers, ElementsAre(1, 5, 3, 0, 4, 2));
}

TEST(ReadyQueue, KeepsHowFarAJobHasCome) {
  ReadyQueue queue;
  queue.push({.urgency = {}, .id = {3, 4}, .task = 5, .position = 6, .slices = 7});
  const ReadyJob back = queue.pop();
  EXPECT_EQ(back.id, (JobId{3, 4}));
  EXPECT_EQ(back.task, 5U);
  EXPECT_EQ(back.position, 6U);
  EXPECT_EQ(back.slices, 7);
}

}  // namespace
}  // namespace tactus::sched
