// The quick tests inside the search against the analyses they stand for.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/plan/priorities.hpp"
#include "tactus/plan/server_catalog.hpp"

namespace tactus::test {
namespace {

using plan::ServerBudget;
using plan::ServerCatalog;
using plan::ServerOrder;

/// Up to four tasks on core 0, perhaps with best-effort work, a gang task, overheads and jitter. Small
/// numbers.
System one_core(std::uint64_t seed, Order order) {
  Dice dice{seed};
  System system;
  system.name = "core";
  system.platform.gpu.sms = 2;
  if (dice.percent(40)) {
    system.platform.overheads = {.release = dice.duration(0, 2),
                                 .launch = dice.duration(0, 1),
                                 .completion = dice.duration(0, 1),
                                 .copy = {}};
  }
  system.policy.strategy = strategy_named("sm-cores");
  system.policy.order = order;
  const bool ideal = dice.percent(50);
  const std::int64_t count = dice.between(1, 4);
  for (std::int64_t i = 0; i < count; ++i) {
    Task task;
    task.name = "task" + std::to_string(i);
    task.arrival = Arrival::sporadic;
    const std::int64_t period = dice.between(10, 60);
    const std::int64_t cost = dice.between(1, std::max<std::int64_t>(1, period / (count + 1)));
    task.period = Duration{period};
    task.deadline = dice.duration(cost, period);
    task.longest_block = Duration{ideal ? 0 : dice.between(0, cost)};
    if (dice.percent(20)) task.jitter = dice.duration(0, 3);
    task.sm = {SmAffinity::Kind::one, 0};
    task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(Duration{cost})}});
    system.tasks.push_back(task);
  }
  if (dice.percent(30)) {
    Task filler;
    filler.name = "filler";
    filler.arrival = Arrival::best_effort;
    filler.longest_block = dice.duration(0, 3);
    filler.sm = {SmAffinity::Kind::one, 0};
    filler.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(Duration{5})}});
    system.tasks.push_back(filler);
  }
  if (dice.percent(50)) {
    Task gang = system.tasks.front();
    gang.name = "gang";
    gang.sm = {SmAffinity::Kind::all, 0};
    gang.deadline = gang.period = Duration{10'000};
    gang.jitter = {};
    system.tasks.push_back(gang);
  }
  return system;
}

plan::Group core_tasks(const System& system) {
  plan::Group group;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (system.tasks[i].sm.kind == SmAffinity::Kind::one) group.push_back(i);
  }
  return group;
}

/// What the analysis says of core 0 in a window that starts the period.
bool analysis_accepts(System system, const std::string& id, Duration budget, Duration period) {
  Reservations reservations{.period = period, .local = Window{Duration{}, budget}, .all = {}};
  if (budget < period) reservations.all = Window{budget, period - budget};
  system.policy.reservations = reservations;
  const analysis::Result result = analysis::find(id)->run(system);
  EXPECT_TRUE(result.applies()) << result.why_not;
  for (const TaskIndex task : core_tasks(system)) {
    if (!result.tasks[task].ok) return false;
  }
  return true;
}

bool some_order_accepts(const System& system, Duration budget, Duration period) {
  std::vector<TaskIndex> order = plan::order_of_file(system);
  std::sort(order.begin(), order.end());
  do {
    System ordered = system;
    plan::set_priorities(ordered, order);
    if (analysis_accepts(ordered, "window-fp", budget, period)) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

TEST(ServerBudget, AgreesWithWindowBlocks) {
  int held = 0;
  int failed = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(3'000); ++seed) {
    const System system = one_core(seed, Order::edf);
    ServerCatalog catalog{system, ServerOrder::edf};
    const ServerBudget* need = catalog.core(core_tasks(system));
    Dice dice{seed + 1};
    for (int i = 0; i < 5; ++i) {
      const Duration period = dice.duration(2, 40);
      const Duration budget = dice.duration(1, period.count());
      const bool holds = need->holds(budget, period);
      ASSERT_EQ(holds, analysis_accepts(system, "window-blocks", budget, period))
          << budget.count() << " of " << period.count() << "\n"
          << describe(system);
      ++(holds ? held : failed);
    }
  }
  EXPECT_GT(held, tries(500));
  EXPECT_GT(failed, tries(500));
}

TEST(ServerBudget, AgreesWithWindowFpInTheOrderGivenAndInTheBestOrder) {
  int better = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 1'000; ++seed) {
    const System system = one_core(seed, Order::fp);
    ServerCatalog fixed{system, ServerOrder::fixed_priorities};
    ServerCatalog free{system, ServerOrder::free_priorities};
    Dice dice{seed + 1};
    for (int i = 0; i < 3; ++i) {
      const Duration period = dice.duration(2, 30);
      const Duration budget = dice.duration(1 + period.count() / 2, period.count());
      const bool in_order = fixed.core(core_tasks(system))->holds(budget, period);
      const bool in_some = free.core(core_tasks(system))->holds(budget, period);
      ASSERT_EQ(in_order, analysis_accepts(system, "window-fp", budget, period)) << describe(system);
      ASSERT_EQ(in_some, some_order_accepts(system, budget, period)) << describe(system);
      if (in_some && !in_order) ++better;
    }
  }
  EXPECT_GT(better, 0) << "deadline-monotonic was always best: nothing was tested";
}

TEST(ServerBudget, TheLeastBudgetIsTheLeastAndNeverFallsWithThePeriod) {
  for (const ServerOrder order :
       {ServerOrder::edf, ServerOrder::fixed_priorities, ServerOrder::free_priorities}) {
    for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(300); ++seed) {
      const System system = one_core(seed, order == ServerOrder::edf ? Order::edf : Order::fp);
      ServerCatalog catalog{system, order};
      ServerBudget* need = catalog.core(core_tasks(system));
      if (!need->can_hold()) continue;
      Duration before{};
      for (Duration period{1}; period < Duration{60}; period += Duration{1}) {
        const Duration least = need->min_budget(period);
        ASSERT_GE(least, before) << describe(system);
        before = least;
        ASSERT_TRUE(least >= period || need->holds(least, period)) << describe(system);
        ASSERT_TRUE(least > period || !need->holds(least - Duration{1}, period)) << describe(system);
        // In any order of questions the same answer.
        ServerCatalog fresh{system, order};
        ASSERT_EQ(fresh.core(core_tasks(system))->min_budget(period), least) << describe(system);
      }
    }
  }
}

}  // namespace
}  // namespace tactus::test
