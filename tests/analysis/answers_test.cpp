// What an answer says beyond its verdict: what kind of test it was for this system, whether a bound is only
// the deadline, by how much a response is late, and of which terms it is made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <random>

#include "support/dice.hpp"
#include "support/gpu_job_systems.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/block_rta.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/json.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/io/units.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::analysis {
namespace {

using test::bounds_of;
using test::one_stream;
using test::streams;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Kind kind_of(std::string_view id, const System& system) {
  const Analysis* entry = find(id);
  return kind_here(*entry, entry->run(system));
}

TEST(KindHere, NpEdfIsExactForSporadicTasksSeenAtOnce) {
  System system = one_stream(Order::edf, {{1, 4, 4}, {3, 19, 20}});
  EXPECT_EQ(kind_of("np-edf", system), Kind::exact);
  system.tasks[0].jitter = nanoseconds(1);
  EXPECT_EQ(kind_of("np-edf", system), Kind::sufficient);
  system.tasks[0].jitter = {};
  system.tasks[1].arrival = Arrival::periodic;
  EXPECT_EQ(kind_of("np-edf", system), Kind::sufficient);
}

TEST(KindHere, OverheadsThatMayNotComeTakeTheExactnessAway) {
  System system = streams(2, Order::edf, {{1, 8, 9}, {1, 19, 20}}, Refill::immediate);
  for (Task& task : system.tasks) task.longest_block = Duration{};
  EXPECT_EQ(kind_of("ms-edf-immediate", system), Kind::exact);
  system.platform.overheads.completion = nanoseconds(1);
  EXPECT_EQ(kind_of("ms-edf-immediate", system), Kind::sufficient);
}

TEST(KindHere, OtherKindsStayWhatTheyAre) {
  EXPECT_EQ(kind_of("np-fp", one_stream(Order::fp, {{1, 4, 4}})), Kind::sufficient);
  const System system = one_stream(Order::edf, {{1, 4, 4}});
  const Analysis* entry = find("np-edf");
  EXPECT_EQ(to_json(*entry, entry->run(system))["kind_here"], "exact");
  EXPECT_FALSE(to_json(*entry, entry->run(one_stream(Order::fp, {{1, 4, 4}}))).contains("kind_here"));
}

TEST(ProvenBounds, ADeadlineTestProvesNoResponseTime) {
  const System system = one_stream(Order::edf, {{1, 4, 4}, {3, 19, 20}});
  const CheckResult result = check(system);
  const std::vector<ProvenBound> bounds = proven_bounds(system, result);
  EXPECT_EQ(bounds[0].bound, nanoseconds(4));
  EXPECT_TRUE(bounds[0].deadline_only);
  const auto answers = to_json(result);
  for (const auto& answer : answers["analyses"]) {
    if (answer["id"] == "np-edf") {
      EXPECT_EQ(answer["tasks"][0]["deadline_only"], true);
    }
  }
}

TEST(ProvenBounds, AResponseTimeThatEqualsTheDeadlineIsOne) {
  const System system = one_stream(Order::fp, {{4, 4, 4}});
  const std::vector<ProvenBound> bounds = proven_bounds(system, check(system));
  EXPECT_EQ(bounds[0].bound, nanoseconds(4));
  EXPECT_FALSE(bounds[0].deadline_only);
}

TEST(OtherStrategies, AreToldApartFromWhatDoesNotApply) {
  const System system = one_stream(Order::fp, {{4, 4, 4}});
  EXPECT_TRUE(is_for_other_strategy(*find("ms-edf"), system));
  EXPECT_FALSE(is_for_other_strategy(*find("np-edf"), system));  // the other order
  EXPECT_FALSE(is_for_other_strategy(*find("np-fp"), system));
}

TEST(OtherStrategies, AreNamedBeforeAnythingElseIsLookedAt) {
  for (const Order order : {Order::edf, Order::fp}) {
    const System system = one_stream(order, {{4, 4, 4}});
    for (const Analysis& analysis : registry()) {
      ASSERT_EQ(analysis.strategy.empty(), analysis.by_node) << analysis.id;
      if (analysis.by_node) {
        EXPECT_THAT(run(analysis, system).why_not, testing::StartsWith("needs segments that go to servers"));
        continue;
      }
      const std::string why_not = "needs the strategy " + std::string{analysis.strategy};
      EXPECT_EQ(run(analysis, system).why_not == why_not, analysis.strategy != "single-stream")
          << analysis.id;
    }
  }
}

TEST(LateResponses, NpFpTellsTermsThatSumUpToTheBound) {
  // 10 of blocking at once leave no room at all: before, the terms were those of an interval of 0.
  const Result result = np_fp(one_stream(Order::fp, {{2, 20, 20}, {3, 9, 30}, {10, 60, 60}}));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  // Starts after 10 and one job of the first: 12; ends at 15.
  EXPECT_THAT(bounds_of(result), ElementsAre(12, 15, -1));
  EXPECT_FALSE(result.tasks[1].ok);
  EXPECT_EQ(to_json(result.detail)["bound_ns"], 15);
  EXPECT_EQ(to_json(result.detail)["interval_ns"], 12);
  EXPECT_EQ(to_json(result.detail)["interference"][0]["work_ns"], 2);
  EXPECT_THAT(result.reason,
              HasSubstr("3ns of its own + 10ns blocking by 'task3' + 2ns of more urgent tasks in 12ns"));
  EXPECT_THAT(result.reason, HasSubstr("; its bound is 15ns"));
}

TEST(LateResponses, MsFpTellsABoundWithinThePeriod) {
  const Result result = ms_fp(streams(8, Order::fp, {{2, 10, 10, 0}, {6, 7, 20, 0}}));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_THAT(bounds_of(result), ElementsAre(2, 8));
  EXPECT_FALSE(result.tasks[1].ok);
  EXPECT_THAT(result.reason, HasSubstr("6ns of its own + 2ns of more urgent tasks in 8ns; its bound is 8ns"));
}

TEST(LateResponses, BeyondThePeriodThereIsNoBoundButTermsThatDoNotFit) {
  const Result result = ms_fp(streams(8, Order::fp, {{5, 10, 10, 0}, {6, 12, 14, 0}}));
  EXPECT_THAT(bounds_of(result), ElementsAre(5, -1));
  EXPECT_EQ(to_json(result.detail)["interval_ns"], 12);
  EXPECT_FALSE(to_json(result.detail).contains("bound_ns"));
  EXPECT_THAT(result.reason, HasSubstr("6ns of its own + 10ns of more urgent tasks in 12ns"));
  EXPECT_THAT(result.reason, Not(HasSubstr("bound")));
}

TEST(LateResponses, MsFpKeepsBlocksInTheWayApartFromItsOwnTime) {
  // The middle task takes 4; blocks of 2 of the last come before it and before each more urgent job.
  const Result result =
      ms_fp(streams(2, Order::fp, {{1, 50, 50, 1}, {4, 10, 50, 1}, {10, 60, 60, 1}, {20, 90, 90, 2}}));
  EXPECT_EQ(to_json(result.detail)["task"], "task2");
  EXPECT_EQ(to_json(result.detail)["own_ns"], 4);
  EXPECT_EQ(to_json(result.detail)["blocks_in_the_way_ns"], 2);
  EXPECT_EQ(to_json(result.detail)["blocking_ns"], 12);
  EXPECT_THAT(
      result.reason,
      HasSubstr("4ns of its own + 2ns of a less urgent block in its way + 10ns blocking by 'task3' + 2ns "
                "of a block in the way of that + 1ns of more urgent tasks in 21ns + 2ns of blocks in the "
                "way of these; its bound is 21ns"));
}

/// What stands before the first word of each term, summed up.
std::int64_t sum_of_terms(std::string_view reason) {
  reason.remove_prefix(reason.find(": ") + 2);
  reason = reason.substr(0, reason.find("; its bound is "));
  std::int64_t sum = 0;
  while (true) {
    const io::Parsed<Duration> term = io::parse_duration(std::string{reason.substr(0, reason.find(' '))});
    EXPECT_TRUE(term.value && *term.value > Duration{}) << reason;
    if (term.value) sum += term.value->count();
    const std::size_t next = reason.find(" + ");
    if (next == std::string_view::npos) return sum;
    reason.remove_prefix(next + 3);
  }
}

TEST(LateResponses, TermsOfMsFpSumUpToTheBound) {
  test::Dice dice{14};
  std::size_t late = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<test::Job> jobs;
    const std::int64_t tasks = dice.between(2, 6);
    for (std::int64_t i = 0; i < tasks; ++i) {
      test::Job job{.cost = dice.between(1, 20), .period = dice.between(40, 400)};
      job.deadline = dice.between(job.cost, job.period);
      job.block = dice.between(0, job.cost);
      jobs.push_back(job);
    }
    System system = streams(dice.small(1, 4), Order::fp, jobs, dice.pick({Refill::lazy, Refill::immediate}));
    for (Task& task : system.tasks)
      task.jitter = dice.percent(30) ? nanoseconds(dice.between(0, 5)) : Duration{};
    for (const auto& test : {ms_fp, ms_fp_immediate}) {
      const Result result = test(system);
      if (!to_json(result.detail).contains("bound_ns")) continue;
      ++late;
      EXPECT_EQ(sum_of_terms(result.reason), to_json(result.detail)["bound_ns"].get<std::int64_t>())
          << result.reason;
    }
  }
  EXPECT_GT(late, 100U);
}

TEST(LateResponses, ADemandTestTellsWhatDoesNotFit) {
  const Result result = np_edf(one_stream(Order::edf, {{2, 3, 3}, {3, 19, 20}}));
  EXPECT_EQ(to_json(result.detail)["excess_ns"], 2);
  EXPECT_THAT(result.reason, HasSubstr("(+ 3ns blocking by 'task2'): 2ns too much"));
}

/// The longest responses of a schedule.
std::vector<std::optional<Duration>> play(const System& system, std::uint64_t seed) {
  sim::SimulationOptions options;
  options.horizon = nanoseconds(3000);
  options.seed = seed;
  trace::Statistics statistics{system.tasks.size()};
  const std::array<trace::Observer*, 1> observers{&statistics};
  sim::simulate(system, options, observers);
  std::vector<std::optional<Duration>> longest;
  for (const trace::TaskStatistics& task : statistics.all()) {
    longest.push_back(task.response ? std::optional{task.response->max} : std::nullopt);
  }
  return longest;
}

TEST(LateResponses, NoScheduleIsLaterThanTheBound) {
  std::mt19937 dice{7};
  const auto between = [&](std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(to - from + 1));
  };
  int late = 0;
  for (std::uint64_t round = 0; round < 600; ++round) {
    std::vector<test::Job> jobs;
    const std::int64_t tasks = between(2, 4);
    for (std::int64_t i = 0; i < tasks; ++i) {
      const std::int64_t period = between(8, 40);
      const std::int64_t cost = between(1, std::max<std::int64_t>(1, period / 3));
      jobs.push_back({cost, between(cost, period), period, between(1, cost)});
    }
    System system = round % 2 == 0 ? one_stream(Order::fp, jobs)
                                   : streams(static_cast<std::int32_t>(between(1, 3)), Order::fp, jobs);
    for (Task& task : system.tasks) {
      if (between(0, 1) == 0) task.arrival = Arrival::periodic;
      if (task.arrival == Arrival::periodic) task.offset = nanoseconds(between(0, 20));
    }
    const Result result = round % 2 == 0 ? np_fp(system) : ms_fp(system);
    const std::vector<std::optional<Duration>> seen = play(system, round);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const TaskResult& task = result.tasks[i];
      if (!task.bound || !seen[i]) continue;
      late += *task.bound > *task.deadline ? 1 : 0;
      EXPECT_LE(*seen[i], *task.bound) << "round " << round << ", task " << i;
    }
  }
  EXPECT_GT(late, 50);
}

}  // namespace
}  // namespace tactus::analysis
