#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/effort.hpp"

namespace tactus::test {
namespace {

using testing::HasSubstr;

TEST(FalsifyCommand, ReportsACampaignThatBreaksNothing) {
  const Answer answer = tactus("falsify --analysis np-edf --systems 20 --seed 4");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("systems accepted              20\n"));
  EXPECT_THAT(answer.out, HasSubstr("schedules                  1,000\n"));
  EXPECT_THAT(answer.out, HasSubstr("closest"));
  EXPECT_THAT(answer.out, HasSubstr("Nothing was broken.\n"));
}

TEST(FalsifyCommand, WritesABrokenSystemThatSimReplays) {
  const std::string file = temporary_path("broken.yaml");
  const Answer answer = tactus("falsify --analysis ms-edf-as-published -o " + file);
  EXPECT_EQ(answer.status, 1);
  EXPECT_THAT(answer.out, HasSubstr("BROKEN: ms-edf-as-published says "));
  EXPECT_THAT(answer.out, HasSubstr(file + " replays it"));
  // The test that was broken still accepts it; the schedule misses.
  EXPECT_EQ(tactus("sim " + file).status, 1);
  const Answer checked = tactus("check " + file + " --analysis ms-edf-as-published --json");
  EXPECT_THAT(checked.out, HasSubstr(R"("verdict":"schedulable")"));
  std::filesystem::remove(file);
}

TEST(FalsifyCommand, SpeaksJson) {
  const Answer answer = tactus("falsify --analysis window-sbf --systems 5 --schedules 10 --seed 2 --json");
  EXPECT_EQ(answer.status, 0);
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json["analysis"], "window-sbf");
  EXPECT_EQ(json["systems_attacked"], 5);
  EXPECT_EQ(json["schedules"], 50);
  EXPECT_EQ(json["broken"], false);
  EXPECT_GT(json["closest"]["observed_ns"], 0);
}

TEST(FalsifyCommand, ConfirmsRejections) {
  const Answer answer = tactus("falsify --analysis window-sbf --rejected --schedules 2000 --json --systems " +
                               std::to_string(tries(20)));
  EXPECT_EQ(answer.status, 0) << answer.out;
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json["confirmed"].get<int>() + json["too_close"].get<int>(), tries(20));
  EXPECT_EQ(tactus("falsify --analysis window-necessary --systems 20").status, 0);
}

TEST(FalsifyCommand, RefusesWhatItCannotAttack) {
  const Answer unknown = tactus("falsify --analysis np-edv");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'np-edf'?"));
  EXPECT_EQ(tactus("falsify").status, 2);
}

}  // namespace
}  // namespace tactus::test
