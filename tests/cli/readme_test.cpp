// The README is true: every command in its console blocks prints what it shows.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/command.hpp"

namespace tactus::test {
namespace {

struct Shown {
  std::string arguments;
  std::string output;
};

/// "$ tactus ..." and the lines below it, from every block marked as console.
std::vector<Shown> commands_of(const std::string& file) {
  std::ifstream stream{file};
  std::vector<Shown> shown;
  bool inside = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ tactus ")) {
      shown.push_back({line.substr(std::string{"$ tactus "}.size()), ""});
    } else if (inside && !shown.empty()) {
      shown.back().output += line + "\n";
    }
  }
  return shown;
}

TEST(Readme, EveryCommandPrintsWhatItShows) {
  // In a folder of its own: some commands write files.
  namespace fs = std::filesystem;
  const std::string folder = temporary_path("readme");
  fs::create_directory(folder);
  fs::create_directory_symlink(TACTUS_SOURCE_DIR "/examples", folder + "/examples");
  const std::vector<Shown> shown = commands_of(TACTUS_SOURCE_DIR "/README.md");
  ASSERT_GE(shown.size(), 4U);
  for (const Shown& command : shown) {
    const Answer answer = tactus_in(folder, command.arguments);
    EXPECT_EQ(answer.out + answer.err, command.output) << command.arguments;
  }
}

std::string text_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream{path}.rdbuf();
  return out.str();
}

TEST(Readme, ThePicturesAreThoseTheCommandDraws) {
  const std::string first = temporary_path("first.svg");
  ASSERT_EQ(tactus("sim examples/first.yaml --timeline " + first).status, 0);
  EXPECT_EQ(text_of(first), text_of(TACTUS_SOURCE_DIR "/docs/images/first.svg"));
  const std::string windows = temporary_path("windows.svg");
  ASSERT_EQ(tactus("sim examples/sharing/windows.yaml --for 60ms --timeline " + windows).status, 1);
  EXPECT_EQ(text_of(windows), text_of(TACTUS_SOURCE_DIR "/docs/images/windows.svg"));
  const std::string robot = temporary_path("robot.yaml");
  const std::string picture = temporary_path("robot.svg");
  ASSERT_EQ(tactus("plan examples/federated/robot.yaml -o " + robot).status, 0);
  ASSERT_EQ(tactus("sim " + robot + " --for 100ms --timeline " + picture).status, 0);
  EXPECT_EQ(text_of(picture), text_of(TACTUS_SOURCE_DIR "/docs/images/robot.svg"));
}

TEST(Readme, TheFirstExampleIsTheFileItQuotes) {
  const std::string readme = text_of(TACTUS_SOURCE_DIR "/README.md");
  const std::string example = text_of(TACTUS_SOURCE_DIR "/examples/first.yaml");
  EXPECT_NE(readme.find(example.substr(example.find("tactus: 1"))), std::string::npos);
}

}  // namespace
}  // namespace tactus::test
