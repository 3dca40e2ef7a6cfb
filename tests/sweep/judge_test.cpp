#include "tactus/sweep/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tactus/base/error.hpp"
#include "tactus/sweep/read_experiment.hpp"

namespace tactus::sweep {
namespace {

using analysis::Analysis;
using analysis::Kind;
using analysis::Result;
using analysis::Verdict;
using testing::HasSubstr;

constexpr UInt128 one = UInt128{1} << 32U;

Experiment experiment_of(const std::string& lines,
                         const std::string& generator = "tasks: 3, utilisation: 0.5",
                         const std::string& vary = "{parameter: block_share, values: [0.1]}") {
  const ReadExperimentResult read =
      read_experiment("tactus-experiment: 1\ngenerator: {kind: gpu-jobs, periods: [10ms, 20ms], " +
                          generator + "}\nvary: " + vary + "\nsystems: 20\n" + lines,
                      "test.yaml");
  if (!read.experiment) throw InputError{read.problems};
  return *read.experiment;
}

PartCounts judged(const Experiment& experiment) {
  Batch batch{0, {0, experiment.systems}};
  return judge(experiment, batch, [] { return false; });
}

Analysis own(std::string_view id, std::function<Result(const System&)> run, Kind kind = Kind::sufficient) {
  return {
      .id = id, .title = "", .source = "", .needs = "", .kind = kind, .sound = true, .run = std::move(run)};
}

Result says(Verdict verdict) {
  Result result;
  result.verdict = verdict;
  return result;
}

/// Accepts every system with bounds that `bound_of` knows.
Analysis with_bounds(std::function<Duration(const Task&)> bound_of) {
  return own("bounds", [bound_of = std::move(bound_of)](const System& system) {
    Result result = says(Verdict::schedulable);
    for (const Task& task : system.tasks) {
      result.tasks.push_back(
          {.name = task.name, .deadline = task.deadline, .bound = bound_of(task), .ok = true});
    }
    return result;
  });
}

Duration work_of(const Task& task) {
  return std::get<ExclusiveSegment>(task.work.nodes[0].segment).time.worst;
}

TEST(Judge, EveryPolicyHasTheSameSystems) {
  Experiment experiment = experiment_of(
      "policies:\n"
      "  - {policy: {strategy: single-stream, order: edf}, analyses: [np-edf]}\n"
      "  - {policy: {strategy: multi-stream, order: fp}, analyses: [ms-fp]}\n"
      "  - {policy: {strategy: federated}, analyses: [rtgpu]}\n");
  std::map<std::string_view, std::vector<std::vector<Task>>> seen;
  for (Analysis& entry : experiment.analyses) {
    entry.run = [&](const System& system) {
      seen[system.policy.strategy->name].push_back(system.tasks);
      return says(Verdict::unproven);
    };
  }
  judged(experiment);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen["single-stream"].size(), 20U);
  EXPECT_EQ(seen["multi-stream"], seen["single-stream"]);
  EXPECT_EQ(seen["federated"], seen["single-stream"]);
}

TEST(Judge, AContradictionStaysWithinItsPolicy) {
  const std::string policies =
      "policies:\n"
      "  - {policy: {order: edf}, analyses: [np-edf, np-edf-as-published]}\n"
      "  - {policy: {order: fp}, analyses: [np-fp]}\n";
  Experiment experiment = experiment_of(policies);
  const auto always = [](Verdict verdict) { return [=](const System&) { return says(verdict); }; };
  experiment.analyses[0].run = always(Verdict::schedulable);
  experiment.analyses[1].run = always(Verdict::schedulable);
  experiment.analyses[2].run = always(Verdict::unschedulable);
  for (const Counts& counts : judged(experiment).counts) EXPECT_EQ(counts.contradicted, 0);
  experiment.analyses[0].run = always(Verdict::unschedulable);
  const PartCounts counts = judged(experiment);
  EXPECT_EQ(counts.counts[1].contradicted, 20);
  EXPECT_EQ(counts.counts[2].contradicted, 0);
}

TEST(Judge, WindowsAreFoundWherePoliciesLeaveThemOpen) {
  const PartCounts counts = judged(experiment_of(
      "analyses: [np-edf]\npolicies: [{policy: {strategy: sm-cores}, analyses: [window-blocks]}]\n"));
  EXPECT_EQ(counts.counts[1].schedulable, 20);
  EXPECT_EQ(counts.counts[1].not_applicable, 0);
  // More than the GPU has: no windows can be found, which proves nothing.
  const PartCounts none =
      judged(experiment_of("policies: [{policy: {strategy: sm-cores}, analyses: [window-blocks]}]\n",
                           "tasks: 3, utilisation: 1.5"));
  EXPECT_EQ(none.counts[0].unproven, 20);
}

TEST(Judge, APolicyThatCannotTakeASystemDoesNotApply) {
  Experiment experiment =
      experiment_of("policies: [{policy: {strategy: multi-stream}, analyses: [ms-edf]}]\n");
  experiment.policies[0].levels = 99;
  const PartCounts counts = judged(experiment);
  EXPECT_EQ(counts.counts[0].not_applicable, 20);
  EXPECT_THAT(counts.counts[0].why_not, HasSubstr("levels is 99"));
}

TEST(Judge, WeightsAreUtilisations) {
  Experiment experiment = experiment_of("analyses: [np-edf]\nmeasures: [acceptance, weighted]\n");
  const auto small = [](const System& system) { return work_of(system.tasks[0]) < nanoseconds(2'000'000); };
  experiment.analyses = {
      own("small",
          [&](const System& s) { return says(small(s) ? Verdict::schedulable : Verdict::unproven); }),
      own(
          "necessary",
          [&](const System& s) { return says(small(s) ? Verdict::unproven : Verdict::unschedulable); },
          Kind::necessary)};
  UInt128 all = 0;
  UInt128 accepted_weight = 0;
  for (std::int64_t i = 0; i < experiment.systems; ++i) {
    const System system = make_system(experiment, experiment.points[0], i);
    all += utilisation_of(system);
    if (small(system)) accepted_weight += utilisation_of(system);
  }
  // Work is rounded down to nanoseconds, so the utilisation is a little less than asked for.
  EXPECT_LE(all, 10 * one);
  EXPECT_GT(all, 10 * one - one / 1000);
  ASSERT_GT(accepted_weight, 0U);
  ASSERT_LT(accepted_weight, all);
  for (const Counts& counts : judged(experiment).counts) {
    EXPECT_EQ(counts.sums.weight, all);
    EXPECT_EQ(counts.sums.accepted_weight, accepted_weight);
  }
}

TEST(Judge, OnlyWhatIsAskedForIsMeasured) {
  const PartCounts counts = judged(experiment_of("analyses: [np-edf, np-fp]\n"));
  EXPECT_EQ(counts.counts[0].sums, Sums{});
}

TEST(Judge, BoundsAreHeldAgainstDeadlines) {
  Experiment experiment = experiment_of("analyses: [np-edf]\nmeasures: [bound-deadline]\n");
  experiment.analyses = {with_bounds([](const Task& task) { return *task.deadline / 4; })};
  const Counts counts = judged(experiment).counts[0];
  EXPECT_EQ(counts.sums.bound_deadline.tasks, 60);
  EXPECT_EQ(counts.sums.bound_deadline.mean(), 250'000);
  EXPECT_EQ(counts.sums.bound_observed, RatioMean{});
}

TEST(Judge, BoundsAreHeldAgainstASimulation) {
  // One task alone responds in the time of its work.
  Experiment experiment =
      experiment_of("analyses: [np-edf]\nmeasures: [bound-observed]\n", "tasks: 1, utilisation: 0.5");
  experiment.analyses = {with_bounds([](const Task& task) { return work_of(task) * 3; }),
                         with_bounds([](const Task& task) { return work_of(task) - nanoseconds(1); })};
  const PartCounts counts = judged(experiment);
  EXPECT_EQ(counts.counts[0].sums.bound_observed.mean(), 3'000'000);
  EXPECT_EQ(counts.counts[0].sums.bound_observed.tasks, 20);
  EXPECT_EQ(counts.counts[0].sums.broken, 0);
  EXPECT_EQ(counts.counts[1].sums.broken, 20);
}

TEST(Judge, AnotherRunTimeModelIsNotSimulated) {
  Experiment experiment =
      experiment_of("analyses: [np-edf]\nmeasures: [bound-observed]\n", "tasks: 1, utilisation: 0.5");
  experiment.analyses = {with_bounds([](const Task& task) { return work_of(task); })};
  experiment.analyses[0].run_time_model = "as nobody does";
  EXPECT_EQ(judged(experiment).counts[0].sums, Sums{});
}

TEST(Judge, ASimulationHasTheSmsThatTheAnalysisFound) {
  const ReadExperimentResult read = read_experiment(
      "tactus-experiment: 1\ngenerator: {kind: rtgpu, tasks: 3}\nvary: {parameter: utilisation, values: "
      "[0.4]}\n"
      "analyses: [rtgpu-tight, rtgpu]\nmeasures: [bound-observed]\nsimulate: {jobs: 3}\nsystems: 10\n",
      "test.yaml");
  ASSERT_TRUE(read.experiment);
  for (const Counts& counts : judged(*read.experiment).counts) {
    EXPECT_EQ(counts.schedulable, 10);
    EXPECT_EQ(counts.sums.bound_observed.tasks, 30);
    EXPECT_GE(counts.sums.bound_observed.mean(), 1'000'000);
    EXPECT_EQ(counts.sums.broken, 0);
  }
}

ReadExperimentResult read_chains(const std::string& analyses) {
  return read_experiment(
      "tactus-experiment: 1\ngenerator: {kind: rtgpu, tasks: 3, length_ratio: 1:8}\n"
      "vary: {parameter: utilisation, values: [1.2]}\nanalyses: [" +
          analyses + "]\nmeasures: [bound-observed]\nsimulate: {jobs: 3}\nsystems: 40\n",
      "test.yaml");
}

TEST(Judge, AnAnalysisThatDoesNotSearchSmsGetsThoseThatOthersFound) {
  const ReadExperimentResult read = read_chains("chain-fp, rtgpu");
  ASSERT_TRUE(read.experiment);
  const PartCounts part = judged(*read.experiment);
  const Counts& chain = part.counts[0];
  EXPECT_EQ(chain.not_applicable, 0);
  EXPECT_GE(chain.schedulable, part.counts[1].schedulable);
  EXPECT_GT(part.counts[1].schedulable, 10);
  EXPECT_EQ(chain.sums.bound_observed.tasks, 3 * chain.schedulable);
  EXPECT_EQ(chain.sums.broken, 0);
}

TEST(Judge, WithoutOthersItGetsMoreSmsWhereItFails) {
  const ReadExperimentResult read = read_chains("chain-fp");
  ASSERT_TRUE(read.experiment);
  const PartCounts part = judged(*read.experiment);
  const ReadExperimentResult beside = read_chains("chain-fp, rtgpu");
  // A search that is not complete, but comes near to it.
  EXPECT_LE(part.counts[0].schedulable, judged(*beside.experiment).counts[0].schedulable);
  EXPECT_GT(part.counts[0].schedulable, 10);
  std::int64_t most = 0;
  const System system = make_system(*read.experiment, read.experiment->points[0], 0);
  const std::vector<analysis::Result> results = judge(*read.experiment, system);
  for (const std::optional<std::int64_t>& sms : results[0].virtual_sms) {
    most = std::max(most, sms.value_or(0));
  }
  EXPECT_GE(most, 2);
}

TEST(Observe, LongerSimulationsSeeNoLess) {
  const Experiment experiment = experiment_of("analyses: [np-edf]\n");
  const System system = make_system(experiment, experiment.points[0], 3);
  const auto few = longest_responses(system, {.jobs = 1});
  const auto many = longest_responses(system, {.jobs = 20});
  const auto for_a_second = longest_responses(system, {.horizon = nanoseconds(1'000'000'000)});
  ASSERT_TRUE(few && many && for_a_second);
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    EXPECT_LE((*few)[i], (*many)[i]);
    EXPECT_LE((*many)[i], (*for_a_second)[i]);
  }
  // Without an end in sight there is nothing to see.
  EXPECT_FALSE(longest_responses(system, {.horizon = Duration::max()}));
  System incomplete = system;
  incomplete.policy.strategy = strategy_named("federated");
  incomplete.policy.order = Order::fp;
  EXPECT_FALSE(longest_responses(incomplete, {.jobs = 1}));
}

}  // namespace
}  // namespace tactus::sweep
