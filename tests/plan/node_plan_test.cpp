// Plans of systems whose nodes go to servers of their own: what is found passes the check, and nothing that
// exists is missed in small systems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/by_node_systems.hpp"
#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/node_systems.hpp"
#include "support/random_systems.hpp"
#include "support/source_folder.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/plan/hints.hpp"
#include "tactus/plan/plan.hpp"
#include "tactus/plan/priorities.hpp"
#include "tactus/plan/ways.hpp"

namespace tactus::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

bool holds(const System& system) { return analysis::check(system).verdict == analysis::Verdict::schedulable; }

void expect_complete(const plan::Plan& planned, const System& system) {
  ASSERT_THAT(validate(planned.planned), IsEmpty()) << describe(system);
  ASSERT_THAT(find_missing_parameters(planned.planned), IsEmpty()) << describe(system);
  ASSERT_TRUE(holds(planned.planned)) << describe(system);
  const ReadResult again = read_system(to_system_file(planned.planned), "again.yaml");
  ASSERT_TRUE(again.system) << to_system_file(planned.planned);
  ASSERT_EQ(*again.system, planned.planned) << describe(system);
}

/// Every order, core and variant, with the policy of the file; under sm-cores one window, under federated
/// one SM for each.
class BruteForce {
 public:
  explicit BruteForce(System system) : system_{std::move(system)} {}

  bool some_holds() {
    picks_.clear();
    for (const Task& task : system_.tasks) picks_.emplace_back(task.choices.size());
    return try_variants(0);
  }

 private:
  bool try_variants(std::size_t task) {
    if (task == system_.tasks.size()) {
      System chosen = with_variants(system_, picks_);
      if (chosen.policy.strategy->sms == SmSharing::cores) {
        const Duration period{1000};
        chosen.policy.reservations =
            Reservations{.period = period, .local = {}, .all = Window{Duration{}, period}};
      }
      chosen.virtual_sms.clear();
      if (chosen.policy.strategy->sms == SmSharing::owned) {
        for (const Task& owner : chosen.tasks) {
          chosen.virtual_sms.push_back(uses_gpu(owner.work) ? std::optional<std::int64_t>{2} : std::nullopt);
        }
      }
      return try_cores(chosen, 0);
    }
    for (std::size_t variant = 0; variant < 2; ++variant) {
      if (variant == 1 && system_.tasks[task].choices.empty()) break;
      if (!system_.tasks[task].choices.empty()) picks_[task][0] = variant;
      if (try_variants(task + 1)) return true;
    }
    return false;
  }

  bool try_cores(System& system, std::size_t task) {
    if (task == system.tasks.size()) return try_orders(system);
    if (!system_.tasks[task].any_core) return try_cores(system, task + 1);
    system.tasks[task].any_core = false;
    for (std::int32_t core = 0; core < system.platform.cpus(); ++core) {
      system.tasks[task].core = core;
      if (try_cores(system, task + 1)) return true;
    }
    return false;
  }

  static bool try_orders(const System& system) {
    if (!validate(system).empty()) return false;
    std::vector<TaskIndex> order = plan::order_of_file(system);
    std::sort(order.begin(), order.end());
    do {
      System ordered = system;
      plan::set_priorities(ordered, order);
      if (holds(ordered)) return true;
      if (system.policy.order != Order::fp && cpu_policy(system.policy).order != Order::fp) break;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
  }

  System system_;
  std::vector<std::vector<std::size_t>> picks_;
};

TEST(NodePlan, FindsWhateverExistsInSmallSystems) {
  int found = 0;
  int refused = 0;
  int searched = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(400); ++seed) {
    const System system = node_system(seed, 2 + static_cast<std::int64_t>(seed % 2));
    ASSERT_THAT(validate(system), IsEmpty()) << describe(system);
    const plan::Plan planned = plan::plan(system);
    if (planned.found) {
      ++found;
      expect_complete(planned, system);
      searched += planned.how.find("search") != std::string::npos ? 1 : 0;
      continue;
    }
    ++refused;
    ASSERT_FALSE(BruteForce{system}.some_holds()) << planned.searched << "\n" << describe(system);
    EXPECT_THAT(planned.why_not, Not(IsEmpty()));
  }
  EXPECT_GT(found, tries(100));
  EXPECT_GT(refused, tries(20));
  EXPECT_GT(searched, tries(30));
}

/// Some hold only if the GPU has an order of its own.
TEST(NodePlan, FindsAnOrderForTheGpuAlone) {
  int apart = 0;
  int refused = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(600); ++seed) {
    System system = node_system(seed + 9'000, 3);
    system.policy.strategy = strategy_named(seed % 2 == 0 ? "single-stream" : "multi-stream");
    system.policy.order = Order::fp;
    for (Task& task : system.tasks) {
      task.choices.clear();
      task.any_core = false;
      task.core = 0;
    }
    if (!is_by_node(system)) continue;
    const plan::Plan planned = plan::plan(system);
    if (planned.found) {
      expect_complete(planned, system);
      if (planned.has_gpu_priorities) ++apart;
      continue;
    }
    ++refused;
    std::vector<TaskIndex> order{0, 1, 2};
    do {
      std::vector<TaskIndex> on_gpu{0, 1, 2};
      do {
        System ordered = system;
        plan::set_priorities(ordered, order);
        for (std::size_t i = 0; i < on_gpu.size(); ++i) {
          ordered.tasks[on_gpu[i]].gpu_priority = static_cast<std::int64_t>(3 - i);
        }
        ASSERT_FALSE(holds(ordered)) << planned.searched << "\n" << describe(ordered);
      } while (std::next_permutation(on_gpu.begin(), on_gpu.end()));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  RecordProperty("apart", apart);
  EXPECT_GT(apart, tries(3));
  EXPECT_GT(refused, tries(50));
}

/// Orders alone, more tasks than are tried one by one.
TEST(NodePlan, LargerSystemsAgainstRandomCandidates) {
  int found = 0;
  int missed = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(60); ++seed) {
    const System system = node_system(seed + 5'000, 7);
    const plan::Plan planned = plan::plan(system);
    if (planned.found) {
      ++found;
      expect_complete(planned, system);
      continue;
    }
    Dice dice{seed};
    for (int attempt = 0; attempt < 400; ++attempt) {
      std::vector<std::vector<std::size_t>> picks;
      for (const Task& task : system.tasks) {
        picks.emplace_back(task.choices.size(), static_cast<std::size_t>(dice.between(0, 1)));
      }
      System tried = with_variants(system, picks);
      tried.virtual_sms.clear();
      if (tried.policy.strategy->sms == SmSharing::cores) {
        tried.policy.reservations =
            Reservations{.period = Duration{50}, .local = {}, .all = Window{{}, Duration{50}}};
      }
      std::vector<TaskIndex> order = plan::order_of_file(tried);
      for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1],
                  order[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(i) - 1))]);
      }
      for (Task& task : tried.tasks) {
        if (task.any_core) task.core = dice.small(0, static_cast<std::int32_t>(tried.platform.cpus()) - 1);
        task.any_core = false;
        if (tried.policy.strategy->sms == SmSharing::owned) {
          tried.virtual_sms.push_back(uses_gpu(task.work) ? std::optional<std::int64_t>{2} : std::nullopt);
        }
      }
      plan::set_priorities(tried, order);
      if (!validate(tried).empty() || !holds(tried)) continue;
      ++missed;
      break;
    }
  }
  RecordProperty("found", found);
  RecordProperty("missed", missed);
  EXPECT_GT(found, tries(10));
  EXPECT_LE(missed, 1) << "of " << found;
}

/// Every kind of system that the simulator's tests draw: scripts, graphs, overheads, best-effort tasks.
TEST(NodePlan, WhatIsFoundHolds) {
  int found = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(300); ++seed) {
    System system = by_node_scenario(seed).system;
    for (Task& task : system.tasks) {
      task.jobs.clear();
      if (seed % 3 == 0 && task.wait == Waiting::suspend) task.any_core = true;
      if (task.deadline && seed % 2 == 0) task.deadline = *task.deadline * 4;
    }
    if (seed % 5 == 0) system.policy.reservations.reset();
    if (seed % 7 == 0) system.virtual_sms.clear();
    if (!validate(system).empty()) continue;
    const plan::Plan planned = plan::plan(system);
    if (!planned.found) continue;
    ++found;
    expect_complete(planned, system);
  }
  EXPECT_GT(found, tries(30));
}

System read(const std::string& text) {
  const ReadResult result = read_system(text, "example.yaml", Completeness::to_be_planned);
  for (const Problem& problem : result.problems) ADD_FAILURE() << to_string(problem);
  return *result.system;
}

System example(const std::string& name) {
  return load(in_repository("examples/" + name), Completeness::to_be_planned);
}

TEST(NodePlan, Waters) {
  const System system = example("waters2019-plan.yaml");
  const plan::Plan planned = plan::plan(system);
  ASSERT_TRUE(planned.found) << planned.why_not;
  expect_complete(planned, system);
  // Lane detection and localization do not fit the GPU beside the others.
  EXPECT_EQ(planned.variants[6], std::vector<std::size_t>{1});
  EXPECT_EQ(planned.variants[7], std::vector<std::size_t>{1});
  EXPECT_TRUE(planned.has_cpu_cores);
}

TEST(NodePlan, NothingHelpsAnOverloadedGpu) {
  const plan::Plan planned = plan::plan(example("waters2019-default.yaml"));
  EXPECT_FALSE(planned.found);
  EXPECT_THAT(planned.why_not, HasSubstr("nothing can help: the tasks need 1.543537 of the time of the GPU"));
  EXPECT_THAT(planned.searched, HasSubstr("rules out every one"));
}

TEST(NodePlan, EveryStrategyAnswersForTheRobot) {
  const System system = example("sharing/robot.yaml");
  for (const plan::Way& way : plan::all_ways()) {
    const plan::Trial trial = plan::try_way(system, way, {});
    const bool moves_exclusive_work = way.strategy->sms == SmSharing::owned || way.strategy->times_nodes;
    EXPECT_EQ(trial.holds(), !moves_exclusive_work) << strategy_word(way) << ": " << trial.why_not;
    if (!trial.holds()) {
      EXPECT_THAT(trial.why_not, HasSubstr("exclusive"));
    }
  }
}

/// Deadlines alone put `long` last, where it is late.
TEST(NodePlan, AnotherOrderThanThatOfTheDeadlines) {
  const System system = read(R"(tactus: 1
platform: {gpu: {sms: 1}}
policy: {strategy: single-stream, order: fp}
tasks:
  - {name: a, period: 60ns, segments: [{cpu: 1ns}, {exclusive: 23ns}]}
  - {name: b, period: 108ns, segments: [{exclusive: 11ns}]}
  - {name: c, period: 84ns, segments: [{exclusive: 35ns}]}
)");
  const plan::Plan planned = plan::plan(system);
  System by_deadline = system;
  plan::set_priorities(by_deadline, plan::deadline_monotonic_order(system));
  EXPECT_EQ(planned.found, holds(by_deadline) || BruteForce{system}.some_holds()) << planned.why_not;
}

TEST(NodePlan, HintsNameCoresThatWouldHelp) {
  System system = read(R"(tactus: 1
platform: {cpus: 2, gpu: {sms: 1}}
policy: {strategy: single-stream, order: fp}
tasks:
  - {name: a, period: 10ms, segments: [{cpu: 6ms}, {exclusive: 1ms}]}
  - {name: b, period: 10ms, segments: [{cpu: 6ms}, {exclusive: 1ms}]}
)");
  const plan::Hints hints = plan::find_hints(system, analysis::check(system), {});
  ASSERT_TRUE(hints.cores);
  EXPECT_EQ(hints.cores->analysis, "chain-fp");
  EXPECT_THAT(hints.ways, IsEmpty());
  system.platform.clusters = {1};
  EXPECT_FALSE(plan::find_hints(system, analysis::check(system), {}).cores);
}

TEST(NodePlan, KeepsTheGpuPrioritiesOfTheFile) {
  const System system = read(R"(tactus: 1
platform: {cpus: 2, gpu: {sms: 1}}
policy: {strategy: single-stream, order: fp}
tasks:
  - {name: a, period: 10ms, gpu_priority: 1, segments: [{cpu: 1ms}, {exclusive: 1ms}]}
  - {name: b, period: 20ms, gpu_priority: 2, segments: [{cpu: 1ms}, {exclusive: 1ms}]}
)");
  const plan::Plan planned = plan::plan(system);
  ASSERT_TRUE(planned.found);
  EXPECT_EQ(planned.planned, system);
  EXPECT_TRUE(planned.has_gpu_priorities);
}

TEST(NodePlan, GpuPrioritiesBecomePrioritiesWhereTheChosenVariantsAreServedWhole) {
  const plan::Plan planned = plan::plan(read(R"(tactus: 1
platform: {cpus: 2, gpu: {sms: 2}}
policy: {strategy: single-stream, order: fp}
tasks:
  - {name: a, period: 10ms, gpu_priority: 2, segments: [{either: [{exclusive: 1ms}, {cpu: 2ms}]}]}
  - {name: b, period: 10ms, gpu_priority: 5, segments: [{either: [{exclusive: 1ms}, {cpu: 2ms}]}]}
)"));
  ASSERT_TRUE(planned.found);
  EXPECT_EQ(planned.planned.tasks[0].priority, 2);
  EXPECT_EQ(planned.planned.tasks[1].priority, 5);
  EXPECT_FALSE(planned.has_gpu_priorities);
}

TEST(NodePlan, AnyStrategy) {
  const System system = example("waters2019.yaml");
  System in_one_stream = system;
  in_one_stream.policy.strategy = strategy_named("single-stream");
  EXPECT_FALSE(plan::plan(in_one_stream).found);
  const plan::Plan planned = plan::plan_any_way(in_one_stream, {});
  ASSERT_TRUE(planned.found);
  EXPECT_TRUE(planned.has_strategy);
  expect_complete(planned, system);
  EXPECT_EQ(planned.planned.policy.strategy->name, "multi-stream");
  const plan::Plan none = plan::plan_any_way(example("waters2019-default.yaml"), {});
  EXPECT_FALSE(none.found);
  EXPECT_THAT(none.why_not, HasSubstr("time-sliced: "));
}

TEST(NodePlan, WindowsForBothKindsOfTasks) {
  const System system = read(R"(tactus: 1
platform: {cpus: 2, gpu: {sms: 2}}
policy: {strategy: sm-cores, order: fp}
tasks:
  - {name: a, period: 20ms, sm: any, longest_block: 0, segments: [{cpu: 1ms}, {exclusive: 3ms}]}
  - {name: b, period: 20ms, sm: any, longest_block: 0, core: 1, segments: [{cpu: 1ms}, {exclusive: 3ms}]}
  - {name: c, period: 40ms, core: any, longest_block: 0, segments: [{cpu: 2ms}, {exclusive: 5ms}]}
)");
  const plan::Plan planned = plan::plan(system);
  ASSERT_TRUE(planned.found) << planned.why_not;
  expect_complete(planned, system);
  EXPECT_TRUE(planned.has_reservations);
  EXPECT_TRUE(planned.planned.policy.reservations->local && planned.planned.policy.reservations->all);
}

TEST(NodePlan, VirtualSmsForKernelsInGraphs) {
  const System system = read(R"(tactus: 1
platform: {cpus: 2, gpu: {sms: 8}}
policy: {strategy: federated}
tasks:
  - name: a
    period: 20ms
    graph:
      nodes: {grab: {cpu: 1ms}, detect: {kernel: {grid: 64, block: 1024, block_time: 2ms}}, track: {cpu: 3ms}}
      edges: [[grab, detect], [grab, track]]
  - {name: b, period: 10ms, core: 1, wait: busy, segments: [{cpu: 1ms}, {exclusive: 4ms}]}
)");
  const plan::Plan planned = plan::plan(system);
  ASSERT_TRUE(planned.found) << planned.why_not;
  expect_complete(planned, system);
  EXPECT_GT(*planned.planned.virtual_sms[0], 2);  // one SM is too few for 32 waves
  EXPECT_TRUE(planned.sms);
}

TEST(NodePlan, AVariantLeavesNoLongestBlockBehind) {
  const System system = read(R"(tactus: 1
platform: {cpus: 1, gpu: {sms: 1}}
policy: {strategy: single-stream, order: fp}
tasks:
  - name: a
    period: 10ms
    longest_block: 1ms
    segments: [{either: [[{exclusive: 12ms}], [{cpu: 4ms}]]}]
  - name: b
    period: 20ms
    graph: {nodes: {x: {either: [{exclusive: 4ms}, {cpu: 30ms}]}, y: {cpu: 1ms}}, edges: [[x, y]]}
)");
  const plan::Plan planned = plan::plan(system);
  ASSERT_TRUE(planned.found) << planned.why_not;
  expect_complete(planned, system);
  EXPECT_FALSE(planned.planned.tasks[0].longest_block);
  EXPECT_EQ(planned.variants, (std::vector<std::vector<std::size_t>>{{1}, {0}}));
}

}  // namespace
}  // namespace tactus::test
