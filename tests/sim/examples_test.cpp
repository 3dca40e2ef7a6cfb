// The simulator, held against published examples and schedules worked out by hand.
#include <array>

#include "support/worked_examples.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {
namespace {

Recording record(const Scenario& scenario, Recorder::Blocks blocks) {
  Recorder recorder{blocks};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::simulate(scenario.system, scenario.options, observers);
  return recorder.recording;
}

class Simulator : public testing::TestWithParam<WorkedExample> {};

TEST_P(Simulator, GivesTheScheduleWorkedOutByHand) {
  const WorkedExample& example = GetParam();
  const System& system = example.scenario.system;
  const Recording recording = record(example.scenario, Recorder::Blocks::wanted);
  EXPECT_EQ(sm_lines(recording, system), example.sms);
  EXPECT_EQ(copy_engine_lines(recording, system), example.copy_engines);
  EXPECT_EQ(completion_line(recording, system), example.completions);
}

TEST_P(Simulator, GivesTheSameCompletionsWithoutBlocks) {
  const WorkedExample& example = GetParam();
  const System& system = example.scenario.system;
  const Recording recording = record(example.scenario, Recorder::Blocks::unwanted);
  EXPECT_TRUE(recording.blocks.empty());
  EXPECT_EQ(copy_engine_lines(recording, system), example.copy_engines);
  EXPECT_EQ(completion_line(recording, system), example.completions);
}

const auto by_name = [](const testing::TestParamInfo<WorkedExample>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Published, Simulator, testing::ValuesIn(published_examples()), by_name);
INSTANTIATE_TEST_SUITE_P(Rules, Simulator, testing::ValuesIn(rule_examples()), by_name);

}  // namespace
}  // namespace tactus::test
