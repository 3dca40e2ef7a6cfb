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
