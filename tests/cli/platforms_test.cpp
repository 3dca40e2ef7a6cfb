// tactus platforms: what it shows can be pasted, and near names are suggested.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/command.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/presets.hpp"

namespace tactus::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(Platforms, OneInFullIsReadyForASystemFile) {
  for (const Preset& preset : presets()) {
    const Answer answer = tactus("platforms " + std::string{preset.name});
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.out, HasSubstr("# Source: "));
    const std::string text =
        "tactus: 1\n" + answer.out + "tasks: [{name: task, period: 1s, exclusive: 1ms}]\n";
    const ReadResult read = read_system(text, "pasted.yaml");
    ASSERT_TRUE(read.system) << text;
    Platform expected = preset.platform;
    expected.preset = "";
    EXPECT_EQ(read.system->platform, expected) << text;
  }
}

TEST(Platforms, OneInFullFitsATerminal) {
  for (const Preset& preset : presets()) {
    std::istringstream lines{tactus("platforms " + std::string{preset.name}).out};
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(Platforms, GuessesAreMarked) {
  EXPECT_THAT(tactus("platforms jetson-orin-nano-8gb").out, HasSubstr("priority_levels: 2  # a guess\n"));
  EXPECT_THAT(tactus("platforms jetson-orin-nano-8gb").out, HasSubstr("sms: 8\n"));
  EXPECT_THAT(tactus("platforms").out, HasSubstr("*: a guess."));
}

TEST(Platforms, TheTableNamesEveryPresetUnderItsFamily) {
  const std::string table = tactus("platforms").out;
  std::size_t last = 0;
  for (const Preset& preset : presets()) {
    const std::size_t family = table.find("\n" + std::string{preset.family});
    const std::size_t place = table.find("\n  " + std::string{preset.name} + " ");
    ASSERT_NE(place, std::string::npos) << preset.name;
    EXPECT_LT(family, place) << preset.name;
    EXPECT_LT(last, place) << preset.name;
    last = place;
  }
}

TEST(Platforms, OneAsJson) {
  const auto one = nlohmann::json::parse(tactus("platforms rtx-4090 --json").out);
  EXPECT_EQ(one["name"], "rtx-4090");
  EXPECT_EQ(one["compute_capability"], "8.9");
  EXPECT_EQ(one["gpu"]["sms"], 128);
  EXPECT_THAT(one["guesses"], testing::Contains("cpus"));
}

TEST(Platforms, NearNamesAreSuggested) {
  const Answer answer = tactus("platforms jetson-orin");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.out, IsEmpty());
  EXPECT_THAT(answer.err, HasSubstr("there is no platform 'jetson-orin'"));
  EXPECT_THAT(answer.err, HasSubstr("did you mean one of jetson-orin-nano-4gb, jetson-orin-nano-8gb, "));
}

TEST(Platforms, NearNamesAreSuggestedInExperiments) {
  const std::string file = write_temporary(
      "near.yaml",
      "tactus-experiment: 1\ngenerator: {kind: gpu-jobs, tasks: 2, periods: [1ms], platform: jetson-orin}\n"
      "vary: {parameter: utilisation, values: [0.5]}\nanalyses: [np-edf]\nsystems: 1\n");
  const Answer answer = tactus("generate " + file + " --point 0.5");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("did you mean one of jetson-orin-nano-4gb, "));
}

}  // namespace
}  // namespace tactus::test
