// The reference simulator itself, held against schedules worked out by hand.
#include "support/plain_simulator.hpp"

#include "support/worked_examples.hpp"

namespace tactus::test {
namespace {

class PlainSimulator : public testing::TestWithParam<WorkedExample> {};

TEST_P(PlainSimulator, GivesTheScheduleWorkedOutByHand) {
  const WorkedExample& example = GetParam();
  const System& system = example.scenario.system;
  const PlainResult result = simulate_plainly(system, example.scenario.options);
  EXPECT_EQ(sm_lines(result.events, system), example.sms);
  EXPECT_EQ(copy_engine_lines(result.events, system), example.copy_engines);
  EXPECT_EQ(completion_line(result.events, system), example.completions);
}

const auto by_name = [](const testing::TestParamInfo<WorkedExample>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Published, PlainSimulator, testing::ValuesIn(published_examples()), by_name);
INSTANTIATE_TEST_SUITE_P(Rules, PlainSimulator, testing::ValuesIn(rule_examples()), by_name);

TEST(PlainSimulatorEvents, CarryTheInstantsOfAJob) {
  // Two jobs in a named stream; the second is called at 3 and waits until 5.
  System system;
  system.platform.gpu.priority_levels = 1;
  Task task;
  task.name = "k";
  task.period = Duration{3};
  task.deadline = Duration{4};
  task.stream = "s";
  task.work.nodes.push_back(
      {.name = "",
       .segment =
           KernelSegment{.grid = {1, 1, 1}, .block = 32, .block_time = Interval::exactly(Duration{5})}});
  system.tasks.push_back(task);
  sim::SimulationOptions options;
  options.horizon = Duration{6};
  const PlainResult result = simulate_plainly(system, options);

  EXPECT_EQ(result.released, 2U);
  EXPECT_EQ(result.completed, 1U);
  EXPECT_EQ(result.pending, 1U);
  EXPECT_EQ(to_text(result.events),
            "task 0 job 0 released at 0, deadline 4\n"
            "task 0 job 0 segment 0 block 0 on SM 0 from 0 to 5\n"
            "task 0 job 1 released at 3, deadline 7\n"
            "task 0 job 1 segment 0 block 0 on SM 0 from 5 to 10\n"
            "task 0 job 0 segment 0 in stream 0 called at 0, ran from 0 to 5\n"
            "task 0 job 0 released at 0 started at 0 completed at 5, deadline 4, missed\n"
            "task 0 job 1 released at 3 started at 5 completed at never, deadline 7\n");
}

}  // namespace
}  // namespace tactus::test
