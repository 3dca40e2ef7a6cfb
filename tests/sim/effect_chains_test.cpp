// Bounds of effect chains against simulated data flow: no schedule may exceed them, many must attain them,
// and formulas with a term left out must break.
#include "tactus/analysis/effect_chains.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/by_node_systems.hpp"
#include "support/effect_chain_systems.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/effect_chain_bounds.hpp"
#include "tactus/analysis/observed_chains.hpp"
#include "tactus/io/words.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/data_flow.hpp"

namespace tactus::test {
namespace {

using analysis::EffectBounds;
using analysis::EffectStage;
using Stages = std::vector<EffectStage>;

Stages stages_of(const System& system, const EffectChain& chain,
                 const std::vector<std::optional<Duration>>& responses) {
  Stages stages;
  for (const TaskIndex index : chain.tasks) {
    const Task& task = system.tasks[index];
    stages.push_back({.name = task.name,
                      .period = *task.period,
                      .offset = task.offset,
                      .publication = is_let(chain.communication) ? let_interval(chain.communication, task)
                                                                 : *responses[index],
                      .sporadic = task.arrival == Arrival::sporadic});
  }
  return stages;
}

void shorten(EffectBounds& bounds, Duration by) {
  for (analysis::EffectBound* bound : {&bounds.reaction, &bounds.age}) {
    if (bound->bound) *bound->bound -= by;
  }
}

/// A formula with one change.
struct Mutant {
  std::string name;
  std::function<EffectBounds(const System&, const EffectChain&, Stages)> bounds;
};

std::vector<Mutant> mutants() {
  using analysis::effect_bounds;
  const auto changed = [](auto change) {
    return [change](const System& system, const EffectChain& chain, Stages stages) {
      for (std::size_t i = 0; i < stages.size(); ++i) change(system.tasks[chain.tasks[i]], stages[i], i);
      return effect_bounds(stages, chain.communication);
    };
  };
  return {
      {"responses forgotten",
       changed([](const Task&, EffectStage& stage, std::size_t) { stage.publication = {}; })},
      {"response of the first forgotten", changed([](const Task&, EffectStage& stage, std::size_t i) {
         if (i == 0) stage.publication = {};
       })},
      {"offsets ignored", changed([](const Task&, EffectStage& stage, std::size_t) { stage.offset = {}; })},
      {"jitter forgotten", changed([](const Task& task, EffectStage& stage, std::size_t) {
         stage.publication = std::max(Duration{}, stage.publication - task.jitter);
       })},
      {"one period too few",
       [](const System& system, const EffectChain& chain, const Stages& stages) {
         EffectBounds bounds = effect_bounds(stages, chain.communication);
         shorten(bounds, *system.tasks[chain.tasks.front()].period);
         return bounds;
       }},
      {"one nanosecond too few",
       [](const System&, const EffectChain& chain, const Stages& stages) {
         EffectBounds bounds = effect_bounds(stages, chain.communication);
         shorten(bounds, nanoseconds(1));
         return bounds;
       }},
      {"no wait for the last", changed([](const Task&, EffectStage& stage, std::size_t i) {
         if (i > 0) stage.period = nanoseconds(1);
       })},
      {"a queue is a register",
       [](const System&, const EffectChain& chain, const Stages& stages) {
         const bool queue = chain.communication == Communication::queue;
         return effect_bounds(stages, queue ? Communication::latest_value : chain.communication);
       }},
      {"LET publishes as soon as it is done",
       [](const System& system, const EffectChain& chain, Stages stages) {
         for (std::size_t i = 0; i < stages.size() && is_let(chain.communication); ++i) {
           stages[i].publication = stages[i].publication / 2;
         }
         static_cast<void>(system);
         return effect_bounds(stages, chain.communication);
       }},
  };
}

/// The longest of all schedules, by chain.
std::vector<trace::ChainStatistics> longest_flows(const System& system, Dice& dice, int schedules) {
  std::vector<trace::ChainStatistics> longest(system.chains.size());
  for (int i = 0; i < schedules; ++i) {
    trace::DataFlow flow{system};
    const std::array<trace::Observer*, 1> observers{&flow};
    sim::SimulationOptions options;
    options.max_pending = enough_pending;
    options.horizon = nanoseconds(2000);
    options.seed = dice.bits();
    options.execution = i == 0 ? Execution::worst : dice.pick({Execution::worst, Execution::random});
    flow.finish(sim::simulate(system, options, observers).reached);
    const std::vector<trace::ChainStatistics> seen = flow.all();
    for (std::size_t chain = 0; chain < seen.size(); ++chain) {
      longest[chain].reaction.longest_known =
          std::max(longest[chain].reaction.longest_known, seen[chain].reaction.longest_known);
      longest[chain].age.longest_known =
          std::max(longest[chain].age.longest_known, seen[chain].age.longest_known);
    }
  }
  return longest;
}

System random_system(std::uint64_t seed, Dice& dice) {
  if (seed % 4 != 0) return effect_chain_system(seed);
  System system = by_node_scenario(seed).system;
  for (Task& task : system.tasks) task.jobs.clear();
  add_chains(system, dice);
  return system;
}

struct Tally {
  std::map<std::string, int> judged;  // by communication
  std::map<std::string, int> attained;
  std::map<std::string, int> strategies;
  std::map<std::string, int> killed;  // by mutant

  void count(const std::string& kind, const std::optional<Duration>& seen,
             const std::optional<Duration>& bound) {
    if (!bound || !seen) return;
    ++judged[kind];
    attained[kind] += *seen == *bound ? 1 : 0;
  }
};

void attack(const System& system, Dice& dice, const std::vector<Mutant>& all, Tally& tally) {
  const analysis::CheckResult result = analysis::check(system);
  const std::vector<std::optional<Duration>> responses = analysis::smallest_bounds(system, result);
  const std::vector<trace::ChainStatistics> seen = longest_flows(system, dice, 4);
  const auto broken = analysis::broken_chain_bounds(result.chains, seen);
  ASSERT_TRUE(broken.empty()) << broken.front().chain << ": " << broken.front().what << " was "
                              << in_ns(broken.front().seen) << ", proven was " << in_ns(broken.front().bound);
  for (std::size_t i = 0; i < system.chains.size(); ++i) {
    const analysis::EffectResult& chain = result.chains[i];
    const std::string kind{io::word_of(io::words::communications, chain.communication)};
    tally.count(kind, seen[i].reaction.longest_known, chain.reaction_bound);
    tally.count(kind, seen[i].age.longest_known, chain.age_bound);
    if (!chain.reaction_bound && !chain.age_bound) continue;
    ++tally.strategies[std::string{system.policy.strategy->name}];
    for (const Mutant& mutant : all) {
      const EffectBounds bounds =
          mutant.bounds(system, system.chains[i], stages_of(system, system.chains[i], responses));
      const bool breaks = (bounds.reaction.bound && seen[i].reaction.longest_known > bounds.reaction.bound) ||
                          (bounds.age.bound && seen[i].age.longest_known > bounds.age.bound);
      tally.killed[mutant.name] += breaks ? 1 : 0;
    }
  }
}

TEST(EffectChains, BoundsHoldInEverySchedule) {
  const std::vector<Mutant> all = mutants();
  Tally tally;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(4000); ++seed) {
    Dice dice{seed};
    const System system = random_system(seed, dice);
    attack(system, dice, all, tally);
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << "\n" << describe(system);
  }
  for (const auto& communication : io::words::communications) {
    const std::string word{communication.word};
    EXPECT_GT(tally.judged[word], tries(500)) << word;
    EXPECT_GT(tally.attained[word], tally.judged[word] / 10) << word;
    RecordProperty("judged_" + word, tally.judged[word]);
    RecordProperty("attained_" + word, tally.attained[word]);
  }
  EXPECT_GE(tally.strategies.size(), 4U);
  for (const Mutant& mutant : all) {
    EXPECT_GT(tally.killed[mutant.name], 0) << mutant.name << " survives";
    RecordProperty("killed: " + mutant.name, tally.killed[mutant.name]);
  }
}

/// What is called unschedulable because of a chain passes a limit, or misses a deadline, in the simulator.
TEST(EffectChains, LimitsOfLetThatAreCalledImpossibleArePassed) {
  int impossible = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(2000); ++seed) {
    System system = effect_chain_system(seed);
    for (Task& task : system.tasks) task.arrival = Arrival::periodic;
    for (EffectChain& chain : system.chains) {
      chain.communication = seed % 2 == 0 ? Communication::let : Communication::let_period;
      chain.reaction = chain.age = std::nullopt;
    }
    const analysis::CheckResult proven = analysis::check(system);
    for (std::size_t i = 0; i < system.chains.size(); ++i) {
      if (!proven.chains[i].reaction_bound) continue;
      EffectChain& chain = system.chains[i];
      chain.reaction = *proven.chains[i].reaction_bound - nanoseconds(1);
      chain.age = *proven.chains[i].age_bound - nanoseconds(1);
      if (*chain.age == Duration{}) chain.age.reset();
    }
    const analysis::CheckResult result = analysis::check(system);
    trace::DataFlow flow{system};
    const std::array<trace::Observer*, 1> observers{&flow};
    sim::SimulationOptions options;
    options.max_pending = enough_pending;
    const std::optional<Duration> whole = hyperperiod(system);
    if (!whole || *whole > nanoseconds(3000)) continue;
    options.horizon = 3 * *whole + nanoseconds(1000);
    flow.finish(sim::simulate(system, options, observers).reached);
    for (std::size_t i = 0; i < system.chains.size(); ++i) {
      if (!system.chains[i].reaction) continue;
      ++impossible;
      ASSERT_EQ(result.chains[i].verdict, analysis::Verdict::unschedulable) << seed << describe(system);
      ASSERT_GT(flow.all()[i].reaction.misses, 0U) << seed << describe(system);
      if (system.chains[i].age) {
        ASSERT_GT(flow.all()[i].age.misses, 0U) << seed << describe(system);
      }
    }
  }
  EXPECT_GT(impossible, tries(300));
}

}  // namespace
}  // namespace tactus::test
