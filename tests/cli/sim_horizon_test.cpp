// How long `tactus sim` simulates when nobody says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/command.hpp"
#include "support/temporary_folder.hpp"

namespace tactus::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string file_with(const TemporaryFolder& folder, const std::string& first, const std::string& second) {
  const std::string path = (folder.path() / "two.yaml").string();
  std::ofstream{path} << "tactus: 1\nplatform: jetson-tx2\npolicy: {strategy: single-stream}\ntasks:\n"
                      << "  - {name: a, " << first << ", exclusive: 1ms}\n"
                      << "  - {name: b, " << second << ", exclusive: 1ms}\n";
  return path;
}

TEST(SimHorizon, OfRatesThatDoNotDivideIsTwoCycles) {
  const TemporaryFolder folder;
  for (const char* other : {"rate: 60Hz", "rate: 200Hz", "rate: 10Hz"}) {
    const Answer answer = tactus("sim --json " + file_with(folder, "rate: 30Hz", other));
    EXPECT_EQ(answer.status, 0) << other << answer.err;
    const nlohmann::json report = nlohmann::json::parse(answer.out);
    EXPECT_EQ(report["horizon_from"], "rates") << other;
    EXPECT_LE(report["horizon_ns"], 200'000'000) << other;
    EXPECT_THAT(tactus("sim " + (folder.path() / "two.yaml").string()).out,
                HasSubstr("were simulated, two cycles of the rates; `--for` asks for more."));
  }
}

TEST(SimHorizon, ThatIsAFallbackIsSaidWithTheWayOut) {
  const TemporaryFolder folder;
  const std::string file = file_with(folder, "period: 33333331ns", "period: 16666669ns");
  const Answer answer = tactus("sim " + file);
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("so 10s were simulated; `--for` asks for more."));
  EXPECT_EQ(nlohmann::json::parse(tactus("sim --json " + file).out)["horizon_from"], "fallback");
  const Answer asked = tactus("sim --for 1s " + file);
  EXPECT_THAT(asked.out, Not(HasSubstr("were simulated")));
  EXPECT_EQ(nlohmann::json::parse(tactus("sim --json --for 1s " + file).out)["horizon_from"], "asked");
}

TEST(SimHorizon, OfPeriodsThatDivideIsTwoHyperperiods) {
  const TemporaryFolder folder;
  const Answer answer = tactus("sim --json " + file_with(folder, "period: 10ms", "period: 15ms"));
  EXPECT_EQ(nlohmann::json::parse(answer.out)["horizon_from"], "hyperperiods");
  EXPECT_EQ(nlohmann::json::parse(answer.out)["horizon_ns"], 60'000'000);
  EXPECT_THAT(tactus("sim " + (folder.path() / "two.yaml").string()).out, Not(HasSubstr("were simulated")));
}

}  // namespace
}  // namespace tactus::test
