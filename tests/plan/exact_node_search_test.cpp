// The search of all choices: what it finds is the best there is, and what it leaves out cannot hold.
#include "tactus/plan/exact_node_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/node_systems.hpp"
#include "support/random_systems.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/base/error.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/core_times.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/plan.hpp"

namespace tactus::test {
namespace {

using plan::Dimension;
using plan::ExactGoal;
using plan::ExactResult;
using plan::NodeCandidate;
using plan::NodeChoices;
using testing::ElementsAre;
using testing::HasSubstr;

/// What the chains take together; nothing where the system is not accepted or a chain has no bound.
std::optional<Int128> latency_of(const System& system) {
  const analysis::CheckResult result = analysis::check(system);
  if (result.verdict != analysis::Verdict::schedulable) return std::nullopt;
  Int128 sum = 0;
  for (const analysis::EffectResult& chain : result.chains) {
    const std::optional<Duration> bound = chain.reaction_bound ? chain.reaction_bound : chain.age_bound;
    if (!bound) return std::nullopt;
    sum += bound->count();
  }
  return sum;
}

/// Every core, variant and order, one after the other.
class EveryCandidate {
 public:
  explicit EveryCandidate(const NodeChoices& choices) : choices_{choices} {}

  /// With the first policy under which something holds.
  std::optional<Int128> least() {
    NodeCandidate candidate = choices_.first();
    do {
      do {
        try_orders(candidate);
      } while (next(candidate));
    } while (!least_ && next_policy(candidate));
    return least_;
  }

 private:
  [[nodiscard]] bool is_policy(std::size_t dimension) const {
    return choices_.dimensions()[dimension].kind == Dimension::Kind::policy;
  }

  bool next(NodeCandidate& candidate) const {
    for (std::size_t i = 0; i < candidate.values.size(); ++i) {
      if (is_policy(i)) continue;
      if (++candidate.values[i] < choices_.dimensions()[i].size) return true;
      candidate.values[i] = 0;
    }
    return false;
  }

  bool next_policy(NodeCandidate& candidate) const {
    return !candidate.values.empty() && is_policy(0) &&
           ++candidate.values.front() < choices_.dimensions().front().size;
  }

  void try_orders(NodeCandidate candidate) {
    if (!choices_.has_orders()) return note(candidate);
    for (TaskIndex i = 0; i < choices_.system().tasks.size(); ++i) candidate.order.push_back(i);
    do {
      candidate.gpu_order.clear();
      if (choices_.has_gpu_orders()) candidate.gpu_order = choices_.gpu_order(choices_.first());
      std::sort(candidate.gpu_order.begin(), candidate.gpu_order.end());
      do {
        note(candidate);
      } while (std::next_permutation(candidate.gpu_order.begin(), candidate.gpu_order.end()));
    } while (std::next_permutation(candidate.order.begin(), candidate.order.end()));
  }

  void note(const NodeCandidate& candidate) {
    const std::optional<System> system = choices_.complete(candidate);
    const std::optional<Int128> latency = system ? latency_of(*system) : std::nullopt;
    if (latency && (!least_ || *latency < *least_)) least_ = latency;
  }

  const NodeChoices& choices_;
  std::optional<Int128> least_;
};

/// On each core another time, on some cores none.
void draw_core_times(Segment& segment, Dice& dice, std::int64_t cpus) {
  auto* cpu = std::get_if<CpuSegment>(&segment);
  if (cpu == nullptr || dice.percent(40)) return;
  for (std::int32_t core = 0; core < cpus; ++core) {
    if (dice.percent(15) && !(core + 1 == cpus && cpu->by_core.empty())) continue;
    const Duration time = cpu->time.worst + dice.duration(0, cpu->time.worst.count());
    cpu->by_core.push_back({{core, 1}, Interval::exactly(time)});
  }
}

void add_chain(System& system, std::string name, Dice& dice) {
  EffectChain chain{.name = std::move(name), .tasks = {}, .communication = {}, .reaction = {}, .age = {}};
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (chain.tasks.empty() || dice.percent(60)) chain.tasks.push_back(i);
  }
  if (dice.percent(50)) std::reverse(chain.tasks.begin(), chain.tasks.end());
  if (dice.percent(30)) chain.communication = Communication::let;
  if (dice.percent(30)) chain.reaction = *system.tasks[chain.tasks.front()].period * 3;
  system.chains.push_back(std::move(chain));
}

/// Open cores and variants, cores that differ, two chains.
System open_system(std::uint64_t seed, std::int64_t tasks) {
  System system = node_system(seed, tasks);
  Dice dice{~mix_bits(seed)};
  if (system.policy.strategy->sms != SmSharing::all) system.policy.strategy = strategy_named("time-sliced");
  if (dice.percent(25)) {
    system.policy.cpu = CpuChoice{.order = {}, .scope = dice.pick({CpuScope::global, CpuScope::clustered})};
    if (system.platform.cpus() > 1) {
      system.platform.clusters = {1, static_cast<std::int32_t>(system.platform.cpus()) - 1};
    }
  }
  for (Task& task : system.tasks) {
    if (!task.any_core || cpu_policy(system.policy).scope == CpuScope::global) continue;
    for (Node& node : task.work.nodes) draw_core_times(node.segment, dice, system.platform.cpus());
    for (WorkChoice& choice : task.choices) {
      for (Segment& segment : choice.variants.back()) draw_core_times(segment, dice, system.platform.cpus());
    }
  }
  add_chain(system, "first", dice);
  add_chain(system, "second", dice);
  set_core_times(system);
  return system;
}

TEST(ExactNodeSearch, FindsTheLeastOfAll) {
  int found = 0;
  int better = 0;
  int none = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(250); ++seed) {
    const System system = open_system(seed, seed % 12 == 0 ? 4 : 3);
    if (!validate(system).empty()) continue;
    const NodeChoices choices{system};
    if (!has_exact_search(choices)) continue;
    const ExactResult result = search_exactly(choices, {.chains = {0, 1}}, {});
    ASSERT_TRUE(result.is_complete);
    const std::optional<Int128> least = EveryCandidate{choices}.least();
    ASSERT_EQ(result.best.has_value(), least.has_value()) << describe(system);
    if (!least) {
      ++none;
      continue;
    }
    ++found;
    ASSERT_TRUE(result.latency == *least) << describe(system);
    const std::optional<System> best = choices.complete(*result.best);
    ASSERT_TRUE(best);
    ASSERT_TRUE(latency_of(*best) == least) << describe(*best);
    const ExactResult any = search_exactly(choices, {}, {});
    ASSERT_TRUE(any.best) << describe(system);
    better += latency_of(*choices.complete(*any.best)) != least ? 1 : 0;
  }
  RecordProperty("better", better);
  EXPECT_GT(found, tries(40));
  EXPECT_GT(none, tries(20));
  EXPECT_GT(better, tries(3));
}

/// From a plan that holds on, the result is the same, or better where that has another policy.
TEST(ExactNodeSearch, GoesOnFromAPlan) {
  int found = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(60); ++seed) {
    const System system = open_system(seed + 7'000, 3);
    if (!validate(system).empty()) continue;
    const NodeChoices choices{system};
    if (!has_exact_search(choices)) continue;
    const plan::Plan quick = plan::plan(system);
    const plan::Plan shortest = plan::plan(system, {}, {.shortest_chains = {0, 1}});
    ASSERT_EQ(quick.found, shortest.found) << describe(system);
    if (!shortest.found || !shortest.shortest) continue;
    ++found;
    ASSERT_TRUE(shortest.shortest->is_least);
    ASSERT_EQ(shortest.shortest->together.count(), static_cast<std::int64_t>(*latency_of(shortest.planned)));
    ASSERT_LE(*latency_of(shortest.planned), *latency_of(quick.planned)) << describe(system);
  }
  EXPECT_GT(found, tries(10));
}

/// The property that the search rests on.
TEST(ExactNodeSearch, NoBoundIsLongerWithoutOthers) {
  int compared = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(1'500); ++seed) {
    const System system = open_system(seed + 20'000, 4);
    if (!validate(system).empty()) continue;
    const NodeChoices choices{system};
    if (!has_exact_search(choices)) continue;
    Dice dice{seed};
    NodeCandidate candidate = choices.first();
    for (std::size_t i = 0; i < candidate.values.size(); ++i) {
      const auto last = static_cast<std::int64_t>(choices.dimensions()[i].size) - 1;
      candidate.values[i] = static_cast<std::size_t>(dice.between(0, last));
    }
    std::vector<bool> all(system.tasks.size(), true);
    std::vector<bool> some;
    for (std::size_t i = 0; i < all.size(); ++i) some.push_back(dice.percent(60));
    const std::optional<System> whole = choices.with_tasks(candidate, all);
    const std::optional<System> part = choices.with_tasks(candidate, some);
    if (!whole || !part || !is_by_node(*part)) continue;
    const analysis::CheckResult before = analysis::check(*whole);
    if (before.verdict != analysis::Verdict::schedulable) continue;
    const analysis::CheckResult after = analysis::check(*part);
    ASSERT_EQ(after.verdict, analysis::Verdict::schedulable) << describe(*whole) << describe(*part);
    const auto bounds = analysis::proven_bounds(*whole, before);
    const auto shorter = analysis::proven_bounds(*part, after);
    for (std::size_t i = 0, next = 0; i < some.size(); ++i) {
      if (!some[i]) continue;
      const std::optional<Duration> own = shorter[next++].bound;
      if (!bounds[i].bound) continue;
      ++compared;
      ASSERT_TRUE(own) << describe(*whole) << describe(*part);
      ASSERT_LE(*own, *bounds[i].bound) << describe(*whole) << describe(*part);
    }
  }
  EXPECT_GT(compared, tries(300));
}

/// CPU work on one core after the other.
Task task_on(std::string name, std::int64_t period, std::int64_t deadline, std::int64_t time,
             const std::vector<std::int32_t>& cores) {
  Task task;
  task.name = std::move(name);
  task.period = Duration{period};
  task.deadline = Duration{deadline};
  task.work.form = WorkForm::chain;
  for (const std::int32_t core : cores) {
    task.work.nodes.push_back({{}, CpuSegment{Interval::exactly(Duration{time})}});
    task.work.nodes.back().core = core;
  }
  return task;
}

// `a` and `b` share no server and are placed first. `t` shares a core with each, and everything holds only
// with `b` before `t` before `a`.
TEST(ExactNodeSearch, TasksThatShareNothingMayBeOnEitherSideOfAThird) {
  const Task a = task_on("a", 100, 70, 60, {0});
  const Task b = task_on("b", 100, 70, 70, {1});
  const Task t = task_on("t", 2'000, 90, 5, {0, 1});
  for (const std::vector<Task>& tasks : {std::vector<Task>{a, b, t}, {b, a, t}, {t, a, b}}) {
    System system = node_system(1, 0);
    system.platform.clusters = {2};
    system.policy.strategy = strategy_named("as-submitted");
    system.tasks = tasks;
    ASSERT_TRUE(validate(system).empty());
    const NodeChoices choices{system};
    ASSERT_TRUE(has_exact_search(choices));
    const ExactResult result = search_exactly(choices, {}, {});
    EXPECT_TRUE(result.is_complete);
    ASSERT_TRUE(result.best) << describe(system);
    std::vector<std::string> names;
    for (const TaskIndex task : result.best->order) names.push_back(tasks[task].name);
    EXPECT_THAT(names, ElementsAre("b", "t", "a"));
  }
}

TEST(ExactNodeSearch, EndsAtItsLimit) {
  const System system = open_system(3, 4);
  ASSERT_TRUE(validate(system).empty());
  const NodeChoices choices{system};
  ASSERT_TRUE(has_exact_search(choices));
  const ExactResult whole = search_exactly(choices, {.chains = {0, 1}}, {});
  ASSERT_GT(whole.checked, 5);
  const ExactResult part = search_exactly(choices, {.chains = {0, 1}, .limit = 5}, {});
  EXPECT_EQ(part.checked, 5);
  EXPECT_FALSE(part.is_complete);
  const std::atomic<bool> stop{true};
  const ExactResult stopped = search_exactly(choices, {.chains = {0, 1}}, {.stop = &stop});
  EXPECT_EQ(stopped.checked, 0);
  EXPECT_FALSE(stopped.is_complete);
}

}  // namespace
}  // namespace tactus::test
