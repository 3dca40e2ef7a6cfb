// Plans under `graph`: what is found passes the check and holds in simulation, what a file says is kept, and
// nothing that exists is missed in small systems; the highest rates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "support/source_folder.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/granularity.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/hints.hpp"
#include "tactus/plan/plan.hpp"
#include "tactus/plan/rate_search.hpp"
#include "tactus/plan/ways.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/statistics.hpp"

namespace tactus::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

bool holds(const System& system) { return analysis::check(system).verdict == analysis::Verdict::schedulable; }

Interval up_to(Dice& dice, std::int64_t worst) { return {Duration{dice.between(0, worst)}, Duration{worst}}; }

KernelSegment kernel(Dice& dice, std::int64_t block_time) {
  KernelSegment segment;
  segment.grid = {dice.between(1, 6), 1, 1};
  segment.block = dice.pick({128, 256, 512});
  segment.block_time = up_to(dice, block_time);
  return segment;
}

/// Two to four nodes with edges from earlier to later ones; some have a variant for the CPU.
Task graph_task(Dice& dice, std::int64_t number, std::int32_t cpus, bool says_cores) {
  Task task;
  task.name = "task" + std::to_string(number);
  task.period = Duration{dice.between(80, 200)};
  task.work.form = WorkForm::graph;
  const std::int64_t nodes = dice.between(2, 4);
  const std::int64_t share = task.period->count() * 2 / (3 * nodes);
  std::int64_t path = 0;
  for (std::int64_t i = 0; i < nodes; ++i) {
    Node node{"n" + std::to_string(i), CpuSegment{up_to(dice, dice.between(1, share))}};
    if (dice.percent(15)) node.segment = CopySegment{.time = up_to(dice, dice.between(1, 10)), .bytes = {}};
    if (dice.percent(40)) {
      const KernelSegment on_gpu = kernel(dice, dice.between(1, share));
      node.segment = on_gpu;
      if (task.choices.size() < 2 && dice.percent(60)) {
        const CpuSegment on_cpu{up_to(dice, dice.between(1, 2 * share))};
        task.choices.push_back(
            {.node = static_cast<std::size_t>(i), .variants = {{Segment{on_gpu}}, {Segment{on_cpu}}}});
      }
    }
    path += drawn_time(node.segment).worst.count();
    task.work.nodes.push_back(std::move(node));
    for (std::int64_t from = 0; from < i; ++from) {
      if (!dice.percent(from == i - 1 ? 70 : 30)) continue;
      task.work.edges.push_back({static_cast<std::size_t>(from), static_cast<std::size_t>(i)});
    }
  }
  task.deadline = dice.duration(path, 4 * path + 2 * task.period->count());
  if (dice.percent(20)) task.jitter = dice.duration(0, 5);
  if (dice.percent(30)) {
    task.any_core = true;
  } else if (says_cores) {
    task.core = dice.small(0, cpus - 1);
  }
  return task;
}

System graph_system(std::uint64_t seed, std::int64_t count) {
  Dice dice{seed};
  System system;
  system.name = "graphs";
  system.platform.gpu.sms = 2;
  system.platform.clusters.clear();
  for (std::int32_t i = dice.small(1, 3); i > 0; --i) system.platform.clusters.push_back(dice.small(1, 2));
  if (dice.percent(30)) system.platform.overheads.release = Duration{1};
  Policy& policy = system.policy;
  policy.strategy = strategy_named("graph");
  policy.order = dice.pick({Order::edf, Order::fair_lateness});
  policy.open.order = policy.order == Order::edf && dice.percent(60);
  policy.clusters = dice.pick({ClusterMode::global, ClusterMode::global, ClusterMode::per_cluster});
  policy.open.clusters = policy.clusters == ClusterMode::global && dice.percent(70);
  policy.parallel_jobs = dice.percent(80);
  policy.open.parallel_jobs = policy.parallel_jobs && dice.percent(50);
  policy.early_release = dice.percent(70);
  if (dice.percent(20)) policy.cpu = CpuChoice{.order = {}, .preemptive = false};
  const bool says_cores = dice.percent(40);
  for (std::int64_t i = 0; i < count; ++i) {
    system.tasks.push_back(
        graph_task(dice, i, static_cast<std::int32_t>(system.platform.cpus()), says_cores));
  }
  return system;
}

/// Every order, cluster mode and way of jobs that is open, every cluster of every task that may go anywhere,
/// every variant: one loop in the other.
bool some_holds(const System& system) {
  const OpenKeys& open = system.policy.open;
  const bool has_places =
      std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) { return task.core != 0; });
  const auto try_cores = [&](auto&& self, System& tried, std::size_t task) -> bool {
    if (task == tried.tasks.size()) return validate(tried).empty() && holds(tried);
    const bool may_go = system.tasks[task].any_core ||
                        (open.clusters && !has_places && tried.policy.clusters == ClusterMode::per_cluster);
    tried.tasks[task].any_core = false;
    if (!may_go) return self(self, tried, task + 1);
    for (std::int32_t core = 0; core < tried.platform.cpus(); ++core) {
      tried.tasks[task].core = core;
      if (self(self, tried, task + 1)) return true;
    }
    return false;
  };
  std::vector<std::vector<std::size_t>> picks;
  for (const Task& task : system.tasks) picks.emplace_back(task.choices.size());
  const auto try_variants = [&](auto&& self, const System& tried, std::size_t task,
                                std::size_t choice) -> bool {
    if (task == tried.tasks.size()) {
      System chosen = with_variants(tried, picks);
      return try_cores(try_cores, chosen, 0);
    }
    if (choice == picks[task].size()) return self(self, tried, task + 1, 0);
    for (picks[task][choice] = 0; picks[task][choice] < 2; ++picks[task][choice]) {
      if (self(self, tried, task, choice + 1)) return true;
    }
    return false;
  };
  for (const Order order : {Order::edf, Order::fair_lateness}) {
    if (!open.order && order != system.policy.order) continue;
    for (const ClusterMode clusters : {ClusterMode::global, ClusterMode::per_cluster}) {
      if (!open.clusters && clusters != system.policy.clusters) continue;
      for (const bool parallel_jobs : {true, false}) {
        if (!open.parallel_jobs && parallel_jobs != system.policy.parallel_jobs) continue;
        System tried = system;
        tried.policy.order = order;
        tried.policy.clusters = clusters;
        tried.policy.parallel_jobs = parallel_jobs;
        if (try_variants(try_variants, tried, 0, 0)) return true;
      }
    }
  }
  return false;
}

void expect_complete(const plan::Plan& planned, const System& system) {
  ASSERT_THAT(validate(planned.planned), IsEmpty()) << describe(system);
  ASSERT_THAT(find_missing_parameters(planned.planned), IsEmpty()) << describe(system);
  ASSERT_TRUE(holds(planned.planned)) << describe(system);
  const ReadResult again = read_system(to_system_file(planned.planned), "again.yaml");
  ASSERT_TRUE(again.system) << to_system_file(planned.planned);
  ASSERT_EQ(*again.system, planned.planned) << describe(system);
}

void expect_kept(const System& planned, const System& file) {
  const OpenKeys& open = file.policy.open;
  EXPECT_TRUE(open.order || planned.policy.order == file.policy.order);
  EXPECT_TRUE(open.clusters || planned.policy.clusters == file.policy.clusters);
  EXPECT_TRUE(open.parallel_jobs || planned.policy.parallel_jobs == file.policy.parallel_jobs);
  EXPECT_EQ(planned.policy.early_release, file.policy.early_release);
  EXPECT_EQ(planned.policy.cpu, file.policy.cpu);
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    if (!file.tasks[i].any_core && file.tasks[i].core != 0) {
      EXPECT_EQ(planned.tasks[i].core, file.tasks[i].core);
    }
  }
}

/// No response beyond its bound.
void expect_to_hold(const plan::Plan& planned, std::uint64_t seed, Execution execution) {
  trace::Statistics statistics{planned.tasks.size()};
  const std::array<trace::Observer*, 1> observers{&statistics};
  sim::SimulationOptions options;
  options.horizon = Duration{20'000};
  options.seed = seed;
  options.execution = execution;
  sim::simulate(planned.planned, options, observers);
  EXPECT_EQ(statistics.misses(), 0U);
  for (TaskIndex task = 0; task < planned.tasks.size(); ++task) {
    const std::optional<trace::ResponseTimes> response = statistics.of(task).response;
    if (response) {
      EXPECT_LE(response->max, *planned.tasks[task].bound) << to_system_file(planned.planned);
    }
  }
}

TEST(GraphPlan, FindsWhateverExistsInSmallSystems) {
  int found = 0;
  int refused = 0;
  int searched = 0;
  int per_cluster = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(1200); ++seed) {
    const System system = graph_system(seed, 1 + static_cast<std::int64_t>(seed % 3));
    ASSERT_THAT(validate(system), IsEmpty()) << describe(system);
    const plan::Plan planned = plan::plan(system);
    if (planned.found) {
      ++found;
      expect_complete(planned, system);
      expect_kept(planned.planned, system);
      expect_to_hold(planned, seed, Execution::worst);
      expect_to_hold(planned, seed, Execution::random);
      searched += planned.how.find("search") != std::string::npos ? 1 : 0;
      per_cluster +=
          planned.has_policy && planned.planned.policy.clusters == ClusterMode::per_cluster ? 1 : 0;
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
      continue;
    }
    ++refused;
    ASSERT_FALSE(some_holds(system)) << seed << ": " << planned.searched << "\n" << describe(system);
    EXPECT_THAT(planned.why_not, Not(IsEmpty()));
    EXPECT_THAT(planned.searched, Not(HasSubstr("given up")));
  }
  RecordProperty("found", found);
  RecordProperty("per_cluster", per_cluster);
  EXPECT_GT(found, tries(200));
  EXPECT_GT(refused, tries(100));
  EXPECT_GT(searched, tries(100));
  EXPECT_GT(per_cluster, tries(5));
}

/// One choice of all that is open, drawn.
System drawn_choice(const System& system, Dice& dice) {
  std::vector<std::vector<std::size_t>> picks;
  for (const Task& task : system.tasks) {
    picks.emplace_back();
    for (std::size_t i = 0; i < task.choices.size(); ++i) {
      picks.back().push_back(static_cast<std::size_t>(dice.between(0, 1)));
    }
  }
  System chosen = with_variants(system, picks);
  if (system.policy.open.order) chosen.policy.order = dice.pick({Order::edf, Order::fair_lateness});
  if (system.policy.open.clusters) {
    chosen.policy.clusters = dice.pick({ClusterMode::global, ClusterMode::per_cluster});
  }
  if (system.policy.open.parallel_jobs) chosen.policy.parallel_jobs = dice.percent(50);
  for (Task& task : chosen.tasks) {
    task.any_core = false;
    task.core = dice.small(0, static_cast<std::int32_t>(system.platform.cpus()) - 1);
  }
  return chosen;
}

/// Sets deadlines to the bounds of the best of many choices, in parts of the periods: one that holds exists.
bool plant_deadlines(System& system, Dice& dice) {
  constexpr int choices = 300;
  std::optional<Int128> least;
  std::vector<Duration> deadlines;
  for (int i = 0; i < choices; ++i) {
    const System chosen = drawn_choice(system, dice);
    const std::vector<std::optional<Duration>> bounds =
        analysis::smallest_bounds(chosen, analysis::check(chosen));
    Int128 sum = 0;
    for (std::size_t task = 0; task < bounds.size(); ++task) {
      sum += Int128{bounds[task].value_or(std::chrono::seconds{1}).count()} * 1000 /
             system.tasks[task].period->count();
    }
    if (std::find(bounds.begin(), bounds.end(), std::nullopt) != bounds.end()) continue;
    if (least && sum >= *least) continue;
    least = sum;
    deadlines.clear();
    for (const std::optional<Duration>& bound : bounds) deadlines.push_back(*bound);
  }
  for (std::size_t task = 0; task < deadlines.size(); ++task) system.tasks[task].deadline = deadlines[task];
  return least.has_value();
}

/// More than can be tried one by one, with deadlines that leave nothing to spare.
TEST(GraphPlan, FindsWhatIsKnownToExistInLargerSystems) {
  int found = 0;
  int missed = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(40); ++seed) {
    System system = graph_system(seed + 50'000, 9);
    system.platform.clusters = {3, 2, 2};
    for (Task& task : system.tasks) {
      task.any_core = true;
      task.core = 0;
    }
    Dice dice{seed};
    if (!plant_deadlines(system, dice)) continue;
    const plan::Plan planned = plan::plan(system);
    (planned.found ? found : missed) += 1;
    if (planned.found) expect_complete(planned, system);
  }
  RecordProperty("found", found);
  RecordProperty("missed", missed);
  EXPECT_GT(found, tries(10));
  EXPECT_LE(missed, found / 10);
}

System read(const std::string& text) {
  const ReadResult result = read_system(text, "example.yaml", Completeness::to_be_planned);
  for (const Problem& problem : result.problems) ADD_FAILURE() << to_string(problem);
  return *result.system;
}

System example(const std::string& name) {
  return load(in_repository("examples/graphs/" + name), Completeness::to_be_planned);
}

// Rates.

/// Every factor that is said to fail does, for all that is open; deadlines stay.
TEST(GraphRates, EveryFactorThatIsSaidToFailDoes) {
  int faster = 0;
  int slower = 0;
  int largest = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(60); ++seed) {
    System system = graph_system(seed + 90'000, 1 + static_cast<std::int64_t>(seed % 2));
    // Some come too often for their servers.
    if (seed % 4 == 0) system = *plan::at_rate(system, 8000, {.keeps_deadlines = true});
    plan::PlanGoals goals{.fastest = true};
    if (seed % 3 == 0) goals.fastest_of = {0};
    const plan::RateScope scope{.tasks = goals.fastest_of, .keeps_deadlines = true};
    const plan::Plan planned = plan::plan(system, {}, goals);
    if (!planned.found) {
      for (const std::int64_t factor : {1, 10, 100, 500, 900, 1000}) {
        const std::optional<System> slow = plan::at_rate(system, factor, scope);
        ASSERT_TRUE(!slow || !some_holds(*slow)) << seed << " at " << factor;
      }
      continue;
    }
    ASSERT_TRUE(planned.rate);
    const plan::RatePlan& rate = *planned.rate;
    (rate.factor > plan::unchanged_rate ? faster : slower) += 1;
    expect_complete(planned, system);
    expect_to_hold(planned, seed, Execution::worst);
    const System expected = *plan::at_rate(system, rate.factor, scope);
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      ASSERT_EQ(planned.planned.tasks[i].period, expected.tasks[i].period) << seed;
      ASSERT_EQ(planned.planned.tasks[i].deadline, system.tasks[i].deadline) << seed;
    }
    Dice dice{seed};
    EXPECT_FALSE(rate.gave_up) << seed;
    for (int i = 0; i < 12 && rate.fails_to > rate.factor; ++i) {
      const std::int64_t factor = dice.between(rate.factor + 1, rate.fails_to);
      const std::optional<System> beyond = plan::at_rate(system, factor, scope);
      ASSERT_TRUE(!beyond || !some_holds(*beyond)) << seed << " at " << factor;
    }
    for (int i = 0; i < 12 && rate.largest; ++i) {
      const std::int64_t factor = dice.between(rate.factor + 1, 4 * rate.factor);
      const std::optional<System> beyond = plan::at_rate(system, factor, scope);
      ASSERT_TRUE(!beyond || !some_holds(*beyond)) << seed << " at " << factor;
    }
    largest += rate.largest ? 1 : 0;
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  RecordProperty("faster", faster);
  RecordProperty("slower", slower);
  RecordProperty("largest", largest);
  EXPECT_GE(faster, tries(10));
  EXPECT_GE(slower, tries(2));
  EXPECT_GE(largest, tries(2));
}

TEST(GraphRates, ScriptedJobsBelongToTheirPeriod) {
  System system = example("fine.yaml");
  system.tasks[0].jobs.resize(1);
  EXPECT_THROW(plan::plan(system, {}, {.fastest = true}), InputError);
  EXPECT_THROW(plan::plan(example("fine.yaml"), {}, {.fewest_sms = true}), InputError);
}

TEST(GraphRates, AStopKeepsWhatWasFound) {
  std::atomic<bool> stop{false};
  int shown = 0;
  Watch watch{.stop = &stop};
  watch.progress = [&](double) { stop = ++shown > 6; };
  const plan::Plan planned = plan::plan(example("fine.yaml"), watch, {.fastest = true});
  ASSERT_TRUE(planned.found);
  EXPECT_TRUE(planned.interrupted);
  EXPECT_FALSE(planned.rate->largest);
  EXPECT_TRUE(holds(planned.planned));
}

// Examples.

TEST(GraphPlan, WhatHoldsIsKept) {
  const System system = example("fine.yaml");
  const plan::Plan planned = plan::plan(system);
  ASSERT_TRUE(planned.found);
  EXPECT_EQ(planned.planned, system);
  EXPECT_THAT(planned.how, HasSubstr("it holds as it is"));
}

TEST(GraphPlan, NothingHelpsOverloadedCores) {
  const plan::Plan planned = plan::plan(regroup(example("cameras.yaml"), Granularity::monolithic).system);
  EXPECT_FALSE(planned.found);
  EXPECT_THAT(planned.why_not, HasSubstr("nothing can help: the tasks need 2.52"));
  EXPECT_THAT(planned.searched, HasSubstr("rules out every one"));
}

TEST(GraphPlan, TheNearestIsNamed) {
  System system = example("to-plan.yaml");
  for (Task& task : system.tasks) task.deadline = std::chrono::milliseconds{45};
  system.tasks.back().deadline = std::chrono::milliseconds{600};
  const plan::Plan planned = plan::plan(system);
  ASSERT_FALSE(planned.found);
  ASSERT_TRUE(planned.fails);
  EXPECT_THAT(planned.fails->task, HasSubstr("camera"));
  EXPECT_TRUE(planned.fails->by);
  EXPECT_THAT(planned.searched, HasSubstr("cores, variants, the order and clusters"));
}

/// A long node keeps short ones waiting wherever they share cores: only clusters of their own part them.
constexpr auto long_and_short = R"(tactus: 1
platform: {cpus: {clusters: [2, 2]}, gpu: {sms: 1}}
policy: {strategy: graph, order: edf, parallel_jobs: true@}
tasks:
  - {name: a, period: 10ms, deadline: 12ms, segments: [{cpu: 4ms}]}
  - {name: b, period: 10ms, deadline: 12ms, segments: [{cpu: 4ms}]}
  - {name: c, period: 10ms, deadline: 12ms, segments: [{cpu: 4ms}]}
  - {name: map, period: 100ms, deadline: 200ms, segments: [{cpu: 80ms}]}
)";

std::string with(std::string text, const std::string& more) { return text.replace(text.find('@'), 1, more); }

TEST(GraphPlan, ClustersPartLongNodesFromShortOnes) {
  const plan::Plan planned = plan::plan(read(with(long_and_short, "")));
  ASSERT_TRUE(planned.found) << planned.why_not;
  EXPECT_EQ(planned.planned.policy.clusters, ClusterMode::per_cluster);
  EXPECT_TRUE(planned.has_policy);
  // Jobs one after the other would hold as well, but need not be asked for.
  System open = read(with(long_and_short, ""));
  open.policy.open.parallel_jobs = true;
  EXPECT_TRUE(plan::plan(open).planned.policy.parallel_jobs);
  EXPECT_TRUE(planned.has_cpu_cores);
  EXPECT_NE(planned.planned.tasks[0].core / 2, planned.planned.tasks[3].core / 2);
  // A file that says it is kept.
  const System said = read(with(long_and_short, ", clusters: global"));
  EXPECT_FALSE(plan::plan(said).found);
  const plan::Hints hints = plan::find_hints(said, analysis::check(said), {});
  ASSERT_EQ(hints.policies.size(), 1U);
  EXPECT_EQ(hints.policies[0].clusters, ClusterMode::per_cluster);
  EXPECT_TRUE(hints.policies[0].any_core);
  EXPECT_TRUE(hints.policies[0].planned);
  EXPECT_EQ(hints.policies[0].analysis, "graph-edf");
  EXPECT_EQ(plan::find_other_ways(said, {}).policies.size(), 1U);
}

TEST(GraphPlan, AWayKeepsItsOrder) {
  const System system = read(with(long_and_short, ""));
  for (const plan::Way& way : plan::all_ways()) {
    if (!way.strategy->times_nodes) continue;
    const plan::Trial trial = plan::try_way(system, way, {});
    if (trial.holds()) {
      EXPECT_EQ(trial.plan.planned.policy.order, way.order);
    }
  }
}

TEST(GraphPlan, HintsForJobsThatMustNotOverlap) {
  // A node that takes longer than its period: one after the other they never catch up.
  const System system = read(R"(tactus: 1
platform: {cpus: 4, gpu: {sms: 1}}
policy: {strategy: graph, order: edf, parallel_jobs: false}
tasks:
  - {name: a, period: 10ms, deadline: 100ms, segments: [{cpu: 12ms}]}
)");
  const plan::Plan planned = plan::plan(system);
  EXPECT_FALSE(planned.found);
  const plan::Hints hints = plan::find_hints(system, analysis::check(system), {});
  ASSERT_EQ(hints.policies.size(), 1U);
  EXPECT_EQ(hints.policies[0].parallel_jobs, true);
  EXPECT_FALSE(hints.policies[0].planned);
  const plan::Hints others = plan::find_other_ways(system, {});
  ASSERT_EQ(others.policies.size(), 1U);
  EXPECT_TRUE(others.policies[0].planned);
}

/// A deadline beyond the period helps, which it does nowhere else.
TEST(GraphPlan, HintsForDeadlinesBeyondPeriods) {
  System system = example("fine.yaml");
  system.tasks.resize(1);
  system.tasks[0].deadline = std::chrono::milliseconds{20};
  const analysis::CheckResult result = analysis::check(system);
  ASSERT_NE(result.verdict, analysis::Verdict::schedulable);
  const plan::Hints hints = plan::find_hints(system, result, {});
  ASSERT_EQ(hints.deadlines.size(), 1U);
  system.tasks[0].deadline = hints.deadlines[0].deadline;
  EXPECT_TRUE(holds(system));
}

}  // namespace
}  // namespace tactus::test
