#include "tactus/sweep/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "support/temporary_folder.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/version.hpp"
#include "tactus/sweep/json.hpp"
#include "tactus/sweep/plot.hpp"
#include "tactus/sweep/read_experiment.hpp"

namespace tactus::sweep {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Experiment experiment_of(const std::string& vary,
                         const std::string& parameters = "utilisation: 0.5, periods: [1ms]") {
  const ReadExperimentResult read =
      read_experiment("tactus-experiment: 1\ntitle: It's a test\ngenerator: {kind: gpu-jobs, tasks: 2, " +
                          parameters + "}\nvary: " + vary + "\nanalyses: [block-rta]\nsystems: 10\nseed: 7\n",
                      "test.yaml");
  if (!read.experiment) throw InputError{read.problems};
  return *read.experiment;
}

SweepResult two_of_three() {
  SweepResult result;
  result.points = {PointCounts{{.schedulable = 10}},
                   PointCounts{{.schedulable = 3,
                                .unschedulable = 1,
                                .unproven = 2,
                                .gave_up = 3,
                                .not_applicable = 1,
                                .contradicted = 2,
                                .why_not = "because"}},
                   std::nullopt};
  return result;
}

/// Three points.
Experiment utilisations() {
  return experiment_of("{parameter: utilisation, values: [0.5, 0.75, 1]}", "periods: [1ms]");
}

TEST(Results, CsvHoldsFinishedPoints) {
  EXPECT_EQ(to_csv(utilisations(), two_of_three()),
            "utilisation,analysis,systems,accepted,ratio,low,high,unschedulable,unproven,gave_up,"
            "not_applicable,contradicted\n"
            "0.5,block-rta,10,10,1.000000,0.722459,1.000000,0,0,0,0,0\n"
            "0.75,block-rta,10,3,0.300000,0.107789,0.603227,1,2,3,1,2\n");
}

TEST(Results, CsvQuotesWhatNeedsQuotes) {
  const Experiment experiment =
      experiment_of("{parameter: periods, values: [[1ms, 2ms], [3ms], [4ms]]}", "utilisation: 0.5");
  const std::string csv = to_csv(experiment, two_of_three());
  EXPECT_THAT(csv, HasSubstr("\n\"[1ms, 2ms]\",block-rta,10,10,"));
  EXPECT_THAT(csv, HasSubstr("\n[3ms],block-rta,10,3,"));
}

TEST(Results, JsonSaysTheSame) {
  const nlohmann::ordered_json json = to_json(utilisations(), two_of_three());
  EXPECT_EQ(json["experiment"], "test");
  EXPECT_EQ(json["varied"], "utilisation");
  EXPECT_EQ(json["complete"], false);
  ASSERT_EQ(json["points"].size(), 2U);
  EXPECT_EQ(json["points"][1]["value"], "0.75");
  const nlohmann::ordered_json& analysis = json["points"][1]["analyses"][0];
  EXPECT_EQ(analysis["id"], "block-rta");
  EXPECT_EQ(analysis["accepted"], 3);
  EXPECT_EQ(analysis["ratio"], 0.3);
  EXPECT_EQ(analysis["contradicted"], 2);
  EXPECT_EQ(analysis["why_not"], "because");
}

/// Two values of each parameter, two policies, and all that can be measured.
Experiment everything(const std::string& show = "panels") {
  const ReadExperimentResult read = read_experiment(
      "tactus-experiment: 1\ngenerator: {kind: gpu-jobs, periods: [10ms, 20ms]}\n"
      "vary: [{parameter: utilisation, values: [0.4, 0.8]}, {parameter: tasks, values: [2, 5], show: " +
          show +
          "}]\n"
          "policies: [{policy: {order: edf}, analyses: [np-edf]}, "
          "{name: \"rate, mono\", policy: {order: fp}, analyses: [np-fp]}]\n"
          "measures: [acceptance, weighted, bound-deadline, bound-observed]\nsystems: 10\n",
      "test.yaml");
  if (!read.experiment) throw InputError{read.problems};
  return *read.experiment;
}

/// The second panel is not finished.
SweepResult three_of_four() {
  constexpr UInt128 one = UInt128{1} << 32U;
  SweepResult result;
  const Counts edf{.schedulable = 5,
                   .unproven = 5,
                   .sums = {.weight = 8 * one,
                            .accepted_weight = 3 * one,
                            .bound_deadline = {one * 5, 10},
                            .bound_observed = {one * 15, 10}}};
  const Counts fp{.unproven = 10, .sums = {.weight = 8 * one}};
  const Counts more{.schedulable = 10,
                    .sums = {.weight = 16 * one, .accepted_weight = 16 * one, .broken = 1}};
  result.points = {PointCounts{edf, fp}, PointCounts{more, fp}, PointCounts{edf, fp}, std::nullopt};
  return result;
}

TEST(Results, CsvHoldsWhatWasMeasured) {
  EXPECT_EQ(
      to_csv(everything(), three_of_four()),
      "utilisation,tasks,analysis,policy,systems,accepted,ratio,low,high,unschedulable,unproven,gave_up,"
      "not_applicable,contradicted,weighted,bound_deadline,bound_deadline_tasks,bound_observed,"
      "bound_observed_tasks,broken\n"
      "0.4,2,np-edf,order edf,10,5,0.500000,0.236589,0.763411,0,5,0,0,0,0.375000,0.500000,10,1.500000,10,0\n"
      "0.4,2,np-fp,\"rate, mono\",10,0,0.000000,0.000000,0.277541,0,10,0,0,0,0.000000,,0,,0,0\n"
      "0.8,2,np-edf,order edf,10,10,1.000000,0.722459,1.000000,0,0,0,0,0,1.000000,,0,,0,1\n"
      "0.8,2,np-fp,\"rate, mono\",10,0,0.000000,0.000000,0.277541,0,10,0,0,0,0.000000,,0,,0,0\n"
      "0.4,5,np-edf,order edf,10,5,0.500000,0.236589,0.763411,0,5,0,0,0,0.375000,0.500000,10,1.500000,10,0\n"
      "0.4,5,np-fp,\"rate, mono\",10,0,0.000000,0.000000,0.277541,0,10,0,0,0,0.000000,,0,,0,0\n");
}

TEST(Results, WeightedSchedulabilityCollapsesTheFirstParameter) {
  // (3 + 16) / (8 + 16); the panel that is not finished has no line.
  EXPECT_EQ(weighted_csv(everything(), three_of_four()),
            "tasks,analysis,policy,weighted\n"
            "2,np-edf,order edf,0.791667\n"
            "2,np-fp,\"rate, mono\",0.000000\n");
  EXPECT_EQ(weighted_csv(utilisations(), two_of_three()), "");
}

TEST(Results, JsonHoldsWhatWasMeasured) {
  const nlohmann::ordered_json json = to_json(everything(), three_of_four());
  EXPECT_EQ(json["second"], "tasks");
  EXPECT_EQ(json["measures"].dump(), R"(["acceptance","weighted","bound-deadline","bound-observed"])");
  EXPECT_EQ(json["points"][2]["second"], "5");
  const nlohmann::ordered_json& edf = json["points"][0]["analyses"][0];
  EXPECT_EQ(edf["policy"], "order edf");
  EXPECT_EQ(edf["weighted"], 0.375);
  EXPECT_EQ(edf["bound_deadline"], 0.5);
  EXPECT_EQ(edf["bound_observed"], 1.5);
  EXPECT_EQ(edf["broken"], 0);
  EXPECT_TRUE(json["points"][0]["analyses"][1]["bound_deadline"].is_null());
  ASSERT_EQ(json["weighted"].size(), 1U);
  EXPECT_EQ(json["weighted"][0]["second"], "2");
  EXPECT_EQ(json["weighted"][0]["analyses"][0]["weighted"], 0.791667);
}

TEST(Results, ManifestSaysHowItCameAbout) {
  const Provenance provenance{.command = "tactus sweep test.yaml",
                              .experiment_file = "test.yaml",
                              .begun = std::chrono::system_clock::from_time_t(1'800'000'000),
                              .took = std::chrono::duration<double>{2.5},
                              .runs = 2,
                              .threads = 4,
                              .ranks = 2,
                              .verdicts = 1000};
  const nlohmann::ordered_json json = manifest(utilisations(), two_of_three(), provenance);
  EXPECT_EQ(json["tactus"], version());
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["command"], "tactus sweep test.yaml");
  EXPECT_EQ(json["begun"], "2027-01-15T08:00:00Z");
  EXPECT_EQ(json["seconds"], 2.5);
  EXPECT_EQ(json["runs"], 2);
  EXPECT_EQ(json["threads"], 4);
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_EQ(json["verdicts_per_second"], 400);
  EXPECT_EQ(json["points"], 3);
  EXPECT_EQ(json["finished"], 2);
  EXPECT_EQ(json["complete"], false);
}

TEST(Plot, ScriptHoldsItsDataAndQuotesItsWords) {
  const std::string script = gnuplot_script(utilisations(), two_of_three());
  EXPECT_THAT(script, HasSubstr("0.75 0.300000 0.107789 0.603227\n"));
  EXPECT_THAT(script, HasSubstr("set label 1 'It''s a test' at screen"));
  EXPECT_THAT(script, HasSubstr("'block-rta' at screen"));
}

TEST(Plot, AxisFitsTheKindOfTheParameter) {
  const auto script = [](const std::string& vary) {
    return gnuplot_script(experiment_of(vary), two_of_three());
  };
  EXPECT_THAT(script("{parameter: granularity, values: [1us, 1500us, 1s]}"),
              testing::AllOf(HasSubstr("set xlabel 'granularity (ms)'"), HasSubstr("\n1.5 0.300000")));
  EXPECT_THAT(script("{parameter: platform, values: [jetson-tx2, h200, titan-v]}"),
              testing::AllOf(HasSubstr("set xtics ('jetson-tx2' 0, 'h200' 1, 'titan-v' 2)"),
                             HasSubstr("\n1 0.300000")));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Plot, EveryMeasureHasARowOfPanelsAndOneLegendBelow) {
  const std::string script = gnuplot_script(everything(), three_of_four());
  // Three rows of two panels and one panel over the second parameter; the last plot is the legend's.
  EXPECT_EQ(count_of(script, "\nplot "), 8U);
  EXPECT_EQ(count_of(script, "set title 'tasks = 2'"), 3U);
  EXPECT_EQ(count_of(script, "set ylabel 'acceptance ratio'"), 1U);
  EXPECT_EQ(count_of(script, "set ylabel 'weighted schedulability'"), 1U);
  EXPECT_EQ(count_of(script, "set ylabel 'mean bound / deadline'"), 1U);
  EXPECT_EQ(count_of(script, "set ylabel 'mean bound / observed'"), 1U);
  // One range for every row; both panels of a row stand between the same lines.
  EXPECT_EQ(count_of(script, "set xrange "), 4U);
  EXPECT_EQ(count_of(script, "set yrange "), 4U);
  EXPECT_EQ(count_of(script, "'np-edf (order edf)' at screen"), 1U);
  EXPECT_THAT(script, HasSubstr("unset key\n"));
}

/// The numbers behind every occurrence of a phrase.
std::vector<double> numbers_behind(const std::string& text, const std::string& phrase) {
  std::vector<double> found;
  for (std::size_t at = text.find(phrase); at != std::string::npos; at = text.find(phrase, at + 1)) {
    found.push_back(std::stod(text.substr(at + phrase.size())));
  }
  return found;
}

TEST(Plot, TheLegendIsBelowAllPanels) {
  for (const char* show : {"panels", "curves"}) {
    const std::string script = gnuplot_script(everything(show), three_of_four());
    const std::vector<double> bottoms = numbers_behind(script, "set bmargin at screen ");
    const std::string legend = script.substr(script.find("set arrow"));
    const std::size_t entries = count_of(legend, "' at screen ");
    ASSERT_GT(entries, 0U);
    for (const double y : numbers_behind(legend, ", screen ")) {
      EXPECT_LT(y, *std::min_element(bottoms.begin(), bottoms.end()));
      EXPECT_GT(y, 0);
    }
  }
}

TEST(Plot, NoTwoCurvesLookTheSame) {
  std::string ids = "window-exact";
  for (const char* more : {"window-sbf", "window-linear", "window-chunks", "window-blocks", "window-fp",
                           "np-edf", "np-fp", "ms-edf", "ms-fp", "rtgpu", "rtgpu-tight"}) {
    ids += std::string{", "} + more;
  }
  const ReadExperimentResult read = read_experiment(
      "tactus-experiment: 1\ngenerator: {kind: gpu-jobs, tasks: 2, periods: [1ms]}\n"
      "vary: {parameter: utilisation, values: [0.5]}\nanalyses: [" +
          ids + "]\nsystems: 10\n",
      "test.yaml");
  ASSERT_TRUE(read.experiment);
  SweepResult result;
  result.points = {PointCounts(12, Counts{.schedulable = 10})};
  const std::string script = gnuplot_script(*read.experiment, result);
  std::set<std::string> looks;
  const std::string begin = "with linespoints ";
  for (std::size_t at = script.find(begin); at != std::string::npos; at = script.find(begin, at + 1)) {
    const std::string look = script.substr(at, script.find(" ps ", at) - at);
    EXPECT_TRUE(looks.insert(look).second) << look;
    // Open marks (even numbers) are lost in some renderers.
    const int mark = std::stoi(look.substr(look.find(" pt ") + 4));
    EXPECT_EQ(mark % 2, 1) << look;
  }
  EXPECT_EQ(looks.size(), 12U);
}

TEST(Plot, OneParameterHasItsWeightsInTheLegend) {
  Experiment experiment = utilisations();
  experiment.measures.push_back(Measure::weighted);
  SweepResult result = two_of_three();
  constexpr UInt128 one = UInt128{1} << 32U;
  result.points[2] = result.points[1];
  for (auto& point : result.points) point->at(0).sums = {.weight = 3 * one, .accepted_weight = 2 * one};
  EXPECT_THAT(gnuplot_script(experiment, result), HasSubstr("'block-rta, weighted 0.667' at screen"));
}

TEST(Plot, TenfoldDifferencesHaveALogarithmicAxis) {
  constexpr UInt128 one = UInt128{1} << 32U;
  SweepResult result = three_of_four();
  EXPECT_THAT(gnuplot_script(everything(), result), Not(HasSubstr("\nset logscale y")));
  result.points[2]->at(0).sums.bound_observed = {one * 300, 10};
  EXPECT_THAT(gnuplot_script(everything(), result), HasSubstr("\nset logscale y\n"));
}

/// A program that stands for gnuplot.
std::string fake_gnuplot(const fs::path& folder, const std::string& body) {
  const fs::path path = folder / "fake-gnuplot";
  AtomicFile file{path};
  file.write("#!/bin/sh\n" + body);
  file.commit();
  fs::permissions(path, fs::perms::owner_all);
  return path.string();
}

/// Sets $name as the script's caller asked for it.
const std::string read_name = "name=$(printf %s \"$2\" | sed \"s/^name='//; s/'$//\")\n";

TEST(Plot, PicturesAppearWhole) {
  const test::TemporaryFolder folder;
  const std::string program =
      fake_gnuplot(folder.path(), read_name + "echo svg > \"$name.svg\"; echo png > \"$name.png\"\n");
  EXPECT_EQ(draw_plot(utilisations(), two_of_three(), folder.path(), program), PlotOutcome::drawn);
  EXPECT_EQ(read_file(folder.path() / "plot.svg"), "svg\n");
  EXPECT_EQ(read_file(folder.path() / "plot.png"), "png\n");
  EXPECT_EQ(read_file(folder.path() / "plot.gp"), gnuplot_script(utilisations(), two_of_three()));
}

TEST(Plot, ATroubledGnuplotLeavesNothingBehind) {
  const test::TemporaryFolder folder;
  const std::string program = fake_gnuplot(folder.path(), read_name + "echo half > \"$name.svg\"; exit 1\n");
  EXPECT_EQ(draw_plot(utilisations(), two_of_three(), folder.path(), program), PlotOutcome::gnuplot_failed);
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator{folder.path()}) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("fake-gnuplot", "plot.gp"));
}

TEST(Plot, WithoutGnuplotTheScriptIsThere) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(draw_plot(utilisations(), two_of_three(), folder.path(), "no-such-gnuplot"),
            PlotOutcome::no_gnuplot);
  EXPECT_TRUE(fs::exists(folder.path() / "plot.gp"));
}

TEST(Plot, TheRealGnuplotReadsTheScript) {
  const test::TemporaryFolder folder;
  const PlotOutcome outcome = draw_plot(utilisations(), two_of_three(), folder.path());
  if (outcome == PlotOutcome::no_gnuplot) GTEST_SKIP() << "gnuplot is not installed";
  ASSERT_EQ(outcome, PlotOutcome::drawn);
  EXPECT_THAT(read_file(folder.path() / "plot.svg"), HasSubstr("block-rta"));
  EXPECT_THAT(read_file(folder.path() / "plot.svg"), HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(read_file(folder.path() / "plot.png"), HasSubstr("PNG"));
  for (const char* show : {"panels", "curves"}) {
    ASSERT_EQ(draw_plot(everything(show), three_of_four(), folder.path()), PlotOutcome::drawn);
    EXPECT_THAT(read_file(folder.path() / "plot.svg"), HasSubstr("weighted schedulability"));
  }
  SweepResult spread = three_of_four();
  spread.points[2]->at(0).sums.bound_observed = {UInt128{300} << 32U, 10};
  ASSERT_EQ(draw_plot(everything(), spread, folder.path()), PlotOutcome::drawn);
  SweepResult nothing;
  nothing.points.resize(3);
  EXPECT_EQ(draw_plot(utilisations(), nothing, folder.path()), PlotOutcome::drawn);
}

}  // namespace
}  // namespace tactus::sweep
