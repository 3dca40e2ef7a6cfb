#include "tactus/sweep/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

#include "support/temporary_folder.hpp"
#include "tactus/base/error.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/version.hpp"
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
  EXPECT_THAT(script, HasSubstr("set title 'It''s a test'"));
  EXPECT_THAT(script, HasSubstr("title 'block-rta'"));
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
  EXPECT_THAT(read_file(folder.path() / "plot.png"), HasSubstr("PNG"));
  SweepResult nothing;
  nothing.points.resize(3);
  EXPECT_EQ(draw_plot(utilisations(), nothing, folder.path()), PlotOutcome::drawn);
}

}  // namespace
}  // namespace tactus::sweep
