// The strategies, held against schedules worked out by hand, and the plain reference against the same.
#include <array>

#include "support/plain_strategies.hpp"
#include "support/strategy_examples.hpp"
#include "tactus/model/validate.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {
namespace {

Recording record(const Scenario& scenario, Recorder::Blocks blocks) {
  Recorder recorder{blocks};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::simulate(scenario.system, scenario.options, observers);
  return recorder.recording;
}

class Strategies : public testing::TestWithParam<WorkedExample> {};

TEST_P(Strategies, GiveTheScheduleWorkedOutByHand) {
  const WorkedExample& example = GetParam();
  const System& system = example.scenario.system;
  for (const Violation& violation : validate(system))
    ADD_FAILURE() << violation.path << ": " << violation.message;
  const Recording recording = record(example.scenario, Recorder::Blocks::wanted);
  EXPECT_EQ(sm_lines(recording, system), example.sms);
  EXPECT_EQ(completion_line(recording, system), example.completions);
}

TEST_P(Strategies, GiveTheSameCompletionsWithoutBlocks) {
  const WorkedExample& example = GetParam();
  const Recording recording = record(example.scenario, Recorder::Blocks::unwanted);
  EXPECT_TRUE(recording.blocks.empty());
  EXPECT_EQ(completion_line(recording, example.scenario.system), example.completions);
}

TEST_P(Strategies, HaveAReferenceThatGivesItToo) {
  const WorkedExample& example = GetParam();
  const System& system = example.scenario.system;
  const PlainResult result = simulate_strategy_plainly(system, example.scenario.options);
  EXPECT_EQ(sm_lines(result.events, system), example.sms);
  EXPECT_EQ(completion_line(result.events, system), example.completions);
}

const auto by_name = [](const testing::TestParamInfo<WorkedExample>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(SingleStream, Strategies, testing::ValuesIn(single_stream_examples()), by_name);
INSTANTIATE_TEST_SUITE_P(MultiStream, Strategies, testing::ValuesIn(multi_stream_examples()), by_name);
INSTANTIATE_TEST_SUITE_P(SmCores, Strategies, testing::ValuesIn(sm_cores_examples()), by_name);

}  // namespace
}  // namespace tactus::test
