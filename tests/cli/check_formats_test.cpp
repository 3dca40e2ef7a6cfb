// `check` for pipelines: folders, formats, summaries, bad files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/command.hpp"
#include "support/temporary_folder.hpp"
#include "support/xml.hpp"
#include "tactus/base/version.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* good =
    "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: a, period: 10ms, kernel: {grid: 1, block: 32, "
    "block_time: 1ms}}]\n";
constexpr const char* late =
    "tactus: 1\nplatform: jetson-tx2\ntasks:\n"
    "  - {name: a, arrival: once, deadline: 1ms, kernel: {grid: 1, block: 32, block_time: 2ms}}\n";
constexpr const char* bad =
    "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: a, perod: 10ms, exclusive: 5}]\n";

class CheckFolder : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const fs::path file = folder_.path() / path;
    fs::create_directories(file.parent_path());
    std::ofstream{file, std::ios::binary} << text;
  }
  [[nodiscard]] std::string path(const std::string& name = "") const {
    return (name.empty() ? folder_.path() : folder_.path() / name).string();
  }

 private:
  TemporaryFolder folder_;
};

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

TEST_F(CheckFolder, OneFileIsOneObjectThatNamesFileAndVersion) {
  write("good.yaml", good);
  const Answer answer = tactus("check " + path("good.yaml") + " --json");
  EXPECT_EQ(answer.status, 0);
  const json report = json::parse(answer.out);
  EXPECT_EQ(report["file"], path("good.yaml"));
  EXPECT_EQ(report["tactus_version"], version());
  EXPECT_EQ(report["system"], "good");
  EXPECT_EQ(report["verdict"], "schedulable");
  EXPECT_EQ(tactus("check " + path("good.yaml") + " --format json").out, answer.out);
}

TEST_F(CheckFolder, ABadFileHasALineWithItsProblems) {
  write("bad.yaml", bad);
  const Answer answer = tactus("check " + path("bad.yaml") + " --json");
  EXPECT_EQ(answer.status, 2);
  const json report = json::parse(answer.out);
  EXPECT_EQ(report["file"], path("bad.yaml"));
  EXPECT_FALSE(report.contains("verdict"));
  ASSERT_EQ(report["problems"].size(), 2U);
  EXPECT_EQ(report["problems"][0], (json{{"file", path("bad.yaml")},
                                         {"line", 3},
                                         {"column", 19},
                                         {"id", "unknown-key"},
                                         {"message", "unknown key `perod`"},
                                         {"hint", "did you mean `period`?"}}));
  EXPECT_EQ(report["problems"][1]["id"], "missing-unit");
  EXPECT_THAT(answer.err,
              HasSubstr("bad.yaml:3:19: error: unknown key `perod` [unknown-key]\n    3 | tasks: [{name: a, "
                        "perod: 10ms, exclusive: 5}]\n      |                   ^\n    did you mean"));
}

TEST_F(CheckFolder, SeveralFilesEndWithASummary) {
  write("a/good.yaml", good);
  write("a/deep/er/late.yml", late);
  write("b.yaml", bad);
  write("c/values.yaml", "jobs: {x: 1}\n");
  write("c/experiment.yaml", "tactus-experiment: 1\n");
  write("c/notes.txt", "tactus: 1\n");
  write(".hidden/bad.yaml", bad);
  write("c/.hidden.yaml", bad);
  const Answer answer = tactus("check " + path() + " --json");
  EXPECT_EQ(answer.status, 2);
  const std::vector<json> lines = lines_of(answer.out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0]["file"], path("a/deep/er/late.yml"));
  EXPECT_EQ(lines[1]["file"], path("a/good.yaml"));
  EXPECT_EQ(lines[2]["file"], path("b.yaml"));
  EXPECT_EQ(lines[3]["summary"], (json{{"files", 3},
                                       {"schedulable", 1},
                                       {"unschedulable", 1},
                                       {"unproven", 0},
                                       {"bad", 1},
                                       {"skipped", 2},
                                       {"status", 2}}));
  EXPECT_THAT(answer.err, AllOf(HasSubstr("note: " + path("c/values.yaml") + ": skipped"),
                                HasSubstr("c/experiment.yaml: skipped"), Not(HasSubstr("notes.txt")),
                                Not(HasSubstr("hidden"))));
  EXPECT_THAT(tactus("check " + path()).out,
              HasSubstr("\n3 files: 1 schedulable, 1 unschedulable, 1 with problems; 2 skipped.\n"));
}

TEST_F(CheckFolder, WhatIsSkippedInAFolderIsAnErrorWhenNamed) {
  write("values.yaml", "jobs: {x: 1}\n");
  EXPECT_EQ(tactus("check " + path("values.yaml")).status, 2);
  const Answer folder = tactus("check " + path());
  EXPECT_EQ(folder.status, 2);
  EXPECT_THAT(
      folder.err,
      HasSubstr("no system files (*.yaml, *.yml) and no models (*.amxmi) in this folder [no-system-files]"));
  EXPECT_THAT(
      json::parse(lines_of(tactus("check " + path() + " --json").out).front().dump())["problems"][0]["id"],
      "no-system-files");
}

TEST_F(CheckFolder, ASystemFileThatIsNotYamlIsNotSkipped) {
  write("broken.yaml", "tactus: 1\nplatform: [\n");
  const Answer answer = tactus("check " + path());
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("[bad-yaml]"));
}

TEST_F(CheckFolder, LinksToFoldersAreNotFollowedAndPipesNotRead) {
  write("a/good.yaml", good);
  fs::create_directory_symlink(path(), path("a/again"));
  fs::create_symlink(path("a/good.yaml"), path("a/link.yaml"));
  ASSERT_EQ(::mkfifo(path("a/pipe.yaml").c_str(), 0600), 0);
  const Answer answer = tactus("check " + path() + " --json");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(lines_of(answer.out).size(), 3U);
  fs::create_symlink(path("nowhere"), path("a/lost.yaml"));
  const Answer lost = tactus("check " + path());
  EXPECT_EQ(lost.status, 2);
  EXPECT_THAT(lost.err, HasSubstr("lost.yaml:1:1: error: no such file [unreadable-file]"));
}

TEST_F(CheckFolder, JunitIsWellFormedAndListsTheTasks) {
  write("a<&>.yaml", good);
  write("late.yaml", late);
  write("bad.yaml", bad);
  const Answer answer = tactus("check " + path() + " --format junit");
  EXPECT_EQ(answer.status, 2);
  const std::vector<XmlElement> elements = parse_xml(answer.out);
  std::vector<std::string> cases;
  std::string failure;
  std::string error;
  for (const XmlElement& element : elements) {
    if (element.name == "testcase") cases.push_back(element.attributes.at("name"));
    if (element.name == "failure") failure = element.text;
    if (element.name == "error") error = element.text;
  }
  EXPECT_THAT(cases, ElementsAre(path("a<&>.yaml"), path("bad.yaml"), path("late.yaml")));
  EXPECT_THAT(
      failure,
      HasSubstr("late.yaml:4:12: task 'a' is unschedulable: its bound of 2ms passes its deadline of 1ms"));
  EXPECT_THAT(error, AllOf(HasSubstr("[unknown-key]"), HasSubstr("[missing-unit]")));
}

TEST_F(CheckFolder, SarifNamesRulesAndPlaces) {
  write("late.yaml", late);
  write("bad.yaml", bad);
  const Answer answer = tactus_in(path(), "check . --format sarif");
  EXPECT_EQ(answer.status, 2);
  const json run = json::parse(answer.out)["runs"][0];
  ASSERT_EQ(run["results"].size(), 3U);
  EXPECT_EQ(run["results"][0]["ruleId"], "unknown-key");
  EXPECT_EQ(run["results"][2]["ruleId"], "unschedulable");
  const json& place = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["region"]["startLine"], 3);
  EXPECT_EQ(place["artifactLocation"]["uri"], "bad.yaml");
}

TEST_F(CheckFolder, GithubGetsWorkflowCommands) {
  write("late.yaml", late);
  const Answer answer = tactus_in(path(), "check late.yaml --format github");
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out,
              StartsWith("::error file=late.yaml,line=4,col=12,title=unschedulable::task 'a' is "
                         "unschedulable: its bound of 2ms passes its deadline of 1ms%0Ablock-rta: "));
  EXPECT_EQ(std::count(answer.out.begin(), answer.out.end(), '\n'), 1);
}

TEST_F(CheckFolder, AFormatThatIsNotKnownIsRefusedWithTheNearest) {
  write("good.yaml", good);
  const Answer answer = tactus("check " + path("good.yaml") + " --format sarf");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("did you mean `sarif`?"));
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_EQ(tactus("check " + path("good.yaml") + " --json --format sarif").status, 2);
}

TEST_F(CheckFolder, NamesThatAreNotUtf8DoNotBreakTheJson) {
  write("caf\xe9.yaml", late);
  for (const char* format : {"json", "sarif"}) {
    const Answer answer = tactus("check " + path() + " --format " + format);
    EXPECT_EQ(answer.status, 1) << format << answer.err;
    const bool by_line = std::string{format} == "json";
    EXPECT_TRUE(json::accept(by_line ? answer.out.substr(0, answer.out.find('\n')) : answer.out)) << format;
  }
  EXPECT_NO_THROW(parse_xml(tactus("check " + path() + " --format junit").out));
}

}  // namespace
}  // namespace tactus::test
