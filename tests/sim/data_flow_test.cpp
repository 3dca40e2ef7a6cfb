// The observer of data in effect chains sees what the definitions say, computed the slow way.
#include "tactus/trace/data_flow.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/by_node_systems.hpp"
#include "support/effect_chain_systems.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/plain_data_flow.hpp"
#include "support/random_systems.hpp"
#include "support/recording.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::test {
namespace {

struct Compared {
  std::uint64_t outputs = 0;
  std::uint64_t reactions = 0;
  std::uint64_t unfinished = 0;
};

void compare(const System& system, const sim::SimulationOptions& options, Compared& compared) {
  Recorder recorder{Recorder::Blocks::unwanted};
  trace::DataFlow flow{system};
  const std::array<trace::Observer*, 2> observers{&recorder, &flow};
  const sim::Outcome outcome = sim::simulate(system, options, observers);
  flow.finish(outcome.reached);
  const std::vector<trace::ChainStatistics> seen = flow.all();
  for (std::size_t i = 0; i < system.chains.size(); ++i) {
    const PlainFlow plain = plain_flow(system, system.chains[i], recorder.recording.ends, outcome.reached);
    ASSERT_TRUE(seen[i].complete);
    ASSERT_EQ(seen[i].age.seen, plain.outputs) << system.chains[i].name;
    ASSERT_EQ(seen[i].age.max, plain.age) << system.chains[i].name;
    ASSERT_EQ(seen[i].age.misses, plain.age_misses) << system.chains[i].name;
    ASSERT_EQ(seen[i].reaction.max, plain.reaction) << system.chains[i].name;
    ASSERT_EQ(seen[i].reaction.longest_known, plain.longest) << system.chains[i].name;
    compared.outputs += plain.outputs;
    compared.reactions += seen[i].reaction.seen;
    compared.unfinished += plain.longest > plain.reaction ? 1U : 0U;
  }
}

TEST(DataFlow, IsThatOfTheDefinitions) {
  Compared compared;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + tries(6000); ++seed) {
    Dice dice{mix_bits(seed)};
    Scenario scenario;
    switch (seed % 4) {
      case 0:
        scenario = by_node_scenario(seed);
        break;
      case 1:
        scenario = mixed_scenario(seed);
        break;
      case 2:
        scenario = strategy_scenario(seed);
        break;
      default:
        scenario.system = effect_chain_system(seed);
        scenario.system.chains.clear();
        scenario.options.horizon = nanoseconds(600);
        scenario.options.seed = seed;
        scenario.options.execution = dice.pick({Execution::worst, Execution::best, Execution::random});
    }
    add_chains(scenario.system, dice);
    ASSERT_TRUE(validate(scenario.system).empty()) << describe(scenario);
    compare(scenario.system, scenario.options, compared);
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << "\n" << describe(scenario);
  }
  EXPECT_GT(compared.outputs, tries(40000U));
  EXPECT_GT(compared.reactions, tries(20000U));
  EXPECT_GT(compared.unfinished, tries(100U));
}

TEST(DataFlow, StopsWhereTooMuchIsPending) {
  const System system = effect_chain_system(3);
  trace::DataFlow flow{system, {}, 4};
  const TaskIndex first = system.chains.front().tasks.front();
  flow.on(trace::JobReleased{.job = {first, 0}, .release = origin});  // it never ends
  for (std::uint64_t number = 1; number < 9; ++number) {
    const Time release = time_at(nanoseconds(static_cast<std::int64_t>(10 * number)));
    flow.on(trace::JobReleased{.job = {first, number}, .release = release});
    flow.on(trace::JobEnded{.job = {first, number},
                            .release = release,
                            .start = release,
                            .completion = release + nanoseconds(1),
                            .deadline = release + nanoseconds(10)});
  }
  flow.finish(time_at(nanoseconds(100)));
  EXPECT_FALSE(flow.all().front().complete);
  EXPECT_EQ(flow.all().front().age.seen, 0U);
}

}  // namespace
}  // namespace tactus::test
