// `tactus generate` as users meet it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/command.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

std::string in_quotes(const std::string& text) { return "'" + text + "'"; }

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
  const std::string file =
      in_quotes(write_temporary("shown.yaml",
                                "tactus-experiment: 1\n"
                                "generator: {kind: gpu-jobs, tasks: 3, periods: [10ms, 20ms]}\n"
                                "vary: {parameter: utilisation, values: [0.2, 0.6, 1]}\n"
                                "analyses: [np-edf]\nsystems: 40\n"));
  const Answer answer = tactus("generate " + file + " --point 0.6 --first 17");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("utilisation=0.6 17"));
  const Answer none = tactus("generate " + file);
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("utilisation: 0.2, 0.6, 1"));
  EXPECT_EQ(tactus("generate " + file + " --point 0.7").status, 2);
}

TEST(GenerateCommand, ShowsASystemUnderAPolicyOfAnExperiment) {
  const std::string file = write_temporary(
      "with-policies.yaml",
      "tactus-experiment: 1\n"
      "generator: {kind: gpu-jobs, periods: [10ms], block_share: 0.1}\n"
      "vary: [{parameter: utilisation, values: [0.2, 0.6]}, {parameter: tasks, values: [2, 4]}]\n"
      "policies:\n"
      "  - {policy: {strategy: multi-stream, order: fp}, analyses: [ms-fp]}\n"
      "  - {name: windows, policy: {strategy: sm-cores}, analyses: [window-blocks]}\n"
      "systems: 1\n");
  const std::string point = "generate " + file + " --point 0.6 --second 4";
  const Answer plain = tactus(point);
  EXPECT_EQ(plain.status, 0) << plain.err;
  EXPECT_THAT(plain.out, AllOf(HasSubstr("utilisation=0.6 tasks=4 0"), HasSubstr("strategy: single-stream")));
  const Answer other = tactus(point + " --policy 'multi-stream fp'");
  EXPECT_THAT(other.out, AllOf(HasSubstr("strategy: multi-stream"), HasSubstr("order: fp")));
  EXPECT_EQ(other.out.substr(other.out.find("tasks:")), plain.out.substr(plain.out.find("tasks:")));
  EXPECT_THAT(tactus(point + " --policy windows").out, HasSubstr("reservations:"));
  const Answer unknown = tactus(point + " --policy window");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err,
              AllOf(HasSubstr("no policy 'window'"), HasSubstr("policies: multi-stream fp, windows")));
  const Answer which = tactus("generate " + file + " --point 0.6");
  EXPECT_EQ(which.status, 2);
  EXPECT_THAT(which.err,
              AllOf(HasSubstr("--second must say which value of tasks"), HasSubstr("tasks: 2, 4")));
  EXPECT_EQ(tactus("generate gpu-jobs --policy windows").status, 2);
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
