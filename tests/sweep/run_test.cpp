#include "tactus/sweep/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tactus/base/error.hpp"
#include "tactus/sweep/json.hpp"
#include "tactus/sweep/ledger.hpp"
#include "tactus/sweep/pool.hpp"
#include "tactus/sweep/read_experiment.hpp"
#include "tactus/sweep/results.hpp"

namespace tactus::sweep {
namespace {

using analysis::Analysis;
using analysis::Kind;
using analysis::Result;
using analysis::Verdict;
using testing::HasSubstr;

constexpr std::string_view text = R"(
tactus-experiment: 1
name: small
generator: {kind: gpu-jobs, tasks: 4, periods: [10ms, 20ms]}
vary: {parameter: utilisation, from: 0.2, to: 1, step: 0.2}
analyses: [block-rta]
systems: 50
)";

/// The first work of a system in nanoseconds: something random to decide by.
std::int64_t some_number(const System& system) {
  return std::get<ExclusiveSegment>(system.tasks[0].work.nodes[0].segment).time.worst.count();
}

Result says(Verdict verdict) {
  Result result;
  result.verdict = verdict;
  return result;
}

Analysis make_analysis(std::string_view id, bool sound, std::function<Result(const System&)> run) {
  return {.id = id,
          .title = "of the test",
          .source = "none",
          .needs = "nothing",
          .kind = Kind::sufficient,
          .sound = sound,
          .run = std::move(run)};
}

/// Accepts systems whose number is a multiple of `divisor`; the others get `otherwise`.
Analysis multiples(std::string_view id, std::int64_t divisor, Verdict otherwise, bool sound = true) {
  return make_analysis(id, sound, [=](const System& system) {
    return says(some_number(system) % divisor == 0 ? Verdict::schedulable : otherwise);
  });
}

Experiment small_experiment() {
  ReadExperimentResult read = read_experiment(text, "small.yaml");
  if (!read.experiment) throw InputError{read.problems};
  Experiment experiment = *read.experiment;
  experiment.analyses = {
      multiples("even", 2, Verdict::unschedulable), multiples("fourth", 4, Verdict::unproven),
      multiples("third", 3, Verdict::gave_up, false), make_analysis("picky", true, [](const System& system) {
        if (some_number(system) % 5 == 0) return says(Verdict::unproven);
        return analysis::does_not_apply("needs a multiple of 5, not " + std::to_string(some_number(system)));
      })};
  return experiment;
}

TEST(Sweep, CountsWhatEveryAnalysisSays) {
  const Experiment experiment = small_experiment();
  const SweepResult result = run(experiment, {.threads = 1});
  ASSERT_TRUE(result.complete());
  ASSERT_EQ(result.points.size(), 5U);
  for (std::size_t point = 0; point < result.points.size(); ++point) {
    std::int64_t even = 0;
    std::int64_t fourth = 0;
    std::int64_t third = 0;
    std::int64_t odd_third = 0;
    std::int64_t fifth = 0;
    for (std::int64_t i = 0; i < experiment.systems; ++i) {
      const std::int64_t number = some_number(make_system(experiment, experiment.points[point], i));
      even += number % 2 == 0 ? 1 : 0;
      fourth += number % 4 == 0 ? 1 : 0;
      third += number % 3 == 0 ? 1 : 0;
      odd_third += number % 3 == 0 && number % 2 != 0 ? 1 : 0;
      fifth += number % 5 == 0 ? 1 : 0;
    }
    const PointCounts& counts = *result.points[point];
    EXPECT_EQ(counts[0].schedulable, even);
    EXPECT_EQ(counts[0].unschedulable, 50 - even);
    EXPECT_EQ(counts[0].contradicted, 0);
    EXPECT_EQ(counts[1].schedulable, fourth);
    EXPECT_EQ(counts[1].unproven, 50 - fourth);
    EXPECT_EQ(counts[1].contradicted, 0);
    EXPECT_EQ(counts[2].schedulable, third);
    EXPECT_EQ(counts[2].gave_up, 50 - third);
    EXPECT_EQ(counts[2].contradicted, odd_third);
    EXPECT_EQ(counts[3].unproven, fifth);
    EXPECT_EQ(counts[3].not_applicable, 50 - fifth);
    EXPECT_THAT(counts[3].why_not, HasSubstr("needs a multiple of 5"));
  }
}

TEST(Sweep, DoesNotDependOnTheNumberOfThreads) {
  const Experiment experiment = small_experiment();
  const SweepResult one = run(experiment, {.threads = 1});
  for (const unsigned threads : {2U, 3U, 8U}) {
    const SweepResult several = run(experiment, {.threads = threads});
    EXPECT_EQ(several.points, one.points);
    EXPECT_EQ(to_csv(experiment, several), to_csv(experiment, one));
    EXPECT_EQ(to_json(experiment, several), to_json(experiment, one));
  }
}

TEST(Sweep, UsesTheThreadsItIsGiven) {
  Experiment experiment = small_experiment();
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::thread::id> seen;
  experiment.analyses = {make_analysis("patient", true, [&](const System&) {
    std::unique_lock lock{mutex};
    seen.insert(std::this_thread::get_id());
    changed.notify_all();
    // Nobody goes on alone.
    changed.wait_for(lock, std::chrono::seconds{20}, [&] { return seen.size() >= 3; });
    return says(Verdict::unproven);
  })};
  run(experiment, {.threads = 3});
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_FALSE(seen.contains(std::this_thread::get_id()));
}

TEST(Sweep, ThreadsAreAsManyAsAskedForOrAsThereAreCores) {
  EXPECT_EQ(thread_count(5), 5U);
  EXPECT_EQ(thread_count(5, 3), 5U);
  EXPECT_GE(thread_count(0), 1U);
  EXPECT_LE(thread_count(0, 3), thread_count(0));
  EXPECT_EQ(thread_count(0, 100'000) == 1U || thread_count(0, 100'000) == thread_count(0), true);
}

TEST(Sweep, APointDoesNotDependOnTheOthers) {
  const Experiment all = small_experiment();
  Experiment last = all;
  last.points.erase(last.points.begin(), last.points.end() - 1);
  EXPECT_EQ(*run(last, {.threads = 2}).points[0], *run(all, {.threads = 2}).points[4]);
  EXPECT_NE(make_system(all, all.points[0], 7).tasks, make_system(all, all.points[0], 8).tasks);
  EXPECT_EQ(make_system(all, all.points[4], 7), make_system(last, last.points[0], 7));
  Experiment other = all;
  other.seed = 2;
  EXPECT_NE(make_system(all, all.points[0], 7).tasks, make_system(other, other.points[0], 7).tasks);
}

TEST(Sweep, FewerSystemsAreTheFirstOfMore) {
  Experiment experiment = small_experiment();
  experiment.systems = 1;  // less than any share of the work
  const SweepResult result = run(experiment, {.threads = 4});
  for (const std::optional<PointCounts>& point : result.points) {
    const Counts& even = point->at(0);
    EXPECT_EQ(even.schedulable + even.unschedulable, 1);
  }
}

TEST(Sweep, TellsFinishedPointsAndProgress) {
  const Experiment experiment = small_experiment();
  std::vector<std::size_t> finished;
  std::vector<double> parts;
  const std::thread::id here = std::this_thread::get_id();
  run(experiment, {.threads = 2,
                   .watch = {.progress =
                                 [&](double part) {
                                   EXPECT_EQ(std::this_thread::get_id(), here);
                                   parts.push_back(part);
                                 }},
                   .on_news = [&](const Ledger& ledger, const Team& team) {
                     EXPECT_EQ(std::this_thread::get_id(), here);
                     EXPECT_EQ(team.threads, 2U);
                     finished.push_back(ledger.finished());
                   }});
  ASSERT_FALSE(finished.empty());
  EXPECT_TRUE(std::is_sorted(finished.begin(), finished.end()));
  EXPECT_EQ(finished.back(), 5U);
  ASSERT_FALSE(parts.empty());
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  EXPECT_EQ(parts.back(), 1.0);
}

TEST(Sweep, StopsAndKeepsWhatIsFinished) {
  Experiment experiment = small_experiment();
  std::atomic<bool> stop{false};
  std::atomic<int> judged{0};
  experiment.analyses.push_back(make_analysis("stopper", true, [&](const System&) {
    if (++judged == 120) stop = true;
    return says(Verdict::unproven);
  }));
  const SweepResult result = run(experiment, {.threads = 1, .watch = {.stop = &stop}});
  EXPECT_FALSE(result.complete());
  EXPECT_EQ(result.finished(), 2U);
  EXPECT_EQ(judged, 120);
  EXPECT_TRUE(result.points[1]);
  EXPECT_FALSE(result.points[2]);
  stop = false;
  experiment.analyses.pop_back();
  const SweepResult whole = run(small_experiment(), {.threads = 1});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(PointCounts(result.points[i]->begin(), result.points[i]->end() - 1), *whole.points[i]);
  }
}

TEST(Sweep, GoesOnFromALedgerAndJudgesNothingTwice) {
  Experiment experiment = small_experiment();
  const SweepResult whole = run(experiment, {.threads = 1});
  std::atomic<bool> stop{false};
  std::atomic<int> judged{0};
  std::atomic<int> stop_at{0};
  const Analysis even = experiment.analyses[0];
  experiment.analyses[0].run = [&](const System& system) {
    if (++judged == stop_at) stop = true;
    return even.run(system);
  };
  Ledger ledger{experiment};
  int runs = 0;
  for (; !ledger.complete() && runs < 100; ++runs) {
    stop = false;
    stop_at = judged + 30;
    const std::int64_t before = ledger.judged();
    run(experiment, ledger, {.threads = 1U + static_cast<unsigned>(runs % 3), .watch = {.stop = &stop}});
    EXPECT_GE(ledger.judged(), before + (ledger.complete() ? 0 : 30));
  }
  EXPECT_GT(runs, 3);
  EXPECT_EQ(judged, 250);
  EXPECT_EQ(ledger.result().points, whole.points);
  run(experiment, ledger, {.threads = 2});
  EXPECT_EQ(judged, 250);
}

TEST(Sweep, TheLastNewsIsAllThatWasJudged) {
  Experiment experiment = small_experiment();
  std::atomic<bool> stop{false};
  std::atomic<int> judged{0};
  experiment.analyses.push_back(make_analysis("stopper", true, [&](const System&) {
    if (++judged == 70) stop = true;
    return says(Verdict::unproven);
  }));
  Ledger ledger{experiment};
  Ledger saved{experiment};
  run(experiment, ledger,
      {.threads = 2, .watch = {.stop = &stop}, .on_news = [&](const Ledger& news, const Team&) {
         saved = news;
       }});
  EXPECT_EQ(saved, ledger);
  EXPECT_EQ(saved.judged(), judged);
  EXPECT_FALSE(saved.complete());
}

TEST(Sweep, StopsBeforeItBegins) {
  const std::atomic<bool> stop{true};
  EXPECT_EQ(run(small_experiment(), {.threads = 2, .watch = {.stop = &stop}}).finished(), 0U);
}

TEST(Sweep, AnAnalysisWhoseNumbersAreTooLargeGaveUp) {
  Experiment experiment = small_experiment();
  experiment.analyses = {
      make_analysis("large", true, [](const System&) -> Result { throw OverflowError{"too large"}; })};
  EXPECT_EQ(run(experiment, {.threads = 2}).points[0]->at(0).gave_up, 50);
}

TEST(Sweep, AnAnalysisThatThrowsGaveUpAndTheOthersAreJudged) {
  Experiment experiment = small_experiment();
  experiment.analyses = {
      make_analysis("broken", true, [](const System&) -> Result { throw std::runtime_error{"broken"}; }),
      make_analysis("whole", true, [](const System&) {
        Result result;
        result.verdict = Verdict::unproven;
        return result;
      })};
  const SweepResult result = run(experiment, {.threads = 2});
  EXPECT_EQ(result.points[0]->at(0).gave_up, 50);
  EXPECT_EQ(result.points[0]->at(1).gave_up, 0);
  EXPECT_EQ(result.points[0]->at(1).unproven, 50);
}

TEST(Sweep, WhatAThreadThrowsReachesTheCaller) {
  Experiment experiment = small_experiment();
  experiment.generator.make = [](const generate::Parameters&, std::uint64_t) -> System {
    throw FailureError{"no such set"};
  };
  EXPECT_THROW(run(experiment, {.threads = 2}), FailureError);
  EXPECT_THROW(
      run(small_experiment(),
          {.threads = 2, .on_news = [](const Ledger&, const Team&) { throw FailureError{"disk full"}; }}),
      FailureError);
}

const std::string four_policies = R"(
  - {policy: {strategy: single-stream, order: edf}, analyses: [np-edf]}
  - {policy: {strategy: multi-stream, order: fp}, analyses: [ms-fp]}
  - {policy: {strategy: federated}, analyses: [rtgpu]}
  - {policy: {strategy: sm-cores}, analyses: [window-blocks]}
)";

/// Those whose tests bound response times.
const std::string three_policies = R"(
  - {policy: {strategy: single-stream, order: fp}, analyses: [np-fp]}
  - {policy: {strategy: multi-stream, order: fp}, analyses: [ms-fp]}
  - {policy: {strategy: federated}, analyses: [rtgpu]}
)";

/// Everything an experiment can measure, under several policies and with two parameters.
Experiment whole_experiment(const std::string& policies) {
  ReadExperimentResult read = read_experiment(
      "tactus-experiment: 1\n"
      "name: whole\n"
      "generator: {kind: gpu-jobs, periods: [10ms, 20ms, 40ms], block_share: 0.1, platform: gtx-1080-ti}\n"
      "vary: [{parameter: utilisation, values: [0.4, 0.8]}, {parameter: tasks, values: [3, 30]}]\n"
      "policies:" +
          policies +
          "measures: [acceptance, weighted, bound-deadline, bound-observed]\n"
          "simulate: {jobs: 2}\n"
          "systems: 8\n",
      "whole.yaml");
  if (!read.experiment) throw InputError{read.problems};
  return *read.experiment;
}

TEST(Sweep, MeasuresTheSameWithAnyNumberOfThreadsAndHoweverOftenItStops) {
  Experiment experiment = whole_experiment(four_policies);
  const SweepResult one = run(experiment, {.threads = 1});
  EXPECT_EQ(run(experiment, {.threads = 3}).points, one.points);
  std::atomic<bool> stop{false};
  std::atomic<int> judged{0};
  const Analysis first = experiment.analyses[0];
  experiment.analyses[0].run = [&](const System& system) {
    if (++judged % 5 == 0) stop = true;
    return first.run(system);
  };
  Ledger ledger{experiment};
  for (int runs = 0; !ledger.complete() && runs < 100; ++runs) {
    stop = false;
    run(experiment, ledger, {.threads = 2, .watch = {.stop = &stop}});
  }
  EXPECT_EQ(judged, 32);
  EXPECT_EQ(to_csv(experiment, ledger.result()), to_csv(experiment, one));
  EXPECT_EQ(weighted_csv(experiment, ledger.result()), weighted_csv(experiment, one));
}

TEST(Sweep, GoldenTableOfPoliciesAndMeasures) {
  const Experiment experiment = whole_experiment(three_policies);
  const SweepResult result = run(experiment, {.threads = 2});
  EXPECT_EQ(
      to_csv(experiment, result),
      "utilisation,tasks,analysis,policy,systems,accepted,ratio,low,high,unschedulable,unproven,gave_up,"
      "not_applicable,contradicted,weighted,bound_deadline,bound_deadline_tasks,bound_observed,"
      "bound_observed_tasks,broken\n"
      "0.4,3,np-fp,single-stream "
      "fp,8,7,0.875000,0.529105,0.977584,0,1,0,0,0,0.875000,0.413754,21,1.586839,21,0\n"
      "0.4,3,ms-fp,multi-stream "
      "fp,8,8,1.000000,0.675584,1.000000,0,0,0,0,0,1.000000,0.367487,24,2.773364,24,0\n"
      "0.4,3,rtgpu,federated,8,8,1.000000,0.675584,1.000000,0,0,0,0,0,1.000000,0.133333,24,1.000000,24,0\n"
      "0.8,3,np-fp,single-stream "
      "fp,8,2,0.250000,0.071477,0.590731,0,6,0,0,0,0.250000,0.695038,6,1.365427,6,0\n"
      "0.8,3,ms-fp,multi-stream "
      "fp,8,6,0.750000,0.409269,0.928523,0,2,0,0,0,0.750000,0.736676,18,1.934470,18,0\n"
      "0.8,3,rtgpu,federated,8,8,1.000000,0.675584,1.000000,0,0,0,0,0,1.000000,0.266667,24,1.000000,24,0\n"
      "0.4,30,np-fp,single-stream "
      "fp,8,8,1.000000,0.675584,1.000000,0,0,0,0,0,1.000000,0.208775,240,2.913771,240,0\n"
      "0.4,30,ms-fp,multi-stream "
      "fp,8,8,1.000000,0.675584,1.000000,0,0,0,0,0,1.000000,0.320203,240,4.322113,240,0\n"
      "0.4,30,rtgpu,federated,8,0,0.000000,0.000000,0.324416,0,8,0,0,0,0.000000,,0,,0,0\n"
      "0.8,30,np-fp,single-stream "
      "fp,8,8,1.000000,0.675584,1.000000,0,0,0,0,0,1.000000,0.469297,240,2.041172,240,0\n"
      "0.8,30,ms-fp,multi-stream fp,8,0,0.000000,0.000000,0.324416,0,8,0,0,0,0.000000,,0,,0,0\n"
      "0.8,30,rtgpu,federated,8,0,0.000000,0.000000,0.324416,0,8,0,0,0,0.000000,,0,,0,0\n");
  EXPECT_EQ(weighted_csv(experiment, result),
            "tasks,analysis,policy,weighted\n"
            "3,np-fp,single-stream fp,0.458333\n"
            "3,ms-fp,multi-stream fp,0.833333\n"
            "3,rtgpu,federated,1.000000\n"
            "30,np-fp,single-stream fp,1.000000\n"
            "30,ms-fp,multi-stream fp,0.333333\n"
            "30,rtgpu,federated,0.000000\n");
}

}  // namespace
}  // namespace tactus::sweep
