// So many jobs of a task at once: who is turned away, and the places of those who are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tactus/model/presets.hpp"
#include "tactus/sched/core.hpp"

namespace tactus::sched {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

System system_of(std::int64_t max_jobs, OnFull on_full) {
  System system;
  system.platform = *find_preset("jetson-tx2");
  system.policy.strategy = strategy_named("single-stream");
  Task& task = system.tasks.emplace_back();
  task.name = "camera";
  task.period = nanoseconds(10);
  task.deadline = nanoseconds(1000);
  task.work.nodes = {
      {"", KernelSegment{.grid = {1, 1, 1}, .block = 32, .block_time = Interval::exactly(nanoseconds(5))}}};
  task.max_jobs = max_jobs;
  task.on_full = on_full;
  return system;
}

/// One job is served at a time; the others have not begun.
class Driven {
 public:
  Driven(std::int64_t max_jobs, OnFull on_full) : system{system_of(max_jobs, on_full)}, core{system, 64} {}
  explicit Driven(System given) : system{std::move(given)}, core{system, 64} {}

  void step(std::vector<Event> events) {
    Commands commands;
    core.step(now += nanoseconds(1), events, commands);
    turned_away.clear();
    done.clear();
    for (const Command& command : commands) {
      if (const auto* submit = std::get_if<Submit>(&command)) served = submit->id;
      if (const auto* drop = std::get_if<DropJob>(&command)) turned_away.push_back(*drop);
      if (const auto* end = std::get_if<Done>(&command)) done.push_back(*end);
    }
  }
  void release() { step({Released{.task = 0, .number = next++, .nominal = now}}); }
  void finish() { step({Finished{*served}}); }

  [[nodiscard]] std::vector<std::uint64_t> numbers_turned_away() const {
    std::vector<std::uint64_t> numbers;
    for (const DropJob& drop : turned_away) {
      EXPECT_EQ(drop.why, Dropped::full);
      numbers.push_back(drop.number);
    }
    return numbers;
  }
  [[nodiscard]] std::set<std::uint32_t> places() const {
    std::set<std::uint32_t> places;
    core.jobs().for_each([&](JobId /*id*/, const JobRow& job) {
      EXPECT_TRUE(places.insert(job.place).second) << "two jobs have one place";
    });
    return places;
  }

  System system;
  Core core;
  Time now = origin;
  std::uint64_t next = 0;
  std::optional<SubmissionId> served;
  std::vector<DropJob> turned_away;
  std::vector<Done> done;
};

TEST(MaxJobs, TheNewestIsTurnedAway) {
  Driven driven{2, OnFull::drop_newest};
  driven.release();
  driven.release();
  EXPECT_THAT(driven.places(), ElementsAre(0U, 1U));
  driven.release();
  EXPECT_THAT(driven.numbers_turned_away(), ElementsAre(2U));
  driven.finish();
  EXPECT_EQ(driven.done.at(0).number, 0U);
  driven.release();
  EXPECT_THAT(driven.turned_away, IsEmpty());
  EXPECT_THAT(driven.places(), ElementsAre(0U, 1U));
}

TEST(MaxJobs, TheOldestThatHasNotBegunIsTurnedAway) {
  Driven driven{3, OnFull::drop_oldest};
  for (int i = 0; i < 3; ++i) driven.release();
  driven.release();  // 0 is being served
  EXPECT_THAT(driven.numbers_turned_away(), ElementsAre(1U));
  EXPECT_TRUE(driven.turned_away[0].job.has_value());
  driven.release();
  EXPECT_THAT(driven.numbers_turned_away(), ElementsAre(2U));
  EXPECT_THAT(driven.places(), ElementsAre(0U, 1U, 2U));
  driven.finish();
  driven.finish();
  EXPECT_EQ(driven.done.at(0).number, 3U) << "the order of those that are left";
  driven.finish();
  EXPECT_EQ(driven.done.at(0).number, 4U);
  EXPECT_EQ(driven.core.jobs().size(), 0U);
}

TEST(MaxJobs, WhatHasBegunIsNeverTurnedAway) {
  Driven driven{1, OnFull::drop_oldest};
  driven.release();
  driven.release();
  EXPECT_THAT(driven.numbers_turned_away(), ElementsAre(1U));
  driven.finish();
  EXPECT_EQ(driven.done.at(0).number, 0U);
}

TEST(MaxJobs, AJobThatEndsAtThisInstantLeavesItsPlaceFirst) {
  Driven driven{1, OnFull::drop_newest};
  driven.release();
  driven.step({Released{.task = 0, .number = 1, .nominal = driven.now}, Finished{*driven.served}});
  EXPECT_THAT(driven.turned_away, IsEmpty());
  EXPECT_EQ(driven.done.at(0).number, 0U);
  EXPECT_EQ(driven.core.jobs().size(), 1U);
}

/// Nothing of a job that holds a core was submitted, and its core must be given back.
TEST(MaxJobs, JobsServedNodeByNodeAreTurnedAwayWhileTheyWaitForTheJobBefore) {
  System system = system_of(2, OnFull::drop_oldest);
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  system.virtual_sms = {0};
  system.tasks[0].work.nodes = {{"", CpuSegment{Interval::exactly(nanoseconds(5))}}};
  Driven driven{system};
  for (int i = 0; i < 4; ++i) driven.release();
  EXPECT_THAT(driven.numbers_turned_away(), ElementsAre(2U));
  driven.finish();
  EXPECT_EQ(driven.done.at(0).number, 0U);
  driven.finish();
  EXPECT_EQ(driven.done.at(0).number, 3U);
}

TEST(MaxJobs, WithoutRoomBeyondTheLimitOfARun) {
  System system = system_of(1, OnFull::drop_newest);
  system.tasks[0].max_jobs.reset();
  Driven driven{system};
  driven.core.limit_jobs(0, 2);
  for (int i = 0; i < 3; ++i) driven.release();
  ASSERT_EQ(driven.turned_away.size(), 1U);
  EXPECT_EQ(driven.turned_away[0].why, Dropped::no_room) << "the file does not ask for it";
}

TEST(MaxJobs, APlaceWithAResultIsTakenUntilItIsGivenBack) {
  Driven driven{1, OnFull::drop_newest};
  driven.core.keep_results(0);
  EXPECT_EQ(driven.core.oldest_job(0), std::nullopt);
  driven.release();
  EXPECT_EQ(driven.core.oldest_job(0), 0U);
  driven.finish();
  EXPECT_EQ(driven.core.oldest_job(0), std::nullopt);
  driven.release();
  EXPECT_THAT(driven.numbers_turned_away(), ElementsAre(1U));
  driven.core.give_back(0, 0);
  driven.release();
  EXPECT_THAT(driven.turned_away, IsEmpty());
}

}  // namespace
}  // namespace tactus::sched
