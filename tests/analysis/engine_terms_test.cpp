// Terms of the engine's time that random systems hardly need: for each a system in which a job takes longer
// than the test without that term says.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "support/engine_examples.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/engine_charges.hpp"
#include "tactus/sim/simulate.hpp"
#include "tactus/trace/recorder.hpp"

namespace tactus::analysis {
namespace {

using Judge = Result (*)(const System&, const GpuServers&);

/// Of the first job of the first task.
Duration response_of(const System& system) {
  trace::Recorder recorder{{.keep = {.ends = true}}};
  const std::array<trace::Observer*, 1> observers{&recorder};
  sim::SimulationOptions options;
  options.horizon = nanoseconds(5000);
  sim::simulate(system, options, observers);
  for (const trace::JobEnded& job : recorder.take().ends) {
    if (job.job.task == 0 && job.job.number == 0) return job.completion - job.release;
  }
  return {};
}

/// The simple form, with a load that lacks something.
template <class Change>
Result with_load(const System& system, const GpuServers& servers, EngineUnit unit, Judge judge,
                 Change change) {
  EngineLoad load = engine_load(system, unit);
  change(load);
  return judge(system, *charge_engine(servers, load));
}

/// The simple form on cores, with servers that lack something.
template <class Change>
Result with_cores(const System& system, Judge judge, Change change) {
  const GpuServers before = sm_core_servers(system);
  GpuServers charged = *charge_engine(before, engine_load(system, EngineUnit::slice));
  change(charged.servers, before.servers);
  return judge(system, charged);
}

void one_unit_of_each(EngineLoad& load) {
  for (EngineTask& task : load.tasks) task.least_time = Duration::max();
}

/// Five ends pile up while the engine handles the first.
TEST(EngineTerms, CompletionsUnderWayInNpEdf) {
  const System system =
      test::system_with_engine("{event: 10ns}", "strategy: single-stream, order: edf",
                               "  - {name: a, period: 1000ns, deadline: 50ns, segments: [{exclusive: 1ns}, "
                               "{copy: 1ns}, {exclusive: 1ns}, {copy: 1ns}, {exclusive: 1ns}]}\n");
  const Result mutant = with_load(system, single_stream_servers(system), EngineUnit::job, judge_np_edf,
                                  [](EngineLoad& load) { load.under_way = 0; });
  EXPECT_EQ(mutant.verdict, Verdict::schedulable);
  EXPECT_GT(response_of(system), Duration{50});
  EXPECT_NE(np_edf(system).verdict, Verdict::schedulable);
}

/// Four tasks on cores of their own take turns at the engine: while others are submitted, a short wave of one
/// ends, and its next one goes first, too.
System behind_waves(const std::string& order, int deadline) {
  std::string tasks =
      fmt::format("  - {{name: a, sm: 0, period: 20us, deadline: {}ns, exclusive: 1400ns}}\n", deadline);
  for (int sm = 1; sm <= 4; ++sm) {
    tasks += fmt::format(
        "  - {{name: b{0}, sm: {0}, period: 20us, deadline: 2700ns, kernel: {{grid: 80, block: 1024, "
        "block_time: 1ns}}}}\n",
        sm);
  }
  return test::system_with_engine(
      "{submit: 10ns}",
      "strategy: sm-cores, order: " + order + ", reservations: {period: 10us, local: {budget: 10us}}", tasks);
}

TEST(EngineTerms, SeveralUnitsOfOthersInWindowFp) {
  const System system = behind_waves("fp", 5000);
  const Result mutant =
      with_load(system, sm_core_servers(system), EngineUnit::slice, judge_window_fp, one_unit_of_each);
  ASSERT_TRUE(mutant.tasks[0].bound);
  EXPECT_LT(*mutant.tasks[0].bound, response_of(system));
  EXPECT_GE(window_fp(system).tasks[0].bound, response_of(system));
}

TEST(EngineTerms, SeveralUnitsOfOthersInWindowBlocks) {
  const System system = behind_waves("edf", 2950);
  const Result mutant =
      with_load(system, sm_core_servers(system), EngineUnit::slice, judge_window_blocks, one_unit_of_each);
  EXPECT_EQ(mutant.verdict, Verdict::schedulable);
  EXPECT_GT(response_of(system), Duration{2950});
  EXPECT_NE(window_blocks(system).verdict, Verdict::schedulable);
}

/// The submission of the block in its way has just begun; when the block ends, and again when the job itself
/// does, the engine has just begun to submit work of another core.
TEST(EngineTerms, ABestEffortBlockInTheWayInWindowFp) {
  const System system = test::system_with_engine(
      "{submit: 10ns}", "strategy: sm-cores, order: fp, reservations: {period: 10us, local: {budget: 10us}}",
      "  - {name: a, sm: 0, arrival: sporadic, period: 1000ns, exclusive: 50ns, jobs: [{release: 1ns}]}\n"
      "  - {name: b, sm: 0, arrival: best-effort, exclusive: 100ns}\n"
      "  - {name: c, sm: 1, arrival: sporadic, period: 5000ns, exclusive: 5ns, jobs: [{release: 109ns}]}\n"
      "  - {name: d, sm: 2, arrival: sporadic, period: 5000ns, exclusive: 5ns, jobs: [{release: 178ns}]}\n");
  const Result mutant = with_cores(system, judge_window_fp, [](auto& servers, const auto& before) {
    for (std::size_t s = 0; s < servers.size(); ++s) {
      servers[s].best_effort_blocks = before[s].best_effort_blocks;
    }
  });
  ASSERT_TRUE(mutant.tasks[0].bound);
  EXPECT_LT(*mutant.tasks[0].bound, response_of(system));
  EXPECT_GE(window_fp(system).tasks[0].bound, response_of(system));
}

/// So many best-effort tasks are released together with the first task.
System beside_best_effort(const std::string& policy, int tasks) {
  std::string text = "  - {name: a, period: 1000ns, exclusive: 3ns}\n";
  for (int i = 0; i < tasks; ++i) {
    text += fmt::format("  - {{name: b{}, arrival: best-effort, exclusive: 1ns}}\n", i);
  }
  return test::system_with_engine("{event: 10ns, submit: 1ns}", policy, text);
}

void without_first_releases(EngineLoad& load) { load.first_releases = 0; }

void expect_first_releases_are_counted(const System& system, const Result& mutant, const Result& result) {
  const Duration response = response_of(system);
  ASSERT_TRUE(mutant.tasks[0].bound);
  EXPECT_LT(*mutant.tasks[0].bound, response);
  ASSERT_TRUE(result.tasks[0].bound);
  EXPECT_GE(*result.tasks[0].bound, response);
  EXPECT_LE(*result.tasks[0].bound, 2 * response);
}

TEST(EngineTerms, FirstReleasesOfBestEffortTasksInNpFp) {
  const System system = beside_best_effort("strategy: single-stream, order: fp", 9);
  expect_first_releases_are_counted(
      system,
      with_load(system, single_stream_servers(system), EngineUnit::job, judge_np_fp, without_first_releases),
      np_fp(system));
}

TEST(EngineTerms, FirstReleasesOfBestEffortTasksInMsFp) {
  const System system = beside_best_effort("strategy: multi-stream, order: fp, levels: 2", 9);
  expect_first_releases_are_counted(
      system,
      with_load(system, multi_stream_servers(system), EngineUnit::job, judge_ms_fp, without_first_releases),
      ms_fp(system));
}

TEST(EngineTerms, FirstReleasesOfBestEffortTasksInEdf) {
  for (const std::string strategy : {"single-stream", "multi-stream"}) {
    System system = beside_best_effort("strategy: " + strategy + ", order: edf", 9);
    system.tasks[0].deadline = response_of(system) - Duration{1};
    EXPECT_NE((strategy == "single-stream" ? np_edf : ms_edf)(system).verdict, Verdict::schedulable);
    system.tasks[0].deadline = 2 * response_of(system);
    EXPECT_EQ((strategy == "single-stream" ? np_edf : ms_edf)(system).verdict, Verdict::schedulable);
  }
}

TEST(EngineTerms, FirstReleasesOfBestEffortTasksInWindowTests) {
  for (const std::string order : {"fp", "edf"}) {
    System system = beside_best_effort(
        "strategy: sm-cores, order: " + order + ", reservations: {period: 10us, local: {budget: 10us}}", 9);
    for (Task& task : system.tasks) task.sm = {SmAffinity::Kind::one, 0};
    const auto judge = order == "fp" ? judge_window_fp : judge_window_blocks;
    const Duration response = response_of(system);
    system.tasks[0].deadline = response - Duration{1};
    EXPECT_EQ(
        with_load(system, sm_core_servers(system), EngineUnit::slice, judge, without_first_releases).verdict,
        Verdict::schedulable);
    EXPECT_NE((order == "fp" ? window_fp : window_blocks)(system).verdict, Verdict::schedulable);
  }
}

/// Two tasks that are overloaded take turns at the engine as long as they like: that they are in time must
/// not be taken for granted for a task of a third core.
TEST(EngineTerms, ATaskOfAnotherCoreThatIsNotInTime) {
  for (const std::string order : {"fp", "edf"}) {
    const std::string overloaded = "arrival: sporadic, period: 40ns, exclusive: [1ns, 60ns]}\n";
    const System system = test::system_with_engine(
        "{submit: 5ns}",
        "strategy: sm-cores, order: " + order + ", reservations: {period: 1s, local: {budget: 1s}}",
        "  - {name: b, sm: 2, arrival: sporadic, period: 2us, exclusive: 10ns}\n"
        "  - {name: a1, sm: 0, " +
            overloaded + "  - {name: a2, sm: 1, " + overloaded);
    const Result result = (order == "fp" ? window_fp : window_blocks)(system);
    EXPECT_NE(result.verdict, Verdict::schedulable);
    EXPECT_FALSE(result.tasks[0].ok);
  }
}

}  // namespace
}  // namespace tactus::analysis
