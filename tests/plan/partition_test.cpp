// Cores for tasks of `sm: any`: plan finds a placement whenever there is one.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "support/dice.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "tactus/plan/core_assignment.hpp"
#include "tactus/plan/plan.hpp"

namespace tactus::test {
namespace {

Task core_task(const std::string& name, std::int64_t period, std::int64_t cost, std::int64_t deadline,
               std::int64_t block, SmAffinity sm) {
  Task task;
  task.name = name;
  task.arrival = Arrival::sporadic;
  task.period = Duration{period};
  task.deadline = Duration{deadline};
  task.longest_block = Duration{block};
  task.sm = sm;
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(Duration{cost})}});
  return task;
}

/// Up to `most` tasks that can be moved on two or three cores, perhaps one that cannot, and a gang task.
System any_core(std::uint64_t seed, std::int64_t most) {
  Dice dice{seed};
  System system;
  system.name = "any";
  system.platform.gpu.sms = dice.small(2, 3);
  system.policy.strategy = strategy_named("sm-cores");
  system.policy.order = dice.percent(20) ? Order::fp : Order::edf;
  const bool ideal = dice.percent(60);
  const auto random_task = [&](const std::string& name, SmAffinity sm) {
    const std::int64_t period = dice.pick<std::int64_t>({20, 30, 40, 60});
    const std::int64_t cost = dice.between(1, period * 2 / 5);
    return core_task(name, period, cost, dice.between(std::max(cost, period * 3 / 5), period),
                     ideal ? 0 : dice.between(0, std::min<std::int64_t>(cost, 3)), sm);
  };
  const std::int64_t count = dice.between(2, most);
  for (std::int64_t i = 0; i < count; ++i) {
    system.tasks.push_back(random_task("any" + std::to_string(i), {SmAffinity::Kind::any, 0}));
  }
  if (dice.percent(50)) {
    system.tasks.push_back(
        random_task("fixed", {SmAffinity::Kind::one, dice.small(0, system.platform.gpu.sms - 1)}));
  }
  system.tasks.push_back(core_task("gang", 30, dice.between(1, 8), 30, 0, {SmAffinity::Kind::all, 0}));
  return system;
}

/// Every placement, one after the other.
template <typename Visit>
void for_each_placement(const System& system, const Visit& visit) {
  std::vector<std::size_t> movable;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    if (system.tasks[i].sm.kind == SmAffinity::Kind::any) movable.push_back(i);
  }
  std::vector<std::int32_t> cores(movable.size(), 0);
  while (true) {
    System placed = system;
    for (std::size_t i = 0; i < movable.size(); ++i)
      placed.tasks[movable[i]].sm = {SmAffinity::Kind::one, cores[i]};
    if (!visit(placed)) return;
    std::size_t next = 0;
    while (next < cores.size() && ++cores[next] == system.platform.gpu.sms) cores[next++] = 0;
    if (next == cores.size()) return;
  }
}

plan::ServerOrder order_of(const System& system) {
  return system.policy.order == Order::edf ? plan::ServerOrder::edf : plan::ServerOrder::fixed_priorities;
}

/// The least that the neediest core takes, over all placements; nothing where none ever holds.
std::optional<Duration> min_need(const System& system, Duration period) {
  std::optional<Duration> least;
  plan::ServerCatalog catalog{system, order_of(system)};
  for_each_placement(system, [&](const System& placed) {
    std::optional<Duration> need = Duration{1};
    for (std::int32_t core = 0; core < system.platform.gpu.sms; ++core) {
      plan::Group group;
      for (TaskIndex i = 0; i < placed.tasks.size(); ++i) {
        const SmAffinity& sm = placed.tasks[i].sm;
        if (sm.kind == SmAffinity::Kind::one && sm.core == core) group.push_back(i);
      }
      plan::ServerBudget* server = catalog.core(group);
      if (server == nullptr || !need) continue;
      need = server->can_hold() ? std::optional{std::max(*need, server->min_budget(period))} : std::nullopt;
    }
    if (need && (!least || *need < *least)) least = need;
    return true;
  });
  return least;
}

TEST(Partition, FitsIfAndOnlyIfSomePlacementDoes) {
  int fitted = 0;
  int refused = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 300; ++seed) {
    const System system = any_core(seed, 6);
    plan::ServerCatalog catalog{system, order_of(system)};
    const Watch watch;
    plan::CoreAssignment local{catalog, watch};
    ASSERT_TRUE(local.is_exact());
    Dice dice{seed + 7};
    const Duration period = dice.duration(2, 20);
    const std::optional<Duration> least = min_need(system, period);
    for (Duration room{1}; room < period; room += Duration{1}) {
      const plan::CoreFit fit = local.fit(period, room);
      ASSERT_EQ(fit.fits, least && *least <= room) << room.count() << " of " << period.count() << "\n"
                                                   << describe(system);
      ++(fit.fits ? fitted : refused);
      if (fit.fits) {
        ASSERT_LE(fit.need, room) << describe(system);
      } else {
        // What is said to be needed at least is no more than what is.
        ASSERT_LE(fit.need, least.value_or(Duration::max())) << describe(system);
      }
    }
  }
  EXPECT_GT(fitted, 300);
  EXPECT_GT(refused, 300);
}

TEST(Partition, PlanFindsReservationsIfAndOnlyIfSomePlacementHasThem) {
  int found = 0;
  int refused = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 60; ++seed) {
    const System system = any_core(seed, 4);
    const plan::Plan planned = plan::plan(system);
    bool some = false;
    for_each_placement(system, [&](const System& placed) {
      some = plan::plan(placed).found;
      return !some;
    });
    // A search that was told the placement may use windows in phase as well; these systems are sporadic.
    ASSERT_EQ(planned.found, some) << planned.why_not << "\n" << describe(system);
    ++(planned.found ? found : refused);
  }
  EXPECT_GT(found, 10);
  EXPECT_GT(refused, 5);
}

TEST(Partition, ManyTasksAreFitFirst) {
  System system;
  system.name = "many";
  system.platform.gpu.sms = 8;
  system.policy.strategy = strategy_named("sm-cores");
  for (int i = 0; i < 24; ++i) {
    system.tasks.push_back(
        core_task("task" + std::to_string(i), 3'000'000, 600'000, 3'000'000, 0, {SmAffinity::Kind::any, 0}));
  }
  system.tasks.push_back(core_task("gang", 3'000'000, 300'000, 3'000'000, 0, {SmAffinity::Kind::all, 0}));
  const plan::Plan planned = plan::plan(system);
  EXPECT_TRUE(planned.found) << planned.why_not;
  plan::ServerCatalog catalog{system, plan::ServerOrder::edf};
  const Watch watch;
  EXPECT_FALSE((plan::CoreAssignment{catalog, watch}.is_exact()));
}

}  // namespace
}  // namespace tactus::test
