// `tactus sweep` as users meet it. What kills and ranks do to it: sweep_kill_test.cpp, sweep_mpi_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/child_process.hpp"
#include "support/command.hpp"
#include "tactus/base/file.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
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
  EXPECT_GT(manifest["verdicts_per_second"], 0);
  EXPECT_EQ(manifest["runs"], 1);
  EXPECT_EQ(manifest["ranks"], 1);
  EXPECT_THAT(answer.err, HasSubstr("120 systems x 3 analyses in "));
  EXPECT_FALSE(fs::exists(fs::path{folder} / "lock"));
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

TEST(SweepCommand, GoesOnWhereItWasInterrupted) {
  const std::string file = in_quotes(experiment_file("halves", "3000"));
  const std::string whole = temporary_path("halves-whole");
  const std::string halves = temporary_path("halves-out");
  ASSERT_EQ(tactus("sweep " + file + " -o " + in_quotes(whole)).status, 0);
  const Answer first = tactus_interrupted("sweep " + file + " --threads 1 -o " + in_quotes(halves),
                                          halves + "/experiment.yaml");
  const Answer second = tactus("sweep " + file + " -o " + in_quotes(halves));
  EXPECT_EQ(second.status, 0) << second.err;
  if (first.status == 130) {
    EXPECT_THAT(first.err, HasSubstr("start again to go on"));
  }
  EXPECT_EQ(read_file(fs::path{halves} / "results.csv"), read_file(fs::path{whole} / "results.csv"));
  const Answer third = tactus("sweep " + file + " -o " + in_quotes(halves));
  EXPECT_EQ(third.status, 0);
  EXPECT_EQ(third.out, second.out);
  EXPECT_THAT(third.err, AllOf(HasSubstr("3 of 3 points are there already"), Not(HasSubstr("a second"))));
}

TEST(SweepCommand, RefusesAFolderOfAnotherExperiment) {
  const std::string folder = temporary_path("taken-out");
  const std::string file = in_quotes(experiment_file("taken"));
  const std::string command = "sweep " + file + " -o " + in_quotes(folder);
  ASSERT_EQ(tactus(command).status, 0);
  const std::string before = read_file(fs::path{folder} / "results.csv");
  const Answer refused = tactus(command + " --systems 50");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("another experiment"),
                                 HasSubstr("the number of systems is 40 there and 50 here"), HasSubstr("-o"),
                                 HasSubstr("--restart")));
  EXPECT_EQ(read_file(fs::path{folder} / "results.csv"), before);
  const Answer restarted = tactus(command + " --systems 50 --restart");
  EXPECT_EQ(restarted.status, 0) << restarted.err;
  EXPECT_THAT(restarted.err, Not(HasSubstr("already")));
  EXPECT_THAT(read_file(fs::path{folder} / "results.csv"), HasSubstr("\n0.2,np-edf,50,"));
}

TEST(SweepCommand, TwoSweepsInOneFolderAreOneTooMany) {
  const std::string folder = temporary_path("shared-out");
  const std::string file = in_quotes(experiment_file("shared", "100000000"));
  const std::string command = "sweep " + file + " -o " + in_quotes(folder);
  ChildProcess first{{"sweep", experiment_file("shared", "100000000"), "-o", folder}};
  ASSERT_TRUE(wait_for_file(folder + "/experiment.yaml"));
  const Answer second = tactus(command);
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.err, AllOf(HasSubstr("another sweep is at work in "), HasSubstr("-o")));
  EXPECT_EQ(tactus(command + " --restart").status, 2);
  first.signal(SIGKILL);
  first.wait();
  // What a killed process leaves of its lock locks nothing.
  const Answer third = tactus(command + " --systems 1 --restart");
  EXPECT_EQ(third.status, 0) << third.err;
}

/// Every thread would have a stack larger than any memory, so none can be started.
TEST(SweepCommand, GoesOnWithoutThreads) {
  const std::string file = in_quotes(experiment_file("threadless"));
  const std::string without = temporary_path("threadless-out");
  const Answer answer = in_shell("ulimit -s 274877906944 || exit 77; $TACTUS sweep " + file +
                                 " --threads 4 -o " + in_quotes(without));
  if (answer.status == 77) GTEST_SKIP() << "the size of stacks is limited here";
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("note: only 1 of 4 threads could be started: "));
  const std::string with = temporary_path("threadful-out");
  ASSERT_EQ(tactus("sweep " + file + " -o " + in_quotes(with)).status, 0);
  EXPECT_EQ(read_file(fs::path{without} / "results.csv"), read_file(fs::path{with} / "results.csv"));
}

TEST(SweepCommand, WithoutThreadsItStillStops) {
  const std::string file = in_quotes(experiment_file("threadless-long", "100000000"));
  const std::string folder = temporary_path("threadless-long-out");
  const Answer answer = in_shell("ulimit -s 274877906944 || exit 77; $TACTUS sweep " + file + " -o " +
                                 in_quotes(folder) + " & while [ ! -e " + in_quotes(folder + "/results.csv") +
                                 " ]; do sleep 0.1; done; kill -TERM $!; wait $!");
  if (answer.status == 77) GTEST_SKIP() << "the size of stacks is limited here";
  EXPECT_EQ(answer.status, 130) << answer.err;
}

/// The lock is open all the time: it must not get the number of a closed stream, and what is said there.
TEST(SweepCommand, WhatIsSaidToAClosedStreamDoesNotEndUpInTheLock) {
  const std::string folder = temporary_path("closed-out");
  fs::create_directory(folder);
  const std::string lock = write_temporary("closed-out/lock", "of somebody else");
  const Answer answer = in_shell("$TACTUS sweep " + in_quotes(experiment_file("closed")) +
                                 " --systems 2 -o " + in_quotes(folder) + " 2>&-");
  EXPECT_EQ(answer.status, 3);
  EXPECT_EQ(read_file(lock), "of somebody else");
}

TEST(SweepCommand, PathsThatAreNotUtf8AreKept) {
  const std::string file = experiment_file("odd\xff");
  const std::string folder = temporary_path("odd\xff-out");
  const Answer answer = tactus("sweep " + in_quotes(file) + " --systems 2 -o " + in_quotes(folder));
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("odd\\xff-out"));
  const json manifest = json::parse(read_file(fs::path{folder} / "manifest.json"));
  EXPECT_THAT(manifest["command"].get<std::string>(), HasSubstr("odd\\xff.yaml"));
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
  const Answer file =
      tactus("sweep " + in_quotes(experiment_file("blocked-experiment")) + " -o " + in_quotes(blocked));
  EXPECT_EQ(file.status, 3);
  EXPECT_THAT(file.err, HasSubstr("cannot be made"));
}

TEST(SweepCommand, BadOptionsAreTold) {
  const std::string file = in_quotes(experiment_file("options"));
  for (const char* options :
       {"--threads 0", "--threads many", "--threads 2000", "--systems 0", "--restart=x 1"}) {
    EXPECT_EQ(
        tactus("sweep " + file + " " + options + " -o " + in_quotes(temporary_path("options-out"))).status, 2)
        << options;
  }
  EXPECT_FALSE(fs::exists(temporary_path("options-out")));
}

TEST(SweepCommand, ComparesPoliciesOnTheSameSystems) {
  const std::string file = write_temporary(
      "policies.yaml",
      "tactus-experiment: 1\n"
      "generator: {kind: gpu-jobs, periods: [10ms, 20ms, 40ms], block_share: 0.1}\n"
      "vary: [{parameter: utilisation, values: [0.5, 0.9]}, {parameter: tasks, values: [2, 4]}]\n"
      "policies:\n"
      "  - {policy: {strategy: single-stream, order: fp}, analyses: [np-fp]}\n"
      "  - {policy: {strategy: multi-stream, order: fp}, analyses: [ms-fp]}\n"
      "measures: [acceptance, weighted, bound-deadline, bound-observed]\n"
      "simulate: {for: 100ms}\n"
      "systems: 10\n");
  const std::string folder = temporary_path("policies-out");
  const std::string command = "sweep " + in_quotes(file) + " -o " + in_quotes(folder);
  const Answer answer = tactus(command);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out,
              AllOf(StartsWith("policies: systems accepted, in percent; 10 systems a point"),
                    HasSubstr("tasks 2:\nutilisation  np-fp (single-stream fp)  ms-fp (multi-stream fp)\n"),
                    HasSubstr("policies: weighted schedulability over all values of utilisation"),
                    HasSubstr("policies: mean bound / deadline, of the tasks of accepted systems\n"),
                    HasSubstr("; 100ms simulated\n")));
  EXPECT_THAT(read_file(fs::path{folder} / "weighted.csv"),
              StartsWith("tasks,analysis,policy,weighted\n2,np-fp,"));
  const json results = json::parse(tactus(command + " --json").out);
  EXPECT_EQ(results["points"].size(), 4U);
  EXPECT_EQ(results["points"][3]["second"], "4");
  EXPECT_EQ(results["points"][3]["analyses"][1]["policy"], "multi-stream fp");
  EXPECT_EQ(results["weighted"].size(), 2U);
}

}  // namespace
}  // namespace tactus::test
