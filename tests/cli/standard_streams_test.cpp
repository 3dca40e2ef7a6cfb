// `-` is standard input and standard output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/command.hpp"
#include "support/source_folder.hpp"
#include "tactus/base/file.hpp"

namespace tactus::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string example(const std::string& path) { return read_file(in_repository("examples/" + path)); }

TEST(StandardInput, IsASystemFileForEveryVerbThatReadsOne) {
  const std::string first = example("first.yaml");
  EXPECT_EQ(tactus_fed(first, "check -").out, tactus("check examples/first.yaml").out);
  EXPECT_EQ(tactus_fed(first, "sim -").out, tactus("sim examples/first.yaml").out);
  EXPECT_EQ(tactus_fed(example("federated/robot.yaml"), "plan -").out,
            tactus("plan examples/federated/robot.yaml").out);
  EXPECT_EQ(tactus_fed(first, "run - --device host --for 1ms").status / 2, 0);
}

TEST(StandardInput, IsCalledStdin) {
  const Answer bad = tactus_fed("tactus: 1\nplatform: x\n", "check - --json");
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err, HasSubstr("stdin:2:11: error: "));
  EXPECT_EQ(json::parse(bad.out)["file"], "stdin");
  const Answer good = tactus_fed(
      "{tactus: 1, platform: h200, tasks: [{name: a, period: 1ms, kernel: {grid: 1, block: 32, block_time: "
      "1us}}]}",
      "check -");
  EXPECT_THAT(good.out, StartsWith("stdin: schedulable"));
}

TEST(StandardInput, CanBeReadOnce) {
  const Answer answer = tactus_fed(example("first.yaml"), "check - -");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("standard input was read before"));
}

TEST(StandardInput, MayBeAnExperiment) {
  const std::string experiment = read_file(in_repository("experiments/pruda-figure-6.yaml"));
  const Answer answer = tactus_fed(experiment, "generate - --point 0.3");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(answer.out, tactus("generate experiments/pruda-figure-6.yaml --point 0.3").out);
  EXPECT_EQ(tactus_fed(answer.out, "sim -").status / 2, 0);
  const Answer wrong = tactus_fed(experiment, "check -");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("this is an experiment, not a system file [wrong-file]"));
}

TEST(StandardOutput, TakesWhatGenerateMakes) {
  const std::string arguments = "generate experiments/pruda-figure-6.yaml --point 0.3";
  EXPECT_EQ(tactus(arguments + " -o -").out, tactus(arguments).out);
  EXPECT_EQ(tactus(arguments + " --count 2 -o -").status, 2);
}

TEST(StandardOutput, TakesABrokenSystem) {
  const Answer answer = tactus("falsify --analysis np-edf-as-published -o -");
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.err, HasSubstr("BROKEN: np-edf-as-published"));
  EXPECT_THAT(answer.out, HasSubstr("tactus: 1"));
  const Answer replayed = tactus_fed(answer.out, "sim -");
  EXPECT_LE(replayed.status, 1) << replayed.err;
}

TEST(StandardOutput, TakesAPlanAndTheTableMovesAside) {
  const std::string file = temporary_path("planned-by-file.yaml");
  ASSERT_EQ(tactus("plan examples/federated/robot.yaml -o " + file).status, 0);
  const Answer answer = tactus("plan examples/federated/robot.yaml -o -");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.out, read_file(file));
  EXPECT_THAT(answer.err, HasSubstr("robot: found"));
  EXPECT_EQ(tactus_fed(answer.out, "check -").status, 0);
}

TEST(StandardOutput, TakesAPicture) {
  const std::string file = temporary_path("by-file.svg");
  ASSERT_EQ(tactus("sim examples/first.yaml --timeline " + file).status, 0);
  const Answer answer = tactus("sim examples/first.yaml --timeline -");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.out, read_file(file));
  EXPECT_THAT(answer.err, AllOf(HasSubstr("No deadline missed."), Not(HasSubstr("timeline: -"))));
}

TEST(StandardOutput, TakesATrace) {
  const std::string file = temporary_path("by-file.json");
  ASSERT_EQ(tactus("sim examples/first.yaml --trace " + file).status, 0);
  const std::string folder = temporary_path("tmp");
  std::filesystem::create_directory(folder);
  const Answer answer = tactus_where("TMPDIR=" + folder, "sim examples/first.yaml --trace -");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.out, read_file(file));
  EXPECT_THAT(answer.err, HasSubstr("No deadline missed."));
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "a temporary file was left behind";
}

TEST(StandardOutput, TakesATraceAsItIs) {
  // Longer than any buffer, and hardly a byte that is a character of its own.
  const std::string file = write_temporary("names.yaml", R"(
tactus: 1
platform: jetson-tx2
tasks:
  - {name: 漢字漢字漢字é, period: 1ms, kernel: {grid: 1, block: 32, block_time: 10us}}
)");
  const std::string trace = temporary_path("names.json");
  ASSERT_EQ(tactus("sim " + file + " --for 1s --trace " + trace).status, 0);
  const std::string written = read_file(trace);
  ASSERT_GT(written.size(), 200'000U);
  EXPECT_TRUE(tactus("sim " + file + " --for 1s --trace -").out == written);
}

TEST(StandardOutput, IsNotGivenToTwo) {
  for (const char* arguments :
       {"sim examples/first.yaml --trace - --timeline -", "sim examples/first.yaml --trace - --json",
        "run examples/first.yaml --device host --for 1ms --timeline - --json",
        "plan examples/federated/robot.yaml -o - --json"}) {
    const Answer answer = tactus(arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_THAT(answer.err, HasSubstr("both write to standard output")) << arguments;
    EXPECT_THAT(answer.out, IsEmpty()) << arguments;
  }
}

TEST(StandardOutput, NoFileOfThatNameIsWritten) { EXPECT_FALSE(std::filesystem::exists(in_repository("-"))); }

}  // namespace
}  // namespace tactus::test
