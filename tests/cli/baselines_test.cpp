// The baselines on the command line: named they answer, with or without virtual SMs, and decide nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace tactus::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const char* const chains = R"(
tactus: 1
platform: {cpus: 1, gpu: {sms: 4, threads_per_sm: 1024, blocks_per_sm: 16, registers_per_sm: 65536, warp: 32,
                          shared_memory_per_sm: 64KiB, virtual_sms_per_sm: 2}}
policy: {strategy: federated, order: fp@}
tasks:
  - {name: lidar, period: 20ms, segments: [{cpu: 1ms}, {copy: 1ms}, {gpu: {work: 8ms}}, {copy: 1ms}, {cpu: 1ms}]}
  - {name: map, period: 40ms, segments: [{cpu: 2ms}, {copy: 1ms}, {gpu: {work: 8ms}}, {copy: 2ms}]}
)";

std::string chains_file(const std::string& name, const std::string& more_policy) {
  std::string text = chains;
  text.replace(text.find('@'), 1, more_policy);
  return write_temporary(name, text);
}

TEST(BaselinesCommand, TheVerdictIgnoresThem) {
  const std::string file = chains_file("given.yaml", ", virtual_sms: {lidar: 4, map: 4}");
  const Answer answer = tactus("check " + file + " --analysis stgm,mpcp,self-suspension --json");
  EXPECT_EQ(answer.status, 1) << answer.err;
  const json report = json::parse(answer.out);
  EXPECT_EQ(report["verdict"], "unproven");
  ASSERT_EQ(report["analyses"].size(), 3U);
  for (const json& analysis : report["analyses"]) {
    EXPECT_EQ(analysis["verdict"], "schedulable") << analysis["reason"];
    EXPECT_EQ(analysis["sound"], true);
    EXPECT_TRUE(analysis["run_time_model"].is_string());
  }
  // 2 + 2 + 8/4 and the other's copies.
  EXPECT_EQ(report["analyses"][0]["tasks"][0]["bound_ns"], 9'000'000);
  EXPECT_EQ(report["analyses"][0]["detail"]["virtual_sms"], (json{{"lidar", 4}, {"map", 4}}));
  const Answer text = tactus("check " + file + " --analysis stgm");
  EXPECT_THAT(text.out, HasSubstr("stgm (sufficient, only if jobs wait"));
  const json usual = json::parse(tactus("check " + file + " --json").out);
  for (const json& analysis : usual["analyses"]) EXPECT_FALSE(analysis.contains("run_time_model"));
}

TEST(BaselinesCommand, TheySearchVirtualSmsWhereTheFileGivesNone) {
  const std::string file = chains_file("open.yaml", "");
  for (const char* ids : {"stgm", "mpcp", "self-suspension", "stgm,self-suspension,mpcp"}) {
    const Answer answer = tactus("check " + file + " --json --analysis " + ids);
    EXPECT_EQ(answer.status, 1) << answer.err;
    EXPECT_EQ(json::parse(answer.out)["analyses"][0]["verdict"], "schedulable");
  }
  // 8/2 on one SM holds, so the first split is one SM each.
  const json report = json::parse(tactus("check " + file + " --json --analysis stgm").out);
  EXPECT_EQ(report["analyses"][0]["detail"]["virtual_sms"], (json{{"lidar", 2}, {"map", 2}}));
  for (const char* arguments : {"", " --analysis np-edf", " --analysis stgm,np-edf"}) {
    const Answer answer = tactus("check " + file + arguments);
    EXPECT_EQ(answer.status, 2) << arguments;
    EXPECT_THAT(answer.err, HasSubstr("needs `virtual_sms`"));
  }
  EXPECT_EQ(tactus("sim " + file).status, 2);
}

TEST(BaselinesCommand, OtherStrategiesStillNeedTheirParameters) {
  const std::string file = write_temporary("windows.yaml", R"(
tactus: 1
platform: jetson-tx2
policy: {strategy: sm-cores}
tasks:
  - {name: a, period: 10ms, exclusive: 1ms}
)");
  const Answer answer = tactus("check " + file + " --analysis stgm");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("reservations"));
}

TEST(BaselinesCommand, NothingAttacksThem) {
  const Answer answer = tactus("falsify --analysis mpcp");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("cannot be attacked"));
  EXPECT_THAT(tactus("analyses").out, HasSubstr("sufficient, sound, if the whole GPU"));
}

}  // namespace
}  // namespace tactus::test
