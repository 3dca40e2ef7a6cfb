// The demand test: against its slow, obvious twin, with numbers of every size, and at scale.
#include "tactus/analysis/demand.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "support/dice.hpp"
#include "tactus/base/ratio_sum.hpp"

namespace tactus::analysis {
namespace {

using test::Dice;

struct Problem {
  std::vector<DemandTask> tasks;
  std::vector<Blocker> blockers;
  SupplyBound supply = SupplyBound::always();
  std::int64_t scale = 1;
};

Int128 demand_at(const Problem& problem, std::int64_t t) {
  Int128 demand = 0;
  for (const DemandTask& task : problem.tasks) {
    for (Int128 d = task.deadline.count(); d <= t; d += task.period.count()) demand += task.cost;
  }
  return demand;
}

Int128 blocking_at(const Problem& problem, std::int64_t t) {
  Int128 most = 0;
  for (const Blocker& blocker : problem.blockers) {
    if (blocker.deadline.count() > t) most = std::max<Int128>(most, blocker.cost);
  }
  return most;
}

/// Whether work / scale <= supply(t), from the definition of the supply.
bool has_room(const Problem& problem, Int128 work, std::int64_t t) {
  const Int128 q = problem.supply.budget();
  const Int128 p = problem.supply.period();
  const Int128 scale = problem.scale;
  switch (problem.supply.shape()) {
    case SupplyBound::Shape::always:
      return work <= scale * t;
    case SupplyBound::Shape::windows: {
      const Int128 k = t / p;
      return work <= scale * (k * q + std::max<Int128>(0, t - k * p - (p - q)));
    }
    case SupplyBound::Shape::line:
      return work * p <= scale * q * std::max<Int128>(0, t - (p - q));
  }
  return false;
}

/// Every deadline of three hyperperiods, and the utilisation.
bool holds_by_enumeration(const Problem& problem) {
  std::int64_t hyperperiod = 1;
  std::vector<Ratio> terms;
  for (const DemandTask& task : problem.tasks) {
    hyperperiod = std::lcm(hyperperiod, task.period.count());
    terms.push_back({task.cost, task.period.count()});
  }
  if (compare_sum(terms, {problem.scale * problem.supply.budget(), problem.supply.period()}) > 0)
    return false;
  for (const DemandTask& task : problem.tasks) {
    for (std::int64_t t = task.deadline.count(); t <= 3 * hyperperiod; t += task.period.count()) {
      if (!has_room(problem, demand_at(problem, t) + blocking_at(problem, t), t)) return false;
    }
  }
  return true;
}

DemandAnswer answer(const Problem& problem) {
  DemandOptions options;
  options.scale = problem.scale;
  return test_demand(problem.tasks, problem.blockers, problem.supply, options);
}

SupplyBound random_supply(Dice& dice, std::int64_t scale) {
  const std::int64_t period = dice.between(1, 12);
  const std::int64_t budget = dice.between(std::max<std::int64_t>(1, period / 2), period);
  switch (dice.between(0, scale == 1 ? 2 : 1)) {
    case 0:
      return SupplyBound::always();
    case 1:
      return SupplyBound::windows(nanoseconds(budget), nanoseconds(period));
    default:
      return SupplyBound::line(nanoseconds(budget), nanoseconds(period));
  }
}

Problem random_problem(Dice& dice) {
  Problem problem;
  problem.scale = dice.percent(25) ? dice.between(2, 6) : 1;
  problem.supply = random_supply(dice, problem.scale);
  const std::int64_t number = dice.between(1, 5);
  for (std::int64_t i = 0; i < number; ++i) {
    const std::int64_t period = dice.pick<std::int64_t>({2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 20, 24, 30});
    const std::int64_t deadline = dice.percent(40) ? period : dice.between(1, period);
    const std::int64_t most = std::max<std::int64_t>(1, 2 * period * problem.scale / (number + 1));
    problem.tasks.push_back(
        {dice.between(dice.percent(5) ? 0 : 1, most), nanoseconds(deadline), nanoseconds(period)});
  }
  for (std::int64_t i = dice.between(0, 4); i > 0; --i) {
    const Duration deadline = dice.percent(25) ? Blocker::no_deadline : dice.duration(1, 30);
    problem.blockers.push_back({dice.between(0, 4 * problem.scale), deadline, static_cast<std::size_t>(i)});
  }
  return problem;
}

void check_witness(const Problem& problem, const DemandWitness& witness) {
  const std::int64_t t = witness.interval.count();
  EXPECT_TRUE(witness.demand == demand_at(problem, t));
  EXPECT_TRUE(witness.blocking == blocking_at(problem, t));
  EXPECT_EQ(witness.blocking > 0, witness.blocker.has_value());
  EXPECT_FALSE(has_room(problem, witness.demand + witness.blocking, t));
  const bool is_deadline =
      std::any_of(problem.tasks.begin(), problem.tasks.end(), [&](const DemandTask& task) {
        return t >= task.deadline.count() && (t - task.deadline.count()) % task.period.count() == 0;
      });
  EXPECT_TRUE(is_deadline);
}

TEST(Demand, EqualsEnumeration) {
  Dice dice{1};
  int holds = 0;
  int fails = 0;
  int overloaded = 0;
  for (int round = 0; round < 30'000; ++round) {
    const Problem problem = random_problem(dice);
    const DemandAnswer found = answer(problem);
    ASSERT_NE(found.outcome, DemandAnswer::Outcome::gave_up);
    ASSERT_EQ(found.holds(), holds_by_enumeration(problem)) << "round " << round;
    if (found.outcome == DemandAnswer::Outcome::fails) check_witness(problem, found.witness);
    ++(found.holds() ? holds : found.outcome == DemandAnswer::Outcome::fails ? fails : overloaded);
  }
  EXPECT_GT(holds, 3000);
  EXPECT_GT(fails, 3000);
  EXPECT_GT(overloaded, 1000);
}

/// The same problem on an axis whose units are `factor` times finer.
Problem finer(const Problem& problem, std::int64_t factor) {
  Problem result = problem;
  for (DemandTask& task : result.tasks)
    task = {task.cost * factor, task.deadline * factor, task.period * factor};
  for (Blocker& blocker : result.blockers) {
    blocker.cost *= factor;
    if (blocker.deadline != Blocker::no_deadline) blocker.deadline *= factor;
  }
  const Duration budget = nanoseconds(problem.supply.budget() * factor);
  const Duration period = nanoseconds(problem.supply.period() * factor);
  if (problem.supply.shape() == SupplyBound::Shape::windows)
    result.supply = SupplyBound::windows(budget, period);
  if (problem.supply.shape() == SupplyBound::Shape::line) result.supply = SupplyBound::line(budget, period);
  return result;
}

TEST(Demand, VerdictsDoNotDependOnTheUnitOfTime) {
  // Up to numbers whose sums need more than 64 bits.
  Dice dice{2};
  int decided = 0;
  int wide_gave_up = 0;
  for (int round = 0; round < 10'000; ++round) {
    const Problem problem = random_problem(dice);
    const DemandAnswer coarse = answer(problem);
    for (const std::int64_t factor :
         {std::int64_t{1'000'003}, std::int64_t{1} << 50U, std::int64_t{1} << 55U}) {
      const DemandAnswer fine = answer(finer(problem, factor));
      if (fine.outcome == DemandAnswer::Outcome::gave_up) {
        ++wide_gave_up;  // a horizon past 64 bits
        continue;
      }
      ++decided;
      ASSERT_EQ(fine.outcome, coarse.outcome) << "round " << round << " factor " << factor;
    }
  }
  EXPECT_GT(decided, 29'000);
  EXPECT_LT(wide_gave_up, 1000);
}

TEST(Demand, FullUtilisationWithHugeHyperperiods) {
  // Implicit deadlines need no search at all, whatever the hyperperiod.
  std::vector<DemandTask> tasks;
  Dice dice{3};
  for (int i = 0; i < 100; ++i) {
    const std::int64_t period = dice.between(1'000'000, 1'000'000'000);
    tasks.push_back({period / 100, nanoseconds(period), nanoseconds(period)});
  }
  EXPECT_EQ(test_demand(tasks, {}, SupplyBound::always()).evaluations, 0);
  EXPECT_TRUE(test_demand(tasks, {}, SupplyBound::always()).holds());
}

TEST(Demand, TwoHundredTasksDoNotEnumerate) {
  Dice dice{4};
  std::int64_t most = 0;
  int holds = 0;
  int fails = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<DemandTask> tasks;
    std::vector<Blocker> blockers;
    for (int i = 0; i < 200; ++i) {
      const std::int64_t period = dice.between(1'000'000, 1'000'000'000);
      const std::int64_t cost = period / dice.between(200, 250);
      const std::int64_t deadline = dice.between(period / 3, period);
      tasks.push_back({cost, nanoseconds(deadline), nanoseconds(period)});
      blockers.push_back({cost / 2, nanoseconds(deadline), static_cast<std::size_t>(i)});
    }
    const SupplyBound supply = round % 2 == 0
                                   ? SupplyBound::always()
                                   : SupplyBound::windows(nanoseconds(9'500'000), nanoseconds(10'000'000));
    const DemandAnswer found = test_demand(tasks, blockers, supply);
    EXPECT_NE(found.outcome, DemandAnswer::Outcome::gave_up);
    most = std::max(most, found.evaluations);
    ++(found.holds() ? holds : fails);
  }
  EXPECT_LT(most, 20'000);  // there are more than 10^9 deadlines in an hour
  EXPECT_GT(holds, 10);
  EXPECT_GT(fails, 10);
}

TEST(Demand, NamesTheLimitItReached) {
  // 1/(1*2) + 1/(2*3) + ... + 1/61 = 1: no share is left to bound the search, the hyperperiod is beyond 64
  // bits and, with some blocking, the busy period does not end.
  std::vector<DemandTask> tasks;
  for (std::int64_t i = 1; i <= 60; ++i) {
    const Duration period = nanoseconds(1000 * i * (i + 1));
    tasks.push_back({1000, period, period});
  }
  tasks.push_back({1000, nanoseconds(61'000), nanoseconds(61'000)});
  EXPECT_TRUE(test_demand(tasks, {}, SupplyBound::always()).holds());
  tasks.back().deadline -= nanoseconds(1);
  const std::vector<Blocker> blockers{{1, Blocker::no_deadline, 0}};
  const DemandAnswer endless = test_demand(tasks, blockers, SupplyBound::always());
  EXPECT_EQ(endless.outcome, DemandAnswer::Outcome::gave_up);
  EXPECT_EQ(endless.limit, "no bound on the intervals to look at fits 64 bits of nanoseconds");
  DemandOptions few;
  few.max_evaluations = 3;
  tasks = {{3, nanoseconds(7), nanoseconds(10)},
           {4, nanoseconds(9), nanoseconds(11)},
           {3, nanoseconds(12), nanoseconds(13)}};
  const DemandAnswer limited = test_demand(tasks, {}, SupplyBound::always(), few);
  EXPECT_EQ(limited.outcome, DemandAnswer::Outcome::gave_up);
  EXPECT_EQ(limited.limit, "more than 3 intervals to look at");
}

TEST(Demand, NoSupplyIsTooLittle) {
  const std::vector<DemandTask> tasks{{1, nanoseconds(5), nanoseconds(5)}};
  const SupplyBound none = SupplyBound::windows(nanoseconds(0), nanoseconds(10));
  EXPECT_EQ(test_demand(tasks, {}, none).outcome, DemandAnswer::Outcome::overloaded);
  EXPECT_TRUE(test_demand({}, {}, none).holds());
  EXPECT_TRUE(test_demand({}, {}, SupplyBound::always()).holds());
}

TEST(Demand, ALineTakesNoFractions) {
  DemandOptions options;
  options.scale = 2;
  EXPECT_THROW(test_demand({}, {}, SupplyBound::line(nanoseconds(1), nanoseconds(2)), options),
               std::invalid_argument);
}

TEST(SupplyBound, TimeForIsTheInverse) {
  Dice dice{5};
  for (int round = 0; round < 2000; ++round) {
    const SupplyBound supply = random_supply(dice, 1);
    Duration before{};
    for (std::int64_t t = 0; t < 60; ++t) {
      const Duration now = supply.in(nanoseconds(t));
      EXPECT_GE(now, before);
      EXPECT_LE(now, nanoseconds(t));
      before = now;
    }
    for (std::int64_t work = 1; work < 20; ++work) {
      const std::int64_t t = supply.time_for(work);
      EXPECT_GE(supply.in(nanoseconds(t)).count(), work);
      EXPECT_LT(supply.in(nanoseconds(t - 1)).count(), work);
      EXPECT_EQ(supply.time_for(static_cast<Int128>(work)), t);
    }
  }
}

}  // namespace
}  // namespace tactus::analysis
