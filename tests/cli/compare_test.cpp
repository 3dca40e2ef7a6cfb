// tactus compare, and one-off changes and hints, as users meet them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/command.hpp"

namespace tactus::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string one_stream = "examples/sharing/one-stream.yaml";

std::string overloaded() {
  return write_temporary("overloaded.yaml", R"(
tactus: 1
platform: {gpu: {sms: 1}}
policy: {strategy: single-stream}
tasks:
  - {name: heavy, period: 10ms, exclusive: 8ms}
  - {name: light, period: 10ms, exclusive: 3ms}
)");
}

TEST(CompareCommand, ATableWithEveryStrategy) {
  const Answer answer = tactus("compare " + one_stream);
  EXPECT_EQ(answer.status, 0) << answer.err;
  for (const char* word : {"as-submitted", "single-stream *", "multi-stream", "sm-cores", "federated",
                           "bound/D", "seen/D", "Why not:"}) {
    EXPECT_THAT(answer.out, HasSubstr(word));
  }
}

TEST(CompareCommand, NoneThatHoldsIsANo) {
  const Answer answer = tactus("compare " + overloaded());
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("0 of 8 hold"));
}

TEST(CompareCommand, JsonIsOneLineWithARowAStrategy) {
  const Answer answer = tactus("compare " + one_stream + " --json --strategy multi-stream,federated");
  EXPECT_EQ(answer.out.find('\n'), answer.out.size() - 1);
  const json comparison = json::parse(answer.out);
  ASSERT_EQ(comparison["strategies"].size(), 3U);
  EXPECT_EQ(comparison["strategies"][0]["strategy"], "multi-stream");
  EXPECT_EQ(comparison["strategies"][0]["order"], "edf");
  EXPECT_EQ(comparison["strategies"][0]["verdict"], "schedulable");
  EXPECT_EQ(comparison["strategies"][0]["analysis"], "ms-edf");
  EXPECT_EQ(comparison["strategies"][0]["tasks"][0]["deadline_only"], true);
  EXPECT_EQ(comparison["strategies"][0]["simulated_misses"], 0);
}

TEST(CompareCommand, WhatItClaimsCheckConfirms) {
  const json comparison = json::parse(tactus("compare " + one_stream + " --json --no-sim").out);
  for (const json& way : comparison["strategies"]) {
    if (way["verdict"] != "schedulable" || way["any_core"] == true || way["plan"].contains("reservations"))
      continue;
    const std::string order = way["order"].is_null() ? "" : " --order " + way["order"].get<std::string>();
    const Answer check =
        tactus("plan " + one_stream + " --strategy " + way["strategy"].get<std::string>() + order);
    EXPECT_EQ(check.status, 0) << check.out;
  }
}

TEST(CompareCommand, UnknownStrategiesAreTold) {
  const Answer answer = tactus("compare " + one_stream + " --strategy multistream");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("'multistream'"), HasSubstr("did you mean 'multi-stream'?")));
}

TEST(OneOffChanges, ReachEveryVerb) {
  EXPECT_EQ(tactus("check " + one_stream).status, 1);
  EXPECT_EQ(tactus("check " + one_stream + " --strategy multi-stream").status, 0);
  EXPECT_EQ(tactus("check " + one_stream +
                   " --set tasks.controller.period=40ms --set tasks.controller.deadline=20ms")
                .status,
            0);
  EXPECT_THAT(tactus("sim " + one_stream + " --strategy multi-stream").out, HasSubstr("multi-stream"));
  EXPECT_EQ(tactus("plan " + one_stream +
                   " --order fp --set tasks.controller.period=40ms --set tasks.controller.deadline=20ms")
                .status,
            0);
  const Answer run =
      tactus("run " + one_stream + " --set policy.levels=99 --strategy multi-stream --device host --for 1ms");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--set policy.levels=99: error: "));
}

TEST(Hints, FollowANoAndAreCommandsThatHold) {
  const Answer answer = tactus("check " + one_stream);
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("What would help, each tried:"));
  std::size_t commands = 0;
  for (std::size_t at = answer.out.find("\n  tactus "); at != std::string::npos;
       at = answer.out.find("\n  tactus ", at + 1)) {
    const std::size_t begin = at + std::string{"\n  tactus "}.size();
    const std::string command = answer.out.substr(begin, answer.out.find(": holds by", begin) - begin);
    EXPECT_EQ(tactus(command).status, 0) << command;
    ++commands;
  }
  EXPECT_GE(commands, 2U);
}

TEST(Hints, AreAListInJsonAndCanBeLeftOut) {
  const json with = json::parse(tactus("check " + one_stream + " --json").out);
  ASSERT_TRUE(with.contains("hints"));
  EXPECT_EQ(with["hints"][0]["kind"], "nearest");
  EXPECT_FALSE(json::parse(tactus("check " + one_stream + " --json --no-hints").out).contains("hints"));
  EXPECT_FALSE(json::parse(tactus("check examples/first.yaml --json").out).contains("hints"));
}

TEST(Hints, APlanThatFindsNothingNamesStrategiesThatHold) {
  const Answer answer = tactus("plan " + one_stream);
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr(one_stream + " --strategy multi-stream --order edf: holds by ms-edf"));
  EXPECT_THAT(tactus("plan " + overloaded()).out, HasSubstr("No other strategy makes it hold."));
}

TEST(CheckText, ListsOnlyWhatIsAboutTheStrategy) {
  const std::string text = tactus("check " + one_stream + " --no-hints").out;
  EXPECT_THAT(
      text, AllOf(HasSubstr("np-edf (sufficient)"), Not(HasSubstr("block-rta")), Not(HasSubstr("(exact)"))));
  EXPECT_THAT(tactus("check " + one_stream + " --no-hints --verbose").out,
              HasSubstr("block-rta does not apply"));
}

TEST(CheckText, DeadlineTestsSayHoldsInsteadOfNoSlack) {
  const std::string text = tactus("check examples/sharing/several-streams.yaml").out;
  EXPECT_THAT(text, AllOf(HasSubstr("holds"), Not(HasSubstr("  0ns"))));
  EXPECT_THAT(tactus("plan examples/sharing/to-plan.yaml").out, Not(HasSubstr("  0ns")));
}

}  // namespace
}  // namespace tactus::test
