// Tests for windows against each other and against schedules played one nanosecond at a time.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/window_systems.hpp"
#include "analysis/window_twins.hpp"
#include "support/first_seed.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/json.hpp"

namespace tactus::analysis {
namespace {

using test::Dice;
using test::in_window;
using test::ShortTask;
using test::ShortWindow;

struct Case {
  ShortWindow window;
  std::vector<ShortTask> tasks;

  [[nodiscard]] System system() const { return in_window(window, tasks); }
  [[nodiscard]] std::int64_t cycle() const {
    std::int64_t cycle = window.period;
    for (const ShortTask& task : tasks) cycle = *checked_lcm(cycle, task.period);
    return cycle;
  }
};

enum class Shape { any, starts_the_period, ends_the_period, covers_the_period };

ShortWindow any_window(Dice& dice, std::int64_t period, Shape shape) {
  if (shape == Shape::covers_the_period) return {0, period, period};
  const std::int64_t budget = dice.between((period + 1) / 2, period);
  std::int64_t offset = dice.between(0, period - budget);
  if (shape == Shape::starts_the_period) offset = 0;
  if (shape == Shape::ends_the_period) offset = period - budget;
  return {offset, budget, period};
}

/// Up to three tasks that together need about as much as the window gives.
Case any_case(Dice& dice, Shape shape, std::initializer_list<std::int64_t> periods) {
  Case result;
  result.window = any_window(dice, dice.pick(periods), shape);
  const std::int64_t tasks = dice.between(1, 3);
  for (std::int64_t i = 0; i < tasks; ++i) {
    ShortTask task;
    task.period = dice.pick(periods);
    task.deadline = dice.percent(50) ? task.period : dice.between((task.period + 1) / 2, task.period);
    const std::int64_t fair = task.period * result.window.budget / result.window.period / tasks;
    task.cost = std::max<std::int64_t>(1, dice.between(fair / 3, fair + 1));
    result.tasks.push_back(task);
  }
  return result;
}

constexpr std::initializer_list<std::int64_t> mixed{2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 18, 20, 24, 30};
constexpr std::initializer_list<std::int64_t> harmonic{2, 4, 8, 16, 32};

bool holds(const Result& result) { return result.verdict == Verdict::schedulable; }

/// How many of some systems hold: a property of none or of all of them says little.
struct Tally {
  int held = 0;
  int failed = 0;
  void count(bool holds) { ++(holds ? held : failed); }
  void expect_both(int least) const {
    EXPECT_GE(held, least);
    EXPECT_GE(failed, least);
  }
};

template <typename Property>
void for_seeds(std::uint64_t number, Property property) {
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + number; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice{seed};
    property(dice);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(WindowsProperty, WhatChunksAcceptHolds) {
  Tally chunks;
  for_seeds(20'000, [&](Dice& dice) {
    const System system = any_case(dice, Shape::any, mixed).system();
    chunks.count(holds(window_chunks(system)));
    if (holds(window_chunks(system))) {
      ASSERT_EQ(window_exact(system).verdict, Verdict::schedulable);
    }
  });
  chunks.expect_both(1000);
}

TEST(WindowsProperty, WhatHarmonicAcceptsHolds) {
  Tally tally;
  for_seeds(20'000, [&](Dice& dice) {
    const System system = any_case(dice, Shape::any, harmonic).system();
    ASSERT_TRUE(window_harmonic(system).applies());
    tally.count(holds(window_harmonic(system)));
    if (holds(window_harmonic(system))) {
      ASSERT_EQ(window_exact(system).verdict, Verdict::schedulable);
    }
  });
  tally.expect_both(1000);
}

TEST(WindowsProperty, WhatSbfAcceptsHoldsForAnyOffsets) {
  Tally tally;
  for_seeds(10'000, [&](Dice& dice) {
    Case now = any_case(dice, Shape::any, mixed);
    for (ShortTask& task : now.tasks) task.offset = dice.between(0, 12);
    const System system = now.system();
    tally.count(holds(window_sbf(system)));
    if (holds(window_sbf(system))) {
      ASSERT_EQ(window_exact(system).verdict, Verdict::schedulable);
    }
  });
  tally.expect_both(1000);
}

TEST(WindowsProperty, SbfIsExactFromZeroInAWindowThatStartsThePeriodIfDeadlinesArePeriods) {
  Tally tally;
  for_seeds(10'000, [&](Dice& dice) {
    Case now = any_case(dice, Shape::starts_the_period, mixed);
    for (ShortTask& task : now.tasks) task.deadline = task.period;
    const bool truth = holds(window_exact(now.system()));
    tally.count(truth);
    ASSERT_EQ(holds(window_sbf(now.system())), truth);
  });
  tally.expect_both(1000);
}

TEST(WindowsProperty, SbfIsExactFromZeroInAWindowThatEndsThePeriod) {
  Tally tally;
  for_seeds(10'000, [&](Dice& dice) {
    const System system = any_case(dice, Shape::ends_the_period, mixed).system();
    const bool truth = holds(window_exact(system));
    tally.count(truth);
    ASSERT_EQ(holds(window_sbf(system)), truth);
  });
  tally.expect_both(1000);
}

/// Textbook EDF on one processor: demand against time, length by length.
bool plain_edf_holds(const Case& now) {
  for (std::int64_t t = 1; t <= now.cycle(); ++t) {
    std::int64_t demand = 0;
    for (const ShortTask& task : now.tasks) {
      if (t >= task.deadline) demand += ((t - task.deadline) / task.period + 1) * task.cost;
    }
    if (demand > t) return false;
  }
  return true;
}

TEST(WindowsProperty, AWindowThatCoversThePeriodIsPlainEdf) {
  Tally tally;
  for_seeds(5'000, [&](Dice& dice) {
    const Case now = any_case(dice, Shape::covers_the_period, mixed);
    const bool truth = plain_edf_holds(now);
    tally.count(truth);
    ASSERT_EQ(holds(window_exact(now.system())), truth);
    ASSERT_EQ(holds(window_sbf(now.system())), truth);
    ASSERT_EQ(holds(window_chunks(now.system())), truth);
    ASSERT_EQ(holds(window_harmonic(now.system())), truth);
  });
  tally.expect_both(500);
}

TEST(WindowsProperty, ExactFindsEveryMissOfAMuchLongerSchedule) {
  Tally tally;
  for_seeds(3'000, [&](Dice& dice) {
    Case now = any_case(dice, Shape::any, {2, 3, 4, 5, 6, 8, 10, 12});
    const bool from_zero = dice.percent(30);
    std::int64_t latest = 0;
    std::vector<PeriodicTask> tasks;
    for (ShortTask& task : now.tasks) {
      if (!from_zero) task.offset = dice.between(0, 20);
      latest = std::max(latest, task.offset);
      tasks.push_back({nanoseconds(task.offset), nanoseconds(task.cost), nanoseconds(task.deadline),
                       nanoseconds(task.period)});
    }
    const Supply supply = test::supply_of(now.window.offset, now.window.budget, now.window.period);
    const auto miss = test::play_step_by_step(tasks, supply, latest + 4 * now.cycle());
    const Result result = window_exact(now.system());
    tally.count(holds(result));
    if (holds(result)) {
      ASSERT_EQ(miss, std::nullopt);
    }
    if (miss) {
      ASSERT_EQ(result.verdict, Verdict::unschedulable);
    }
    if (miss && to_json(result.detail).contains("left_ns")) {
      ASSERT_EQ(to_json(result.detail)["task"], test::job_name(miss->task));
      ASSERT_EQ(to_json(result.detail)["job"], miss->job);
      ASSERT_EQ(to_json(result.detail)["deadline_ns"], in_ns(miss->deadline));
      ASSERT_EQ(to_json(result.detail)["left_ns"], miss->left.count());
    }
  });
  tally.expect_both(500);
}

/// Definitions 1 and 2 from the list of single nanoseconds, then EDF length by length.
TEST(WindowsProperty, ChunksEqualTheirDefinition) {
  Tally tally;
  for_seeds(3'000, [&](Dice& dice) {
    const Case now = any_case(dice, Shape::any, {2, 3, 4, 5, 6, 8, 10, 12});
    const Supply supply = test::supply_of(now.window.offset, now.window.budget, now.window.period);
    Case converted;
    converted.window = {0, 1, 1};
    bool lost = false;
    bool overloaded = false;
    for (const ShortTask& task : now.tasks) {
      const GpuTask gpu_task{.deadline = nanoseconds(task.deadline), .period = nanoseconds(task.period)};
      const std::vector<test::WindowChunk> longest =
          test::longest_chunks(test::chunks_step_by_step(gpu_task, supply));
      const std::int64_t cycle = *checked_lcm(task.period, now.window.period);
      if (longest.size() < static_cast<std::size_t>(cycle / task.period)) {
        lost = true;
        break;
      }
      Duration length = longest.front().length;
      Duration distance = longest.front().arrival + nanoseconds(cycle) - longest.back().arrival;
      for (std::size_t i = 1; i < longest.size(); ++i) {
        length = std::min(length, longest[i].length);
        distance = std::min(distance, longest[i].arrival - longest[i - 1].arrival);
      }
      converted.tasks.push_back({task.cost, length.count(), distance.count()});
      overloaded = overloaded || task.cost > length.count();
    }
    const bool truth = !lost && !overloaded && plain_edf_holds(converted);
    tally.count(truth);
    ASSERT_EQ(holds(window_chunks(now.system())), truth);
  });
  tally.expect_both(300);
}

TEST(WindowsProperty, PublishedFormsAcceptWhatMisses) {
  // Not a promise, but the reason why they have no say.
  int chunks = 0;
  int harmonics = 0;
  int demands = 0;
  for_seeds(5'000, [&](Dice& dice) {
    const System system = any_case(dice, Shape::any, harmonic).system();
    if (holds(window_exact(system))) return;
    chunks += holds(window_chunks_as_published(system)) ? 1 : 0;
    harmonics += holds(window_harmonic_as_published(system)) ? 1 : 0;
    demands += holds(window_sbf_as_published(system)) ? 1 : 0;
  });
  EXPECT_GT(chunks, 0);
  EXPECT_GT(harmonics, 0);
  EXPECT_GT(demands, 100);
}

/// Equation (8) to the letter, but for demand below 0.
bool printed_sbf_holds(const Case& now) {
  std::int64_t hyperperiod = 1;
  for (const ShortTask& task : now.tasks) hyperperiod = *checked_lcm(hyperperiod, task.period);
  const std::int64_t gap = now.window.period - now.window.budget;
  Int128 share = static_cast<Int128>(hyperperiod) * now.window.budget;
  for (const ShortTask& task : now.tasks)
    share -= task.cost * (hyperperiod / task.period) * now.window.period;
  if (share < 0) return false;
  for (std::int64_t t = 1; t <= hyperperiod; ++t) {
    std::int64_t demand = 0;
    for (const ShortTask& task : now.tasks) {
      demand +=
          std::max<std::int64_t>(0, floor_div(t - task.deadline - task.period, task.period)) * task.cost;
    }
    const std::int64_t k = t / now.window.period;
    const std::int64_t supply = t > k * now.window.period + gap ? t - (k + 1) * gap : k * now.window.budget;
    if (demand > supply) return false;
  }
  return true;
}

TEST(WindowsProperty, PublishedSbfIsWhatIsPrinted) {
  Tally tally;
  for_seeds(3'000, [&](Dice& dice) {
    const Case now = any_case(dice, Shape::any, mixed);
    const bool truth = printed_sbf_holds(now);
    tally.count(truth);
    ASSERT_EQ(holds(window_sbf_as_published(now.system())), truth);
  });
  tally.expect_both(300);
}

/// Lemma 1 in the reading of its header, length by length.
bool printed_lemma_holds(std::vector<ShortTask> tasks, std::int64_t levels) {
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const ShortTask& a, const ShortTask& b) { return a.deadline < b.deadline; });
  const auto n = static_cast<std::int64_t>(tasks.size());
  std::int64_t hyperperiod = 1;
  for (const ShortTask& task : tasks) hyperperiod = *checked_lcm(hyperperiod, task.period);
  const auto number = [&](std::int64_t l) { return tasks[static_cast<std::size_t>(l - 1)]; };
  for (std::int64_t i = 1; i <= n; ++i) {
    std::int64_t blocking = 0;
    for (std::int64_t l = i + 1; l <= n - levels - 1; ++l) blocking = std::max(blocking, number(l).cost);
    std::int64_t added = 0;
    for (std::int64_t l = i + 1; l <= n; ++l) added = std::max(added, number(l).block);
    for (std::int64_t t = 1; t <= hyperperiod; ++t) {
      std::int64_t demand = 0;
      for (std::int64_t j = 1; j <= i; ++j) {
        if (t < number(j).deadline) continue;
        demand += ((t - number(j).deadline) / number(j).period + 1) * (number(j).cost + added);
      }
      if (demand > 0 && demand + blocking > t) return false;
    }
  }
  return true;
}

TEST(AsPublishedProperty, LemmaOneIsWhatIsPrinted) {
  Tally tally;
  for_seeds(3'000, [&](Dice& dice) {
    std::vector<ShortTask> tasks;
    for (std::int64_t i = dice.between(1, 6); i > 0; --i) {
      ShortTask task;
      task.period = dice.pick({10, 12, 15, 20, 30, 60});
      task.deadline = dice.between(task.period / 2, task.period);
      task.cost = dice.between(1, 4);
      task.block = dice.between(1, task.cost);
      tasks.push_back(task);
    }
    System system = test::system_of(strategy_named("multi-stream"), tasks);
    system.policy.levels = dice.small(1, 3);
    // Equal deadlines: the lemma leaves their order open, the most urgent comes first here.
    const bool truth = printed_lemma_holds(tasks, system.policy.levels);
    tally.count(truth);
    ASSERT_EQ(holds(ms_edf_as_published(system)), truth);
  });
  tally.expect_both(300);
}

}  // namespace
}  // namespace tactus::analysis
