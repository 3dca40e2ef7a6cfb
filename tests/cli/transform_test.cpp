// `tactus transform` as users meet it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/command.hpp"
#include "tactus/base/file.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string cameras = "transform examples/graphs/cameras.yaml ";

TEST(TransformCommand, PrintsASystemThatCheckReads) {
  const Answer answer = tactus(cameras + "--to coarse");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.err, IsEmpty());
  EXPECT_THAT(answer.out,
              AllOf(StartsWith("# cameras, every node one piece of CPU work"),
                    HasSubstr("# camera1  pyramid"), HasSubstr("\ntactus: 1\nname: cameras-coarse\n")));
  const ReadResult read = read_system(answer.out, "out.yaml");
  ASSERT_TRUE(read.system);
  EXPECT_EQ(read.system->tasks[0].work.nodes.size(), 4U);
}

TEST(TransformCommand, WritesFilesThatCompare) {
  for (const auto& [to, verdict] :
       {std::pair{"monolithic", 1}, std::pair{"coarse", 1}, std::pair{"fine", 0}}) {
    const std::string file = temporary_path(std::string{to} + ".yaml");
    const Answer answer = tactus(cameras + "--to " + to + " -o " + file);
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("system file: "));
    EXPECT_EQ(tactus("check " + file).status, verdict) << to;
  }
}

/// A kernel of 5 ms behind three others of the same length.
TEST(TransformCommand, SaysWhatTheTimesConsistOf) {
  const Answer text = tactus(cameras + "--to monolithic -o " + temporary_path("frame.yaml"));
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("waiting for others"), HasSubstr("8ms to 16ms"), HasSubstr("15ms to 56ms")));
  const Answer answer = tactus(cameras + "--to monolithic --json");
  EXPECT_EQ(answer.status, 0) << answer.err;
  const nlohmann::json report = nlohmann::json::parse(answer.out);
  EXPECT_EQ(report["system"], "cameras-monolithic");
  EXPECT_EQ(report["to"], "monolithic");
  EXPECT_EQ(report["nodes"].size(), 6U);
  EXPECT_EQ(report["nodes"][0]["node"], "frame");
  EXPECT_EQ(report["nodes"][0]["gpu_ns"], (nlohmann::json{7'000'000, 10'000'000}));
  EXPECT_EQ(report["nodes"][0]["waiting_ns"], 30'000'000);
  EXPECT_EQ(report["nodes"][0]["time_ns"], (nlohmann::json{15'000'000, 56'000'000}));
}

TEST(TransformCommand, ChangesTheFileBefore) {
  const Answer answer = tactus(cameras + "--to monolithic --json --set platform.cpus=1");
  EXPECT_EQ(nlohmann::json::parse(answer.out)["nodes"][0]["waiting_ns"], 0);
}

TEST(TransformCommand, RefusesWhatItCannotBound) {
  const Answer exclusive = tactus("transform examples/sharing/robot.yaml --to coarse --strategy graph");
  EXPECT_EQ(exclusive.status, 2);
  EXPECT_THAT(exclusive.err, HasSubstr("`exclusive` work"));
  EXPECT_THAT(exclusive.out, IsEmpty());
  const Answer levels = tactus(cameras + "--to coarse --strategy multi-stream");
  EXPECT_EQ(levels.status, 2);
  EXPECT_THAT(levels.err, AllOf(HasSubstr("under the strategy multi-stream"), HasSubstr("`graph`")));
  const Answer word = tactus(cameras + "--to corse");
  EXPECT_EQ(word.status, 2);
  EXPECT_THAT(word.err, HasSubstr("coarse"));
  EXPECT_EQ(tactus(cameras + "--to coarse --json -o -").status, 2);
}

}  // namespace
}  // namespace tactus::test
