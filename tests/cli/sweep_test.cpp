// `tactus sweep` and `tactus generate` as users meet them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/command.hpp"
#include "tactus/base/file.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string experiment_file(const std::string& name, const std::string& systems = "40") {
  return write_temporary(name + ".yaml",
                         "tactus-experiment: 1\n"
                         "generator: {kind: gpu-jobs, tasks: 3, periods: [10ms, 20ms, 40ms]}\n"
                         "vary: {parameter: utilisation, values: [0.2, 0.6, 1]}\n"
                         "analyses: [np-edf, np-fp, block-rta]\n"
                         "systems: " +
                             systems + "\n");
}

std::string in_quotes(const std::string& text) { return "'" + text + "'"; }

/// A sweep into a folder of its own; answers the folder.
std::string swept(const std::string& name, const std::string& options, Answer& answer) {
  const std::string folder = temporary_path(name + "-out");
  answer = tactus("sweep " + in_quotes(experiment_file(name)) + " -o " + in_quotes(folder) + " " + options);
  return folder;
}

TEST(SweepCommand, PrintsATableAndLeavesResults) {
  Answer answer;
  const std::string folder = swept("table", "", answer);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, AllOf(StartsWith("table: systems accepted, in percent; 40 systems a point"),
                                HasSubstr("utilisation  np-edf  np-fp  block-rta"),
                                HasSubstr("block-rta does not apply to 120 systems"), HasSubstr(folder)));
  const std::string csv = read_file(fs::path{folder} / "results.csv");
  EXPECT_THAT(csv, AllOf(StartsWith("utilisation,analysis,systems,accepted,ratio,low,high,"),
                         HasSubstr("\n0.2,np-edf,40,"), HasSubstr("\n1,block-rta,40,0,0.000000,")));
  const json manifest = json::parse(read_file(fs::path{folder} / "manifest.json"));
  EXPECT_EQ(manifest["complete"], true);
  EXPECT_EQ(manifest["seed"], 1);
  EXPECT_THAT(manifest["command"].get<std::string>(), StartsWith("tactus sweep "));
  EXPECT_TRUE(fs::exists(fs::path{folder} / "plot.gp"));
  EXPECT_TRUE(fs::exists(fs::path{folder} / "experiment.yaml"));
}

TEST(SweepCommand, GivesTheSameBytesForAnyNumberOfThreads) {
  Answer one;
  Answer two;
  const std::string first = swept("one-thread", "--threads 1 --json", one);
  const std::string second = swept("two-threads", "--threads 2 --json", two);
  EXPECT_EQ(read_file(fs::path{first} / "results.csv"), read_file(fs::path{second} / "results.csv"));
  json one_json = json::parse(one.out);
  json two_json = json::parse(two.out);
  EXPECT_EQ(one_json["points"].size(), 3U);
  one_json.erase("experiment");
  two_json.erase("experiment");
  EXPECT_EQ(one_json, two_json);
}

TEST(SweepCommand, WithoutGnuplotEverythingElseIsThere) {
  const fs::path folder = temporary_path("no-gnuplot-out");
  const Answer answer =
      tactus_alone("sweep " + in_quotes(experiment_file("no-gnuplot")) + " -o " + in_quotes(folder.string()));
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("gnuplot is not installed"));
  EXPECT_FALSE(fs::exists(folder / "plot.svg"));
  EXPECT_TRUE(fs::exists(folder / "results.csv"));
}

TEST(SweepCommand, TakesFewerSystemsForAQuickLook) {
  Answer answer;
  const std::string folder = swept("quick", "--systems 2", answer);
  EXPECT_THAT(answer.out, HasSubstr("2 systems a point"));
  EXPECT_THAT(read_file(fs::path{folder} / "results.csv"), HasSubstr("\n0.6,np-fp,2,"));
}

TEST(SweepCommand, StopsWhenInterruptedAndKeepsWhatItHas) {
  const std::string file = experiment_file("long", "100000000");
  const std::string folder = temporary_path("long-out");
  const Answer answer = tactus_interrupted("sweep " + in_quotes(file) + " -o " + in_quotes(folder),
                                           folder + "/experiment.yaml");
  EXPECT_EQ(answer.status, 130) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("interrupted: 0 of 3 points are finished"));
  const json manifest = json::parse(read_file(fs::path{folder} / "manifest.json"));
  EXPECT_EQ(manifest["complete"], false);
  EXPECT_THAT(read_file(fs::path{folder} / "results.csv"), StartsWith("utilisation,analysis,"));
}

TEST(SweepCommand, BadInputIsToldWithItsPlace) {
  const std::string file = write_temporary("bad.yaml", "tactus-experiment: 1\nsystems: 0\n");
  const Answer answer = tactus("sweep " + in_quotes(file) + " -o " + in_quotes(temporary_path("bad-out")));
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err,
              AllOf(HasSubstr("bad.yaml:2:10: error: systems is 0"), HasSubstr("has no `generator`")));
  EXPECT_FALSE(fs::exists(temporary_path("bad-out")));
  EXPECT_EQ(tactus("sweep no-such-file.yaml").status, 2);
  EXPECT_EQ(tactus("sweep examples/first.yaml").status, 2);
  EXPECT_EQ(tactus("sweep").status, 2);
  EXPECT_EQ(tactus("sweep " + in_quotes(experiment_file("zero")) + " --threads 0").status, 2);
}

TEST(SweepCommand, AFolderThatCannotBeMadeIsAFailure) {
  const std::string blocked = write_temporary("blocked", "a file");
  const Answer answer = tactus("sweep " + in_quotes(experiment_file("blocked-experiment")) + " -o " +
                               in_quotes(blocked + "/inside"));
  EXPECT_EQ(answer.status, 3);
  EXPECT_THAT(answer.err, HasSubstr("cannot be made"));
}

TEST(GenerateCommand, ListsGenerators) {
  const Answer answer = tactus("generate --list");
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("gpu-jobs:"), HasSubstr("pruda:"), HasSubstr("utilisation_all")));
}

TEST(GenerateCommand, PrintsASystemThatCheckReads) {
  const Answer answer =
      tactus("generate gpu-jobs --set tasks=3 --set utilisation=0.5 --set periods='[1ms, 2ms]'");
  EXPECT_EQ(answer.status, 0) << answer.err;
  const ReadResult read = read_system(answer.out, "out.yaml");
  ASSERT_TRUE(read.system);
  EXPECT_EQ(read.system->tasks.size(), 3U);
  EXPECT_EQ(
      answer.out,
      tactus("generate gpu-jobs --set tasks=3 --set utilisation=0.5 --set periods='[1ms, 2ms]' --seed 1")
          .out);
  EXPECT_NE(
      answer.out,
      tactus("generate gpu-jobs --set tasks=3 --set utilisation=0.5 --set periods='[1ms, 2ms]' --seed 2")
          .out);
}

TEST(GenerateCommand, FillsAFolder) {
  const std::string folder = temporary_path("systems");
  const Answer answer = tactus(
      "generate pruda --set utilisation_1=0.5 --set utilisation_all=0.2 --set periods='[4ms]' --count 12 "
      "--first 5 -o " +
      in_quotes(folder));
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_TRUE(fs::exists(fs::path{folder} / "system-05.yaml"));
  EXPECT_TRUE(fs::exists(fs::path{folder} / "system-16.yaml"));
  EXPECT_EQ(std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}), 12);
}

TEST(GenerateCommand, ShowsASystemOfAnExperiment) {
  const std::string file = in_quotes(experiment_file("shown"));
  const Answer answer = tactus("generate " + file + " --point 0.6 --first 17");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("utilisation=0.6 17"));
  const Answer none = tactus("generate " + file);
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("utilisation: 0.2, 0.6, 1"));
  EXPECT_EQ(tactus("generate " + file + " --point 0.7").status, 2);
}

TEST(GenerateCommand, BadParametersAreTold) {
  const auto problem = [](const std::string& arguments) {
    const Answer answer = tactus("generate " + arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_THAT(answer.out, IsEmpty());
    return answer.err;
  };
  EXPECT_THAT(problem("gpu-jbs"), HasSubstr("neither a generator nor a file"));
  EXPECT_THAT(problem("gpu-jobs"), HasSubstr("needs `tasks`"));
  EXPECT_THAT(problem("gpu-jobs --set taks=3"), HasSubstr("did you mean 'tasks'?"));
  EXPECT_THAT(problem("gpu-jobs --set tasks"), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(problem("gpu-jobs --set tasks=x"), HasSubstr("not a whole number"));
  EXPECT_THAT(problem("gpu-jobs --set tasks=2 --set utilisation=3 --set periods='[1ms]'"),
              HasSubstr("cannot have the utilisation 3"));
  EXPECT_THAT(problem("gpu-jobs --set tasks=2 --set utilisation=1 --set periods='[1ms]' --count 2"),
              HasSubstr("-o FOLDER"));
  EXPECT_THAT(problem(""), HasSubstr("--list"));
}

}  // namespace
}  // namespace tactus::test
