// The engine's time in the tests of whole GPU jobs: worked examples, slow twins, degenerate cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "support/dice.hpp"
#include "support/gpu_job_systems.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/engine_charges.hpp"
#include "tactus/analysis/registry.hpp"

namespace tactus::analysis {
namespace {

using test::bounds_of;
using test::Dice;
using testing::ElementsAre;
using testing::HasSubstr;

using Judge = Result (*)(const System&, const GpuServers&);

System with_engine(System system, std::int64_t event, std::int64_t submit) {
  system.platform.overheads.engine = {.event = Duration{event}, .submit = Duration{submit}};
  return system;
}

Result simple(const System& system, const GpuServers& servers, Judge judge) {
  return judge(system, *charge_engine(servers, engine_load(system, EngineUnit::job)));
}

std::int32_t levels_of(const System& system) {
  return system.policy.strategy->has_levels ? system.policy.levels : 1;
}

Result counted(const System& system, const GpuServers& servers, Judge judge) {
  return judge(system, *count_engine(servers, engine_load(system, EngineUnit::job), levels_of(system)));
}

TEST(EngineInNpFp, IsCountedActionByAction) {
  const System system =
      with_engine(test::one_stream(Order::fp, {{3, 20, 20}, {5, 30, 30}, {4, 40, 40}}), 1, 2);
  const Result result = np_fp(system);
  EXPECT_EQ(result.verdict, Verdict::schedulable);
  EXPECT_THAT(bounds_of(result), ElementsAre(20, 28, 28));
  EXPECT_NE(simple(system, single_stream_servers(system), judge_np_fp).verdict, Verdict::schedulable);
}

TEST(EngineInNpFp, AsConstants) {
  const System system =
      with_engine(test::one_stream(Order::fp, {{3, 60, 60}, {5, 80, 80}, {4, 90, 90}}), 1, 2);
  EXPECT_THAT(bounds_of(simple(system, single_stream_servers(system), judge_np_fp)), ElementsAre(30, 42, 42));
}

TEST(EngineInMsFp, IsCountedActionByAction) {
  const System system =
      with_engine(test::streams(2, Order::fp, {{3, 60, 60, 1}, {6, 80, 80, 2}, {8, 120, 120, 2}}), 1, 2);
  EXPECT_THAT(bounds_of(ms_fp(system)), ElementsAre(25, 25, 33));
}

/// While its own enqueue is made, releases of the less urgent task pile up: the end of the short kernel is
/// handled behind them.
TEST(EngineInNpFp, EventsOfItsOwnSubmissionDelayTheEndOfAShortKernel) {
  System system = with_engine(test::one_stream(Order::fp, {{1, 200, 200}, {1, 12, 12}}), 5, 0);
  system.tasks[0].enqueue = Duration{100};
  const EngineLoad load = engine_load(system, EngineUnit::job);
  const std::int64_t alone = until_decided(load, Duration{})->count();
  const GpuServers servers = *count_engine(single_stream_servers(system), load, 1);
  EXPECT_GT(servers.servers[0].engine->finish[0].count(), 100 + 1 + alone);
}

TEST(EngineInTests, AFailureTellsItsShare) {
  const Result result =
      np_fp(with_engine(test::one_stream(Order::fp, {{3, 15, 20}, {5, 30, 30}, {4, 40, 40}}), 1, 2));
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_THAT(result.reason, HasSubstr("of the engine"));
}

TEST(EngineInTests, ReleasesFasterThanTheEngineProveNothing) {
  const System system = with_engine(test::one_stream(Order::fp, {{1, 20, 20}, {1, 20, 20}}), 10, 0);
  const Result result = np_fp(system);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_THAT(result.reason, HasSubstr("faster than it handles them"));
}

TEST(EngineInTests, ExactTestsAreSufficient) {
  const System system = test::one_stream(Order::edf, {{1, 4, 40}, {3, 19, 40}});
  EXPECT_EQ(kind_here(*find("np-edf"), np_edf(system)), Kind::exact);
  EXPECT_EQ(kind_here(*find("np-edf"), np_edf(with_engine(system, 0, 1))), Kind::sufficient);
}

TEST(EngineInTests, WhatDoesNotCountItDoesNotApply) {
  const System system = with_engine(test::one_stream(Order::edf, {{1, 30, 40}, {3, 39, 40}}), 1, 1);
  EXPECT_TRUE(run(*find("np-edf"), system).applies());
  EXPECT_THAT(run(*find("np-edf-as-published"), system).why_not, HasSubstr("the time of the engine"));
}

// -------------------------------------------------------------------------------------------- slow twins

/// A task in plain numbers, most urgent first.
struct CountedTask {
  std::int64_t cost = 0;
  std::int64_t deadline = 0;
  std::int64_t period = 0;
  std::int64_t block = 0;
  std::int64_t jitter = 0;
  std::int64_t submission = 0;
  bool best_effort = false;
};

struct CountedSet {
  std::vector<CountedTask> tasks;
  std::int64_t event = 0;
  std::int64_t decided = 0;        // V
  std::int64_t decided_alone = 0;  // V0
  std::int64_t levels = 1;

  [[nodiscard]] std::int64_t counted(const CountedTask& task) const {
    return task.cost + task.submission + event;
  }
  [[nodiscard]] std::int64_t events(std::int64_t t) const {
    std::int64_t sum = 0;
    for (const CountedTask& task : tasks) {
      sum += task.best_effort ? event : event * ((t + task.jitter + decided) / task.period + 1);
    }
    return sum;
  }
  /// PCo
  [[nodiscard]] std::int64_t block_below(std::size_t i, bool edf) const {
    std::int64_t longest = 0;
    for (std::size_t l = 0; levels > 1 && l < tasks.size(); ++l) {
      if (is_below(l, i, edf)) longest = std::max(longest, tasks[l].block);
    }
    return longest;
  }
  [[nodiscard]] bool is_below(std::size_t l, std::size_t i, bool edf) const {
    if (l == i) return false;
    if (tasks[l].best_effort) return true;
    return edf ? tasks[l].deadline > tasks[i].deadline - tasks[i].jitter : l > i;
  }
  [[nodiscard]] bool reaches_last(std::size_t i, bool edf) const {
    std::int64_t below = 0;
    bool background = false;
    for (std::size_t l = 0; l < tasks.size(); ++l) {
      if (!is_below(l, i, edf)) continue;
      if (tasks[l].best_effort) background = true;
      if (!tasks[l].best_effort) ++below;
    }
    return below + (background ? 1 : 0) >= levels - 1;
  }
  [[nodiscard]] std::int64_t low(std::size_t first) const {
    std::vector<std::int64_t> each;
    for (std::size_t l = first; l < tasks.size(); ++l) each.push_back(tasks[l].submission + event);
    std::sort(each.rbegin(), each.rend());
    std::int64_t sum = 0;
    for (std::size_t l = 0; l < std::min(each.size(), static_cast<std::size_t>(levels - 1)); ++l)
      sum += each[l];
    return sum;
  }
};

constexpr std::int64_t far_away = 4000;

std::optional<std::int64_t> least(std::int64_t from,
                                  const std::function<std::int64_t(std::int64_t)>& needed) {
  for (std::int64_t t = from; t <= far_away; ++t) {
    if (needed(t) <= t) return t;
  }
  return std::nullopt;
}

std::vector<std::int64_t> plain_np_fp(const CountedSet& set) {
  std::vector<std::int64_t> bounds(set.tasks.size(), -1);
  for (std::size_t i = 0; i < set.tasks.size() && !set.tasks[i].best_effort; ++i) {
    const CountedTask& own = set.tasks[i];
    std::int64_t blocking = 0;
    for (std::size_t l = i + 1; l < set.tasks.size(); ++l)
      blocking = std::max(blocking, set.counted(set.tasks[l]));
    const auto busy = least(1, [&](std::int64_t t) {
      std::int64_t sum = blocking + set.events(t);
      for (std::size_t j = 0; j <= i; ++j) {
        const CountedTask& task = set.tasks[j];
        sum += (t + task.jitter + task.period - 1) / task.period * set.counted(task);
      }
      return sum;
    });
    if (!busy) return bounds;
    std::int64_t slowest = 0;
    for (std::int64_t k = 0; k * own.period < *busy + own.jitter; ++k) {
      const auto start = least(0, [&](std::int64_t w) {
        std::int64_t sum = blocking + k * set.counted(own) + set.events(w);
        for (std::size_t j = 0; j < i; ++j) {
          const CountedTask& task = set.tasks[j];
          sum += ((w + task.jitter) / task.period + 1) * set.counted(task);
        }
        return sum;
      });
      const std::int64_t burst = *least(0, [&](std::int64_t v) {
        std::int64_t sum = own.submission + set.event;
        for (const CountedTask& task : set.tasks) {
          sum += task.best_effort ? set.event : set.event * ((v + task.jitter) / task.period + 1);
        }
        return sum;
      });
      const std::int64_t finish = std::max(own.submission + own.cost + set.decided_alone, burst);
      slowest = std::max(slowest, *start - k * own.period + finish + own.jitter);
    }
    if (slowest > own.deadline) return bounds;
    bounds[i] = slowest;
  }
  return bounds;
}

std::vector<std::int64_t> plain_ms_fp(const CountedSet& set) {
  std::vector<std::int64_t> bounds(set.tasks.size(), -1);
  const auto cost = [&](std::size_t i) { return set.counted(set.tasks[i]) + set.block_below(i, false); };
  for (std::size_t i = 0; i < set.tasks.size() && !set.tasks[i].best_effort; ++i) {
    std::int64_t blocking = 0;
    for (std::size_t l = i + 1; l < set.tasks.size(); ++l) {
      if (set.tasks[l].best_effort ? set.levels == 1 : set.reaches_last(l, false)) {
        blocking = std::max(blocking, cost(l));
      }
    }
    const auto response = least(1, [&](std::int64_t t) {
      std::int64_t sum = blocking + cost(i) + set.events(t) + set.low(i + 1);
      for (std::size_t j = 0; j < i; ++j) {
        sum += (t + set.tasks[j].jitter + set.tasks[j].period - 1) / set.tasks[j].period * cost(j);
      }
      return sum;
    });
    if (!response || *response + set.tasks[i].jitter > set.tasks[i].deadline) return bounds;
    bounds[i] = *response + set.tasks[i].jitter;
  }
  return bounds;
}

/// Of np-edf with one level.
bool plain_edf(const CountedSet& set) {
  const auto cost = [&](std::size_t i) { return set.counted(set.tasks[i]) + set.block_below(i, true); };
  std::int64_t shortest = far_away;
  double needed = 0;
  for (std::size_t i = 0; i < set.tasks.size(); ++i) {
    const CountedTask& task = set.tasks[i];
    if (task.best_effort) continue;
    if (task.deadline <= task.jitter) return false;
    shortest = std::min(shortest, task.deadline - task.jitter);
    needed += static_cast<double>(cost(i) + set.event) / static_cast<double>(task.period);
  }
  constexpr double rounding = 1e-9;
  if (needed > 1 + rounding) return false;
  for (std::int64_t t = shortest; t <= far_away; ++t) {
    std::int64_t sum = set.events(t) + set.low(0);
    std::int64_t blocking = 0;
    for (std::size_t i = 0; i < set.tasks.size(); ++i) {
      const CountedTask& task = set.tasks[i];
      const std::int64_t d = task.deadline - task.jitter;
      if (!task.best_effort && t >= d) sum += ((t - d) / task.period + 1) * cost(i);
      const bool holds_last = task.best_effort ? set.levels == 1 : set.reaches_last(i, true);
      if (holds_last && (task.best_effort || task.deadline > t)) blocking = std::max(blocking, cost(i));
    }
    if (sum + blocking > t) return false;
  }
  return true;
}

struct Drawn {
  System system;
  CountedSet set;
};

/// Exclusive tasks, most urgent first, perhaps with a best-effort one.
Drawn draw(Dice& dice, const char* strategy, Order order) {
  Drawn drawn;
  std::vector<test::Job> jobs;
  for (std::int64_t left = dice.between(1, 4); left > 0; --left) {
    test::Job job{.cost = dice.between(1, 5), .period = dice.pick({20, 24, 30, 40, 60, 120})};
    job.deadline = dice.between(job.period / 2, job.period);
    job.block = dice.between(0, job.cost);
    jobs.push_back(job);
  }
  drawn.system = test::gpu_jobs(strategy_named(strategy), order, jobs);
  drawn.system.policy.levels = dice.small(1, 3);
  if (dice.between(0, 2) == 0) test::add_best_effort(drawn.system, dice.between(1, 4));
  Overheads& overheads = drawn.system.platform.overheads;
  overheads.engine = {.event = dice.duration(0, 2), .submit = dice.duration(0, 2)};
  overheads.completion = dice.duration(0, 1);
  for (Task& task : drawn.system.tasks) {
    if (dice.between(0, 2) == 0) task.enqueue = dice.duration(0, 4);
    if (task.arrival != Arrival::best_effort) task.jitter = dice.duration(0, 3);
  }
  drawn.set.levels = levels_of(drawn.system);
  drawn.set.event = overheads.engine.event.count();
  for (TaskIndex i = 0; i < drawn.system.tasks.size(); ++i) {
    const Task& task = drawn.system.tasks[i];
    const std::int64_t time = std::get<ExclusiveSegment>(task.work.nodes[0].segment).time.worst.count();
    CountedTask plain{.cost = time + overheads.completion.count(), .jitter = task.jitter.count()};
    plain.block = task.longest_block.value_or(Duration{time}).count();
    if (plain.block > 0) plain.block += overheads.completion.count();
    plain.submission = submission_time(drawn.system, i, ServerKind::gpu).count();
    plain.best_effort = task.arrival == Arrival::best_effort;
    plain.deadline = task.deadline.value_or(Duration{}).count();
    plain.period = task.period.value_or(Duration{1}).count();
    drawn.set.tasks.push_back(plain);
  }
  return drawn;
}

/// Judges random systems; `expected` gets those with bursts that end.
void compare(const char* strategy, Order order, Judge judge, GpuServers (*servers)(const System&),
             const std::function<std::vector<std::int64_t>(const CountedSet&)>& expected) {
  Dice dice{1};
  int proven = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Drawn drawn = draw(dice, strategy, order);
    const EngineLoad load = engine_load(drawn.system, EngineUnit::job);
    const std::optional<Duration> decided = until_decided(load, load.longest);
    if (!decided) continue;
    drawn.set.decided = decided->count();
    drawn.set.decided_alone = until_decided(load, Duration{})->count();
    const Result result = counted(drawn.system, servers(drawn.system), judge);
    std::vector<std::int64_t> bounds;
    for (const TaskResult& task : result.tasks) {
      bounds.push_back(task.bound && task.deadline && *task.bound <= *task.deadline ? task.bound->count()
                                                                                    : -1);
    }
    if (result.verdict == Verdict::schedulable) ++proven;
    EXPECT_EQ(bounds, expected(drawn.set)) << "trial " << trial;
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(proven, 100);
}

std::vector<std::int64_t> deadlines_if(bool holds, const CountedSet& set) {
  std::vector<std::int64_t> bounds;
  for (const CountedTask& task : set.tasks) bounds.push_back(holds && !task.best_effort ? task.deadline : -1);
  return bounds;
}

TEST(EngineTwins, NpFp) {
  compare("single-stream", Order::fp, judge_np_fp, single_stream_servers, plain_np_fp);
}

TEST(EngineTwins, MsFp) {
  compare("multi-stream", Order::fp, judge_ms_fp, multi_stream_servers, plain_ms_fp);
}

TEST(EngineTwins, NpEdf) {
  compare("single-stream", Order::edf, judge_np_edf, single_stream_servers,
          [](const CountedSet& set) { return deadlines_if(plain_edf(set), set); });
}

TEST(EngineTwins, MsEdf) {
  compare("multi-stream", Order::edf, judge_ms_edf, multi_stream_servers,
          [](const CountedSet& set) { return deadlines_if(plain_edf(set), set); });
}

/// With nothing to count both forms are the test without an engine.
TEST(EngineTwins, WithoutEngineTimeNothingChanges) {
  Dice dice{2};
  const auto compare_all = [&](const char* strategy, Order order, Judge judge,
                               GpuServers (*servers)(const System&)) {
    for (int trial = 0; trial < 500; ++trial) {
      System system = draw(dice, strategy, order).system;
      system.platform.overheads.engine = {};
      for (Task& task : system.tasks) task.enqueue.reset();
      const GpuServers plain = servers(system);
      const Result without = judge(system, plain);
      for (const Result& result : {simple(system, plain, judge), counted(system, plain, judge)}) {
        EXPECT_EQ(bounds_of(result), bounds_of(without));
        EXPECT_EQ(result.verdict == Verdict::schedulable, without.verdict == Verdict::schedulable);
      }
    }
  };
  compare_all("single-stream", Order::fp, judge_np_fp, single_stream_servers);
  compare_all("single-stream", Order::edf, judge_np_edf, single_stream_servers);
  compare_all("multi-stream", Order::fp, judge_ms_fp, multi_stream_servers);
  compare_all("multi-stream", Order::edf, judge_ms_edf, multi_stream_servers);
}

}  // namespace
}  // namespace tactus::analysis
