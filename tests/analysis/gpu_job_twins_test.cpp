// Every test of whole GPU jobs against a slow, obvious twin: the formula as it is written, every deadline of
// a hyperperiod, every response time one nanosecond after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/gpu_job_systems.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/base/exact.hpp"

namespace tactus::analysis {
namespace {

using test::Dice;

/// A task in plain numbers, most urgent first. D is 10^6 for best-effort tasks.
struct Plain {
  std::int64_t cost = 0;
  std::int64_t deadline = 0;
  std::int64_t period = 0;
  std::int64_t block = 0;
  std::int64_t jitter = 0;
  bool best_effort = false;
};

constexpr std::int64_t endless = 1'000'000;

struct Windows {
  std::int64_t budget = 1;
  std::int64_t period = 1;
};

struct Set {
  std::vector<Plain> tasks;
  Windows windows;
  [[nodiscard]] std::vector<Plain> real_time() const {
    std::vector<Plain> result;
    std::copy_if(tasks.begin(), tasks.end(), std::back_inserter(result),
                 [](const Plain& task) { return !task.best_effort; });
    return result;
  }
};

// ------------------------------------------------------------------------------------------ from the file's
// words

std::int64_t time_of(const Task& task) {
  return std::get<ExclusiveSegment>(task.work.nodes[0].segment).time.worst.count();
}

Set plain(const System& system) {
  const std::int64_t launch = system.platform.overheads.launch.count();
  const std::int64_t completion = system.platform.overheads.completion.count();
  const std::int64_t release = system.platform.overheads.release.count();
  const bool cores = system.policy.strategy == strategy_named("sm-cores");
  Set set;
  bool some_ideal = false;
  for (const Task& task : system.tasks) {
    some_ideal = some_ideal || (task.arrival != Arrival::best_effort && task.longest_block == Duration{});
  }
  for (const Task& task : system.tasks) {
    const std::int64_t time = time_of(task);
    const std::int64_t block = task.longest_block.value_or(Duration{time}).count();
    Plain result;
    if (task.arrival == Arrival::best_effort) {
      result.cost = result.block = block + launch + completion;
      result.deadline = result.period = endless;
      result.best_effort = true;
    } else {
      result.deadline = task.deadline->count();
      result.period = task.period->count();
      result.jitter = task.jitter.count() + release;
      const std::int64_t slices = cores && block > 0 ? (time + block - 1) / block : 1;
      result.cost = time + slices * (launch + completion);
      if (cores && some_ideal) result.cost += launch + completion;
      if (block > 0) result.block = block + completion + (cores ? launch : 0);
    }
    set.tasks.push_back(result);
  }
  if (cores) {
    const Reservations& reservations = *system.policy.reservations;
    set.windows = {reservations.local->budget.count(), reservations.period.count()};
    if (set.windows.budget < set.windows.period) {
      set.windows.budget -= release + (some_ideal ? launch + completion : 0);
      set.windows.budget = std::max<std::int64_t>(0, set.windows.budget);
    }
  }
  return set;
}

// ------------------------------------------------------------------------------------------------ demand
// twins

std::int64_t sbf(std::int64_t t, Windows w) {
  const std::int64_t k = t / w.period;
  return k * w.budget + std::max<std::int64_t>(0, t - k * w.period - (w.period - w.budget));
}

/// For every deadline up to two hyperperiods: demand + blocking(t) <= room(t), all multiplied by `scale`.
bool demand_holds(const std::vector<Plain>& tasks, const std::function<std::int64_t(std::int64_t)>& blocking,
                  const std::function<std::int64_t(std::int64_t)>& room, std::int64_t scale = 1) {
  std::int64_t hyperperiod = 1;
  for (const Plain& task : tasks) hyperperiod = std::lcm(hyperperiod, task.period);
  for (const Plain& last : tasks) {
    if (last.deadline <= last.jitter) return false;
    for (std::int64_t t = last.deadline - last.jitter; t <= 2 * hyperperiod; t += last.period) {
      std::int64_t demand = 0;
      for (const Plain& task : tasks) {
        const std::int64_t d = task.deadline - task.jitter;
        if (t >= d) demand += ((t - d) / task.period + 1) * task.cost;
      }
      if ((demand + blocking(t)) * scale > room(t)) return false;
    }
  }
  // Demand of a hyperperiod against the supply in the long run.
  std::int64_t needed = 0;
  for (const Plain& task : tasks) needed += task.cost * (hyperperiod / task.period);
  return needed * scale * 1000 <= room(1000 * hyperperiod);
}

std::int64_t identity(std::int64_t t) { return t; }

bool np_edf_twin(const Set& set) {
  return demand_holds(
      set.real_time(),
      [&](std::int64_t t) {
        std::int64_t most = 0;
        for (const Plain& task : set.tasks) {
          if (task.deadline > t) most = std::max(most, task.cost);
        }
        return most;
      },
      identity);
}

/// PCo and Top, as written.
struct Levels {
  std::vector<std::int64_t> below;
  std::vector<bool> top;
};

Levels levels_of(const Set& set, std::int64_t levels, bool edf) {
  Levels result;
  for (std::size_t l = 0; l < set.tasks.size(); ++l) {
    std::int64_t block = 0;
    std::int64_t number = 0;
    bool best_effort_counted = false;
    for (std::size_t q = 0; q < set.tasks.size(); ++q) {
      const Plain& task = set.tasks[l];
      const Plain& other = set.tasks[q];
      const bool less = edf ? q != l && other.deadline > task.deadline - task.jitter : q > l;
      if (!less || (task.best_effort && other.best_effort)) continue;
      block = std::max(block, other.block);
      if (other.best_effort && best_effort_counted) continue;  // one of them at a time
      best_effort_counted = best_effort_counted || other.best_effort;
      ++number;
    }
    result.below.push_back(levels == 1 ? 0 : block);
    result.top.push_back(number >= levels - 1);
  }
  return result;
}

bool ms_edf_twin(const Set& set, std::int64_t levels, bool immediate, bool with_overheads) {
  const Levels terms = levels_of(set, levels, true);
  std::vector<Plain> tasks = set.tasks;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!immediate || with_overheads) tasks[i].cost += terms.below[i];
  }
  Set charged{tasks, {}};
  return demand_holds(
      charged.real_time(),
      [&](std::int64_t t) {
        std::int64_t most = 0;
        for (std::size_t l = 0; l < set.tasks.size(); ++l) {
          if (set.tasks[l].deadline <= t) continue;
          if (terms.top[l]) most = std::max(most, set.tasks[l].cost + terms.below[l]);
          if (immediate) most = std::max(most, set.tasks[l].block);
        }
        return most;
      },
      identity);
}

bool window_edf_twin(const Set& set, bool line) {
  std::int64_t longest = 0;
  for (const Plain& task : set.real_time()) longest = std::max(longest, task.block);
  Windows windows = set.windows;
  if (windows.budget < windows.period) windows.budget -= longest;
  if (windows.budget <= 0) return false;
  const auto blocking = [&](std::int64_t t) {
    std::int64_t most = 0;
    for (const Plain& task : set.tasks) {
      if (task.deadline > t) most = std::max(most, task.block);
    }
    return most;
  };
  if (!line) return demand_holds(set.real_time(), blocking, [&](std::int64_t t) { return sbf(t, windows); });
  const auto room = [&](std::int64_t t) {
    return std::max<std::int64_t>(0, windows.budget * (t - (windows.period - windows.budget)));
  };
  return demand_holds(set.real_time(), blocking, room, windows.period);
}

// ---------------------------------------------------------------------------------------------- response
// twins

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

using Bounds = std::vector<std::int64_t>;  // -1: none

/// R = 1, 2, 3, ... until the supply covers what must be done.
Bounds preemptive_twin(const Set& set, const std::vector<std::int64_t>& costs,
                       const std::vector<std::int64_t>& blocking, Windows windows) {
  Bounds bounds(set.tasks.size(), -1);
  for (std::size_t i = 0; i < set.tasks.size() && !set.tasks[i].best_effort; ++i) {
    const Plain& task = set.tasks[i];
    for (std::int64_t r = 1; r + task.jitter <= task.deadline && bounds[i] < 0; ++r) {
      std::int64_t needed = blocking[i] + costs[i];
      for (std::size_t j = 0; j < i; ++j) {
        needed += ceiling(r + set.tasks[j].jitter, set.tasks[j].period) * costs[j];
      }
      if (windows.budget > 0 && needed <= sbf(r, windows)) bounds[i] = r + task.jitter;
    }
    if (bounds[i] < 0) break;
  }
  return bounds;
}

std::int64_t longest_behind(const Set& set, std::size_t i, std::int64_t Plain::*length) {
  std::int64_t most = 0;
  for (std::size_t j = i + 1; j < set.tasks.size(); ++j) most = std::max(most, set.tasks[j].*length);
  return most;
}

Bounds ms_fp_twin(const Set& set, std::int64_t levels, bool immediate, bool with_overheads) {
  const Levels terms = levels_of(set, levels, false);
  std::vector<std::int64_t> costs;
  std::vector<std::int64_t> blocking;
  for (std::size_t i = 0; i < set.tasks.size(); ++i) {
    costs.push_back(set.tasks[i].cost + (!immediate || with_overheads ? terms.below[i] : 0));
    std::int64_t most = immediate ? longest_behind(set, i, &Plain::block) : 0;
    for (std::size_t l = i + 1; l < set.tasks.size(); ++l) {
      if (terms.top[l]) most = std::max(most, set.tasks[l].cost + terms.below[l]);
    }
    blocking.push_back(most);
  }
  return preemptive_twin(set, costs, blocking, {});
}

Bounds window_fp_twin(const Set& set) {
  Windows windows = set.windows;
  std::int64_t longest = 0;
  std::vector<std::int64_t> costs;
  std::vector<std::int64_t> blocking;
  for (std::size_t i = 0; i < set.tasks.size(); ++i) {
    if (!set.tasks[i].best_effort) longest = std::max(longest, set.tasks[i].block);
    costs.push_back(set.tasks[i].cost);
    blocking.push_back(longest_behind(set, i, &Plain::block));
  }
  if (windows.budget < windows.period) windows.budget -= longest;
  return preemptive_twin(set, costs, blocking, windows);
}

/// The whole busy period, one nanosecond after the other; at most a hyperperiod of jobs.
Bounds np_fp_twin(const Set& set) {
  Bounds bounds(set.tasks.size(), -1);
  std::int64_t hyperperiod = 1;
  for (std::size_t i = 0; i < set.tasks.size() && !set.tasks[i].best_effort; ++i) {
    const Plain& task = set.tasks[i];
    hyperperiod = std::lcm(hyperperiod, task.period);
    std::int64_t used = 0;
    for (std::size_t j = 0; j <= i; ++j) used += set.tasks[j].cost * (hyperperiod / set.tasks[j].period);
    if (used > hyperperiod || task.deadline <= task.jitter) break;
    const std::int64_t blocking = longest_behind(set, i, &Plain::cost);
    std::int64_t busy = 1;
    for (; busy <= 4 * hyperperiod; ++busy) {
      std::int64_t needed = blocking;
      for (std::size_t j = 0; j <= i; ++j) {
        needed += ceiling(busy + set.tasks[j].jitter, set.tasks[j].period) * set.tasks[j].cost;
      }
      if (needed == busy) break;
    }
    const std::int64_t jobs =
        busy > 4 * hyperperiod ? 4 * (hyperperiod / task.period) : ceiling(busy + task.jitter, task.period);
    std::int64_t worst = 0;
    for (std::int64_t k = 0; k < jobs; ++k) {
      for (std::int64_t w = 0;; ++w) {
        std::int64_t needed = blocking + k * task.cost;
        for (std::size_t j = 0; j < i; ++j) {
          needed += ((w + set.tasks[j].jitter) / set.tasks[j].period + 1) * set.tasks[j].cost;
        }
        if (w < needed && w <= k * task.period + task.deadline) continue;
        worst = std::max(worst, w - k * task.period + task.cost + task.jitter);
        break;
      }
    }
    if (worst > task.deadline) break;
    bounds[i] = worst;
  }
  return bounds;
}

// -------------------------------------------------------------------------------------------------- random
// sets

System random_system(Dice& dice, StrategyRef strategy, Order order, bool ideal) {
  std::vector<test::Job> jobs;
  const std::int64_t number = dice.between(1, 4);
  for (std::int64_t i = 0; i < number; ++i) {
    const std::int64_t period = dice.pick<std::int64_t>({4, 5, 6, 8, 10, 12, 15, 20, 24, 30});
    const std::int64_t cost =
        dice.between(1, std::max<std::int64_t>(1, period / (number + dice.between(0, 2))));
    const std::int64_t deadline = dice.percent(50) ? period : dice.between(cost, period);
    const std::int64_t block = ideal || dice.percent(20) ? 0 : dice.percent(30) ? -1 : dice.between(1, cost);
    jobs.push_back({cost, deadline, period, block});
  }
  System system = test::gpu_jobs(strategy, order, jobs);
  // The twins take the tasks in the order of the file.
  if (order == Order::edf) {
    for (Task& task : system.tasks) task.priority.reset();
  }
  for (Task& task : system.tasks) {
    if (dice.percent(25)) task.jitter = dice.duration(0, 3);
    task.arrival = dice.percent(50) ? Arrival::sporadic : Arrival::periodic;
    task.sm = {SmAffinity::Kind::one, 0};
  }
  if (dice.percent(30)) system.platform.overheads.release = dice.duration(0, 1);
  if (dice.percent(20)) system.platform.overheads.launch = dice.duration(0, 1);
  if (dice.percent(20)) system.platform.overheads.completion = dice.duration(0, 1);
  for (std::int64_t i = dice.percent(40) ? dice.between(1, 2) : 0; i > 0; --i) {
    const std::int64_t cost = dice.between(1, 5);
    test::add_best_effort(system, cost, ideal ? 0 : dice.percent(40) ? -1 : dice.between(0, cost));
  }
  system.policy.levels = dice.small(1, 4);
  system.policy.refill = dice.percent(50) ? Refill::immediate : Refill::lazy;
  const std::int64_t period = dice.between(1, 10);
  const std::int64_t budget = dice.percent(20) ? period : dice.between((2 * period + 2) / 3, period);
  system.policy.reservations =
      Reservations{nanoseconds(period), Window{nanoseconds(0), nanoseconds(budget)}, std::nullopt};
  return system;
}

struct Tally {
  int holds = 0;
  int fails = 0;
};

/// Plays so many random systems, or fewer (support/effort.hpp); `compare` answers what the twin says.
template <typename Compare>
Tally play(std::uint64_t seed, StrategyRef strategy, Order order, bool ideal, int max_rounds,
           Compare compare) {
  const int rounds = test::tries(max_rounds);
  Dice dice{seed};
  Tally tally;
  for (int round = 0; round < rounds; ++round) {
    const System system = random_system(dice, strategy, order, ideal);
    const std::optional<bool> holds = compare(system);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "in round " << round;
      return tally;
    }
    if (holds) ++(*holds ? tally.holds : tally.fails);
  }
  EXPECT_GT(tally.holds, rounds / 20);
  EXPECT_GT(tally.fails, rounds / 20);
  return tally;
}

bool accepts(const Result& result) { return result.verdict == Verdict::schedulable; }

bool has_overheads(const System& system) {
  return system.platform.overheads.launch + system.platform.overheads.completion > Duration{};
}

/// Bounds against those of a twin, and what follows from them.
bool expect_bounds(const System& system, const Result& result, const Bounds& expected) {
  Bounds kept = test::bounds_of(result);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const TaskResult& task = result.tasks[i];
    if (task.ok || !task.bound) continue;
    EXPECT_GT(*task.bound, *task.deadline);  // the twins stop at the deadline
    kept[i] = -1;
  }
  EXPECT_EQ(kept, expected);
  bool all = true;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool best_effort = system.tasks[i].arrival == Arrival::best_effort;
    EXPECT_EQ(result.tasks[i].ok, best_effort || expected[i] >= 0);
    all = all && result.tasks[i].ok;
  }
  EXPECT_EQ(accepts(result), all);
  return all;
}

TEST(Twins, NpEdf) {
  play(1, strategy_named("single-stream"), Order::edf, false, 20'000, [](const System& system) {
    const Result result = np_edf(system);
    EXPECT_EQ(accepts(result), np_edf_twin(plain(system)));
    return std::optional{accepts(result)};
  });
}

TEST(Twins, NpFp) {
  play(2, strategy_named("single-stream"), Order::fp, false, 20'000, [](const System& system) {
    return std::optional{expect_bounds(system, np_fp(system), np_fp_twin(plain(system)))};
  });
}

TEST(Twins, MsEdf) {
  play(3, strategy_named("multi-stream"), Order::edf, false, 20'000, [](const System& system) {
    const Result result = ms_edf(system);
    EXPECT_EQ(accepts(result), ms_edf_twin(plain(system), system.policy.levels, false, false));
    return std::optional{accepts(result)};
  });
}

TEST(Twins, MsEdfImmediate) {
  play(4, strategy_named("multi-stream"), Order::edf, false, 20'000, [](const System& system) {
    const Result result = ms_edf_immediate(system);
    if (!result.applies()) return std::optional<bool>{};
    EXPECT_EQ(accepts(result), ms_edf_twin(plain(system), system.policy.levels, true, has_overheads(system)));
    return std::optional{accepts(result)};
  });
}

TEST(Twins, MsFp) {
  play(5, strategy_named("multi-stream"), Order::fp, false, 20'000, [](const System& system) {
    return std::optional{
        expect_bounds(system, ms_fp(system), ms_fp_twin(plain(system), system.policy.levels, false, false))};
  });
}

TEST(Twins, MsFpImmediate) {
  play(6, strategy_named("multi-stream"), Order::fp, false, 20'000, [](const System& system) {
    const Result result = ms_fp_immediate(system);
    if (!result.applies()) return std::optional<bool>{};
    return std::optional{expect_bounds(
        system, result, ms_fp_twin(plain(system), system.policy.levels, true, has_overheads(system)))};
  });
}

TEST(Twins, WindowSbf) {
  play(7, strategy_named("sm-cores"), Order::edf, true, 20'000, [](const System& system) {
    const Result result = window_sbf(system);
    EXPECT_EQ(accepts(result), window_edf_twin(plain(system), false));
    return std::optional{accepts(result)};
  });
}

TEST(Twins, WindowLinear) {
  play(8, strategy_named("sm-cores"), Order::edf, true, 20'000, [](const System& system) {
    const Result result = window_linear(system);
    EXPECT_EQ(accepts(result), window_edf_twin(plain(system), true));
    EXPECT_TRUE(!accepts(result) || accepts(window_sbf(system)));
    return std::optional{accepts(result)};
  });
}

TEST(Twins, WindowBlocks) {
  play(9, strategy_named("sm-cores"), Order::edf, false, 20'000, [](const System& system) {
    const Result result = window_blocks(system);
    EXPECT_EQ(accepts(result), window_edf_twin(plain(system), false));
    return std::optional{accepts(result)};
  });
}

TEST(Twins, WindowFp) {
  for (const bool ideal : {true, false}) {
    play(10, strategy_named("sm-cores"), Order::fp, ideal, 20'000, [](const System& system) {
      return std::optional{expect_bounds(system, window_fp(system), window_fp_twin(plain(system)))};
    });
  }
}

TEST(Twins, OneLevelEqualsOneStream) {
  play(11, strategy_named("single-stream"), Order::edf, false, 10'000, [](const System& system) {
    const Result alone = np_edf(system);
    System several = system;
    several.policy.strategy = strategy_named("multi-stream");
    several.policy.levels = 1;
    const Result level = ms_edf(several);
    EXPECT_EQ(accepts(level), accepts(alone));
    EXPECT_EQ(level.detail, alone.detail);
    several.policy.refill = Refill::immediate;
    EXPECT_EQ(accepts(ms_edf_immediate(several)), accepts(alone));
    return std::optional{accepts(alone)};
  });
}

TEST(Twins, UnschedulableIsSaidOnlyWhereItMayBe) {
  int refuted = 0;
  play(12, strategy_named("single-stream"), Order::edf, false, 20'000, [&](const System& system) {
    const Result result = np_edf(system);
    if (result.verdict != Verdict::unschedulable) return std::optional{accepts(result)};
    Rational used;
    bool refutable = system.platform.overheads.release == Duration{};
    for (const Task& task : system.tasks) {
      refutable = refutable && task.arrival == Arrival::sporadic && task.jitter == Duration{};
      if (task.arrival == Arrival::best_effort) continue;
      used = used + Rational{time_of(task), task.period->count()};
    }
    EXPECT_TRUE(refutable || used > Rational{1});
    ++refuted;
    return std::optional{false};
  });
  EXPECT_GT(refuted, test::tries(200));
}

}  // namespace
}  // namespace tactus::analysis
