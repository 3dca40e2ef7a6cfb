// The first examples of the pages do what the pages say of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "support/command.hpp"
#include "support/source_folder.hpp"
#include "tactus/base/file.hpp"

namespace tactus::test {
namespace {

using testing::HasSubstr;

/// The first YAML block of a page, as a file.
std::string first_example(const std::string& page, const std::string& name) {
  const std::string text = read_file(in_repository(page));
  const std::string fence = "```yaml\n";
  const std::size_t begin = text.find(fence) + fence.size();
  return write_temporary(name, text.substr(begin, text.find("```", begin) - begin));
}

TEST(PageExamples, TheFirstSystemFileWorksWithEveryVerb) {
  const std::string file = first_example("docs/format.md", "robot.yaml");
  for (const std::string& arguments : {"check " + file, "sim " + file, "plan " + file}) {
    const Answer answer = tactus(arguments);
    EXPECT_EQ(answer.status, 0) << arguments << "\n" << answer.out << answer.err;
  }
  // On a busy machine a job may be late, which is status 1: the machine's answer, not a mistake of the page.
  const Answer run = tactus("run " + file + " --device host --for 200ms");
  EXPECT_THAT(run.status, testing::AnyOf(0, 1)) << run.err;
  EXPECT_THAT(run.out, HasSubstr("robot on the host device, single-stream"));
}

TEST(PageExamples, TheFirstExperimentWorksWithEveryVerb) {
  const std::string file = first_example("docs/experiments.md", "one-stream.yaml");
  const Answer generated = tactus("generate " + file + " --point 0.6 --first 17");
  EXPECT_EQ(generated.status, 0) << generated.err;
  const std::string system = write_temporary("generated.yaml", generated.out);
  EXPECT_THAT(tactus("check " + system).status, testing::AnyOf(0, 1));
  const Answer swept = tactus("sweep " + file + " --systems 20 -o " + temporary_path("one-stream"));
  if (swept.status == 3 && swept.err.find("tactus-sweep") != std::string::npos) GTEST_SKIP() << swept.err;
  EXPECT_EQ(swept.status, 0) << swept.err;
  EXPECT_THAT(swept.out + swept.err, testing::Not(HasSubstr("does not apply")));
}

/// The lines of the blocks of a language in a page, without indentation.
std::vector<std::string> lines_of_blocks(const std::string& page, const std::string& language) {
  std::vector<std::string> lines;
  std::istringstream text{read_file(in_repository(page))};
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) {
      inside = line == "```" + language;
    } else if (inside && !line.empty()) {
      lines.push_back(line.substr(line.find_first_not_of(' ')));
    }
  }
  return lines;
}

TEST(PageExamples, TheProgramsOfTheLibraryPageAreCompiled) {
  const std::string consumer = read_file(in_repository("tests/package/consumer/main.cpp"));
  const std::vector<std::string> lines = lines_of_blocks("docs/api.md", "cpp");
  EXPECT_GT(lines.size(), 40U);
  for (const std::string& line : lines) EXPECT_THAT(consumer, HasSubstr(line));
}

}  // namespace
}  // namespace tactus::test
