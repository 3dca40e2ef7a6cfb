// Standard streams that cannot be written, and text that must not reach a terminal as it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/command.hpp"
#include "support/source_folder.hpp"
#include "support/temporary_folder.hpp"
#include "tactus/base/file.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class OutputTest : public testing::Test {
 protected:
  [[nodiscard]] std::string in_folder(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  static int status_of(const std::string& line) { return in_shell(line).status; }

  TemporaryFolder folder_;
};

TEST_F(OutputTest, AMessageThatIsLostIsAFailure) {
  for (const char* away : {"2>/dev/full", "2>&-"}) {
    const std::string to = away;
    EXPECT_EQ(status_of("$TACTUS check examples/broken.yaml " + to), 3) << to;
    EXPECT_EQ(status_of("$TACTUS nonsense " + to), 3) << to;
    EXPECT_EQ(status_of("$TACTUS " + to), 3) << to;
    const Answer sim = in_shell("$TACTUS sim examples/first.yaml --trace " + in_folder("t.json") + " " + to);
    EXPECT_EQ(sim.status, 3) << to;
    EXPECT_THAT(sim.out, HasSubstr("No deadline missed.")) << to;
    // Where nothing was to be said nothing is lost.
    EXPECT_EQ(status_of("$TACTUS check examples/first.yaml " + to), 0) << to;
  }
}

TEST_F(OutputTest, AResultThatIsLostIsAFailure) {
  const std::string trace = in_folder("t.json");
  for (const std::string& command :
       {std::string{"check examples/first.yaml"}, "sim examples/first.yaml --trace " + trace,
        std::string{"sim examples/first.yaml --json --jobs"},
        "plan examples/sharing/to-plan.yaml -o " + in_folder("planned.yaml"),
        "run examples/first.yaml --device host --for 10ms --trace " + trace, std::string{"analyses"},
        std::string{"platforms"}, std::string{"--help"}, std::string{"--version"},
        std::string{"generate --list"}, std::string{"falsify --analysis np-edf --systems 2 --schedules 2"}}) {
    for (const char* away : {" >/dev/full", " >&-"}) {
      const Answer answer = in_shell("$TACTUS " + command + away);
      EXPECT_EQ(answer.status, 3) << command << away;
      EXPECT_THAT(answer.err, HasSubstr("standard output cannot be written: ")) << command << away;
    }
  }
  EXPECT_EQ(status_of("$TACTUS check examples/first.yaml >/dev/full 2>/dev/full"), 3);
  EXPECT_EQ(status_of("$TACTUS check examples/first.yaml >&- 2>&-"), 3);
}

/// The first file that is opened would otherwise get the number of the closed stream, and its text.
TEST_F(OutputTest, AClosedStreamDoesNotEndUpInAFile) {
  const std::string trace = in_folder("t.json");
  EXPECT_EQ(status_of("$TACTUS sim examples/first.yaml --trace " + trace + " >&- 2>&- <&-"), 3);
  std::ifstream stream{trace};
  EXPECT_TRUE(nlohmann::json::accept(stream));
}

TEST_F(OutputTest, AReaderThatHasEnoughIsNotTold) {
  for (const char* command : {"analyses", "sim examples/first.yaml --for 100s --json --jobs --blocks"}) {
    const Answer answer =
        in_shell("{ sleep 1; $TACTUS " + std::string{command} + "; echo $? >'" + in_folder("status") +
                 "'; } | head -c " + (std::string{command} == "analyses" ? "0" : "100000"));
    EXPECT_EQ(answer.err, "") << command;
    std::ifstream stream{in_folder("status")};
    int status = -1;
    stream >> status;
    EXPECT_EQ(status, 3) << command;
  }
}

constexpr const char* evil = "\x1b]0;title\x07\x1b[31m\xe2\x80\xae";

TEST_F(OutputTest, PathsReachTheTerminalEscaped) {
  const std::string name = in_folder(std::string{evil} + ".yaml");
  const auto is_clean = AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\x07")), Not(HasSubstr("\xe2\x80\xae")));
  const Answer missing = in_shell("$TACTUS check '" + name + "'");
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, AllOf(is_clean, HasSubstr("\\x1b[31m\\u202e.yaml:1:1: error: no such file")));
  std::ofstream{name} << "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: \"a\\u202Eb\", period: 10ms, "
                         "exclusive: 3ms}]\n";
  for (const std::string& command :
       {"check '" + name + "'", "sim '" + name + "' --jobs", "sim '" + name + "' --picture --json --jobs",
        "sim '" + name + "' --trace '" + in_folder(std::string{evil} + ".json") + "'",
        "check '" + name + "' '" + evil + "'", "'" + std::string{evil} + "'",
        "check --" + std::string{"'"} + evil + "'", "generate '" + std::string{evil} + "'",
        "plan '" + name + "' -o '" + in_folder(std::string{evil} + "/none/x") + "'"}) {
    const Answer answer = in_shell("$TACTUS " + command);
    EXPECT_THAT(answer.out, is_clean) << command;
    EXPECT_THAT(answer.err, is_clean) << command;
  }
}

TEST_F(OutputTest, JsonKeepsWhatWasEscaped) {
  const std::string name = in_folder("direction.yaml");
  std::ofstream{name} << "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: \"a\\u202Eb\", period: 10ms, "
                         "exclusive: 3ms}]\n";
  const Answer answer = in_shell("$TACTUS sim '" + name + "' --json --jobs");
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json["tasks"][0]["name"], "a\u202eb");
  EXPECT_EQ(json["jobs"][0]["task"], "a\u202eb");
  EXPECT_THAT(answer.out, Not(HasSubstr("\u202e")));
}

TEST_F(OutputTest, NamesThatAreNotUtf8AreShownEscaped) {
  const std::string folder = in_folder("odd");
  fs::create_directory(folder);
  std::ofstream{folder + "/bad\xff.yaml"}
      << "tactus: 1\nplatform: jetson-tx2\ntasks: [{name: a, period: 10ms, "
         "exclusive: 3ms}]\n";
  const Answer all = in_shell("$TACTUS check --json '" + folder + "'");
  EXPECT_LE(all.status, 1) << all.err;
  const nlohmann::json line = nlohmann::json::parse(all.out.substr(0, all.out.find('\n')));
  EXPECT_EQ(line["system"], "bad\\xff");
  EXPECT_EQ(line["file"], folder + "/bad\\xff.yaml");
  const Answer broken = in_shell("$TACTUS falsify --analysis np-edf-as-published --json -o '" +
                                 in_folder("found\xff.yaml") + "'");
  EXPECT_EQ(broken.status, 1) << broken.err;
  EXPECT_EQ(nlohmann::json::parse(broken.out)["file"], in_folder("found\\xff.yaml"));
  EXPECT_TRUE(fs::exists(in_folder("found\xff.yaml")));
}

TEST_F(OutputTest, WhatIsReadIsNeverReplaced) {
  const std::string system = in_folder("mine.yaml");
  const std::string chains = in_folder("chains.yaml");
  const std::string model = in_folder("model.amxmi");
  fs::copy(in_repository("examples/first.yaml"), system);
  fs::copy(in_repository("examples/amalthea/camera.amxmi"), model);
  std::ofstream{chains} << "chains: [{name: c, tasks: [camera, control]}]\n";
  fs::create_symlink(system, in_folder("link.svg"));
  fs::create_hard_link(system, in_folder("hard.svg"));
  const std::string before = read_file(system);
  for (const std::string words :
       {"sim mine.yaml --timeline mine.yaml", "sim mine.yaml --trace ./mine.yaml",
        "sim mine.yaml --timeline link.svg", "sim link.svg --trace mine.yaml",
        "sim mine.yaml --timeline hard.svg", "sim mine.yaml --chains chains.yaml --trace chains.yaml",
        "sim - --trace mine.yaml <mine.yaml", "run mine.yaml --device host --trace mine.yaml",
        "plan mine.yaml -o mine.yaml", "plan model.amxmi -o model.amxmi", "plan . -o model.amxmi",
        "transform mine.yaml --to coarse -o mine.yaml",
        "import model.amxmi --chains chains.yaml -o chains.yaml", "generate mine.yaml -o mine.yaml"}) {
    const Answer answer = in_shell("cd " + folder_.path().string() + " && $TACTUS " + words);
    EXPECT_EQ(answer.status, 2) << words << answer.err;
    EXPECT_THAT(answer.err, HasSubstr(" would replace what is read")) << words;
  }
  EXPECT_EQ(read_file(system), before);
  EXPECT_EQ(read_file(model), read_file(in_repository("examples/amalthea/camera.amxmi")));
  EXPECT_EQ(tactus_in(folder_.path().string(), "sim mine.yaml --timeline other.svg").status, 0);
}

}  // namespace
}  // namespace tactus::test
