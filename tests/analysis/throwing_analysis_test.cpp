// An analysis that throws ends nothing but itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tactus/analysis/check.hpp"
#include "tactus/analysis/json.hpp"

namespace tactus::analysis {
namespace {

using testing::HasSubstr;

Analysis made_of(std::string_view id, std::function<Result(const System&)> run) {
  return {.id = id,
          .title = "of a test",
          .source = "",
          .needs = "",
          .kind = Kind::sufficient,
          .sound = true,
          .run = std::move(run)};
}

Result accept(const System& system) {
  Result result;
  result.verdict = Verdict::schedulable;
  for (const Task& task : system.tasks)
    result.tasks.push_back({task.name, task.deadline, task.deadline, true});
  return result;
}

System one_task() {
  System system;
  system.name = "one";
  system.tasks.emplace_back().name = "only";
  return system;
}

TEST(ThrowingAnalysis, GaveUpAndSaysWhatItThrew) {
  const Result result = run(
      made_of("own", [](const System&) -> Result { throw std::runtime_error{"no such table"}; }), one_task());
  EXPECT_EQ(result.verdict, Verdict::gave_up);
  EXPECT_TRUE(result.threw);
  EXPECT_EQ(result.reason, "the analysis 'own' threw: no such table");
  ASSERT_EQ(result.tasks.size(), 1U);
  EXPECT_FALSE(result.tasks[0].bound);
}

TEST(ThrowingAnalysis, MayThrowAnything) {
  const Result odd = run(made_of("own", [](const System&) -> Result { throw 7; }), one_task());
  EXPECT_EQ(odd.verdict, Verdict::gave_up);
  EXPECT_THAT(odd.reason, HasSubstr("'own' threw"));
  const Result empty = run(made_of("nothing", {}), one_task());
  EXPECT_EQ(empty.verdict, Verdict::gave_up);
  EXPECT_THAT(empty.reason, HasSubstr("'nothing' threw"));
}

TEST(ThrowingAnalysis, OthersGoOnAndDecide) {
  const std::array analyses{
      made_of("broken", [](const System&) -> Result { throw std::logic_error{"broken"}; }),
      made_of("whole", accept)};
  const CheckResult checked = check(one_task(), analyses);
  EXPECT_EQ(checked.verdict, Verdict::schedulable);
  ASSERT_EQ(checked.analyses.size(), 2U);
  EXPECT_EQ(checked.analyses[0].result.verdict, Verdict::gave_up);
  EXPECT_EQ(to_json(checked)["analyses"][0]["verdict"], "gave-up");
}

TEST(ThrowingAnalysis, TooLargeNumbersAreNoFault) {
  const Result result =
      run(made_of("own", [](const System&) -> Result { throw OverflowError{"too large"}; }), one_task());
  EXPECT_EQ(result.verdict, Verdict::gave_up);
  EXPECT_FALSE(result.threw);
}

// The analyses of whole jobs know cores and SMs of tasks. A verdict that overlooked those of a node would be
// wrong.
TEST(PlacesOfNodes, AreForAnalysesThatLookAtThem) {
  Analysis own = made_of("own", accept);
  System system = one_task();
  system.tasks[0].period = system.tasks[0].deadline = nanoseconds(10);
  system.tasks[0].work.form = WorkForm::chain;
  system.tasks[0].work.nodes.emplace_back().core = 1;
  EXPECT_FALSE(run(own, system).applies());
  for (const CheckedAnalysis& checked : check(system).analyses) {
    EXPECT_TRUE(checked.analysis.by_node || !checked.result.applies()) << checked.analysis.id;
  }
  own.reads_servers = true;
  EXPECT_EQ(run(own, system).verdict, Verdict::schedulable);
}

}  // namespace
}  // namespace tactus::analysis
