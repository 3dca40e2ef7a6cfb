// Reservations: whatever a fine grid finds, plan finds.
#include <gtest/gtest.h>

#include <optional>

#include "support/core_systems.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/plan/plan.hpp"

namespace tactus::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
constexpr int wanted_systems = 40;
constexpr int systems_with_best_share = 5;
#else
constexpr int wanted_systems = 500;
constexpr int systems_with_best_share = 300;
#endif

constexpr std::int64_t steps = 200;

struct GridPoint {
  Duration period{};
  Duration gang{};
};

/// Periods in equal steps up to the sum of the shortest deadlines of both kinds; budgets in equal steps of
/// the period.
template <typename Visit>
void for_each_point(const System& system, const Visit& visit) {
  Duration gang = Duration::max();
  Duration local = Duration::max();
  for (const Task& task : system.tasks) {
    Duration& shortest = task.sm.kind == SmAffinity::Kind::all ? gang : local;
    shortest = std::min(shortest, *task.deadline);
  }
  for (std::int64_t i = 1; i <= steps; ++i) {
    const Duration period = (gang + local) * i / steps;
    for (std::int64_t j = 1; j < steps; ++j) {
      if (!visit(GridPoint{period, period * j / steps})) return;
    }
  }
}

std::optional<GridPoint> first_on_grid(const System& system) {
  const std::vector<PlainServer> cores = plain_cores(system);
  const PlainServer gang{system, -1};
  std::optional<GridPoint> found;
  for_each_point(system, [&](const GridPoint& point) {
    if (holds_plainly(cores, gang, point.gang, point.period)) found = point;
    return !found;
  });
  return found;
}

double share(const GridPoint& point) {
  return static_cast<double>(point.gang.count()) / static_cast<double>(point.period.count());
}

TEST(Grid, PlanFindsReservationsWhereverTheGridDoes) {
  int found = 0;
  int tried = 0;
  for (std::uint64_t seed = first_seed(); found < wanted_systems; ++seed, ++tried) {
    const System system = core_system(seed);
    const std::optional<GridPoint> point = first_on_grid(system);
    if (!point) continue;
    ++found;
    const plan::Plan planned = plan::plan(system);
    ASSERT_TRUE(planned.found) << planned.why_not << "\nthe grid has period " << point->period.count()
                               << " ns, gang budget " << point->gang.count() << " ns\n"
                               << describe(system);
    ASSERT_EQ(analysis::check(planned.planned).verdict, analysis::Verdict::schedulable) << describe(system);
  }
  RecordProperty("systems", tried);
  EXPECT_GT(tried, found) << "the systems are too easy to show anything";
}

TEST(Grid, NoPointHasAMuchSmallerShareForTheGang) {
  int compared = 0;
  for (std::uint64_t seed = first_seed(); compared < systems_with_best_share; ++seed) {
    const System system = core_system(seed);
    const std::vector<PlainServer> cores = plain_cores(system);
    const PlainServer gang{system, -1};
    std::optional<GridPoint> best;
    for_each_point(system, [&](const GridPoint& point) {
      if ((!best || share(point) < share(*best)) && holds_plainly(cores, gang, point.gang, point.period))
        best = point;
      return true;
    });
    if (!best) continue;
    ++compared;
    const plan::Plan planned = plan::plan(system);
    ASSERT_TRUE(planned.found) << describe(system);
    const Reservations& reservations = *planned.planned.policy.reservations;
    // One percent by the search, one for round numbers.
    EXPECT_LE(share({reservations.period, reservations.all->budget}), share(*best) * 1.0202)
        << describe(system);
  }
}

TEST(Grid, WhereNothingWasFoundOtherWindowsFailToo) {
  int refused = 0;
  for (std::uint64_t seed = first_seed(); refused < wanted_systems / 10; ++seed) {
    const System system = core_system(seed);
    const plan::Plan planned = plan::plan(system);
    if (planned.found) continue;
    ++refused;
    EXPECT_FALSE(planned.why_not.empty());
    const std::vector<PlainServer> cores = plain_cores(system);
    const PlainServer gang{system, -1};
    for (std::int64_t i = 1; i <= 2'000; ++i) {
      const Duration period{i * 20'011};
      for (std::int64_t j = 1; j < 20; ++j) {
        ASSERT_FALSE(holds_plainly(cores, gang, period * j / 20, period)) << describe(system);
      }
    }
  }
}

}  // namespace
}  // namespace tactus::test
