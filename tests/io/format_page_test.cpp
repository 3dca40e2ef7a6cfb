// The examples of docs/format.md are true.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "support/source_folder.hpp"
#include "tactus/base/file.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus {
namespace {

struct Example {
  std::string kind;
  std::string text;
  int line = 0;
};

std::vector<Example> examples() {
  std::istringstream page{read_file(test::in_repository("docs/format.md"))};
  std::vector<Example> found;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(page, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) found.push_back({line.substr(3), "", number});
    } else if (inside) {
      found.back().text += line + "\n";
    }
  }
  return found;
}

/// The example with whatever it leaves out.
std::string completed(const std::string& text) {
  const std::string with_newline = "\n" + text;
  const auto has = [&](const std::string& key) {
    return with_newline.find("\n" + key + ":") != std::string::npos;
  };
  std::string result = text;
  if (!has("tactus")) result += "tactus: 1\n";
  if (!has("platform")) result += "platform: jetson-tx2\n";
  if (!has("tasks"))
    result += "tasks: [{name: a, period: 10ms, kernel: {grid: 1, block: 32, block_time: 1us}}]\n";
  return result;
}

std::string told(const ReadResult& result) {
  std::string text;
  for (const Problem& problem : result.problems) text += to_string(problem) + "\n";
  return text;
}

TEST(FormatPage, ExamplesAreValid) {
  int valid = 0;
  for (const Example& example : examples()) {
    const bool is_open = example.kind == "yaml open";  // for `tactus plan`
    if (example.kind != "yaml" && !is_open) continue;
    ++valid;
    const Completeness completeness = is_open ? Completeness::to_be_planned : Completeness::complete;
    EXPECT_EQ(told(read_system(completed(example.text), "format.md", completeness)), "")
        << "line " << example.line;
  }
  EXPECT_GE(valid, 10);
}

TEST(FormatPage, MessagesAreWhatIsPrinted) {
  const std::vector<Example> all = examples();
  int compared = 0;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    if (all[i].kind != "yaml bad") continue;
    ++compared;
    EXPECT_EQ(told(read_system(all[i].text, "robot.yaml")), all[i + 1].text);
  }
  EXPECT_EQ(compared, 1);
}

}  // namespace
}  // namespace tactus
