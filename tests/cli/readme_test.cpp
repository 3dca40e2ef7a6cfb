// What the README and the other pages show of the command is what it prints and draws.
// `TACTUS_REWRITE_DOCS=1 build/release/tests/tactus_cli_tests --gtest_filter='Pages*'` writes it anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "support/command.hpp"
#include "support/console_blocks.hpp"
#include "support/source_folder.hpp"
#include "tactus/base/file.hpp"
#include "tactus/report/glossary.hpp"

namespace tactus::test {
namespace {

namespace fs = std::filesystem;

/// Compares a file of the repository with what it should hold, or writes it.
void expect_in_repository(const std::string& path, const std::string& text) {
  if (rewrites_documents()) {
    std::ofstream{in_repository(path), std::ios::binary} << text;
  } else {
    EXPECT_EQ(read_file(in_repository(path)), text) << path;
  }
}

class Pages : public testing::TestWithParam<std::string> {};

TEST_P(Pages, EveryCommandPrintsWhatItShows) {
  // In a folder of its own: some commands write files.
  const std::string folder = temporary_path("page-" + fs::path{GetParam()}.stem().string());
  fs::create_directory(folder);
  for (const char* shared : {"examples", "experiments"}) {
    fs::create_directory_symlink(in_repository(shared), fs::path{folder} / shared);
  }
  expect_in_repository(GetParam(),
                       with_outputs(read_file(in_repository(GetParam())), [&](const std::string& arguments) {
                         const Answer answer = tactus_in(folder, arguments);
                         return answer.out + answer.err;
                       }));
}

/// The README and the pages of docs/ that show commands.
std::vector<std::string> pages() {
  std::set<std::string> found{"README.md"};
  for (const fs::directory_entry& entry : fs::directory_iterator{in_repository("docs")}) {
#ifndef TACTUS_HAS_IMPORT
    if (entry.path().filename() == "amalthea.md") continue;
#endif
    if (entry.path().extension() == ".md" && read_file(entry.path()).find("```console") != std::string::npos)
      found.insert("docs/" + entry.path().filename().string());
  }
  return {found.begin(), found.end()};
}

INSTANTIATE_TEST_SUITE_P(Repository, Pages, testing::ValuesIn(pages()),
                         [](const auto& page) { return fs::path{page.param}.stem().string(); });

TEST(PagesPictures, AreThoseTheCommandDraws) {
  const auto draw = [](const std::string& system, const std::string& name, int status) {
    const std::string picture = temporary_path(name);
    EXPECT_EQ(tactus("sim " + system + " --timeline " + picture).status, status);
    expect_in_repository("docs/images/" + name, read_file(picture));
  };
  draw("examples/first.yaml", "first.svg", 0);
  draw("examples/sharing/windows.yaml --for 60ms", "windows.svg", 1);
  const std::string robot = temporary_path("robot.yaml");
  ASSERT_EQ(tactus("plan examples/federated/robot.yaml -o " + robot).status, 0);
  draw(robot + " --for 100ms", "robot.svg", 0);
  draw("examples/graphs/fine.yaml --for 70ms", "graph.svg", 0);
  const std::string example = "examples/graphs/openvx-example-2-";
  draw(example + "monolithic.yaml --for 30ms", "openvx-2a.svg", 0);
  draw(example + "coarse.yaml --for 30ms", "openvx-2b.svg", 0);
  draw(example + "fine.yaml --for 30ms", "openvx-2c.svg", 0);
  draw(example + "fine.yaml --for 30ms --set policy.parallel_jobs=true", "openvx-2d.svg", 0);
}

TEST(PagesGlossary, IsThatOfExplain) {
  std::string page =
      "# Glossary\n\nThe words of Tactus, each with one meaning on every page, in every message and in the "
      "code. Words of CUDA and of real-time theory mean what they mean there; they are here because not "
      "every "
      "reader knows both. `tactus explain WORD` says the same.\n";
  std::string_view topic;
  for (const report::Term& term : report::glossary()) {
    if (term.topic != topic) page += fmt::format("\n## {}\n\n| word | meaning |\n|---|---|\n", term.topic);
    topic = term.topic;
    const std::string kind = term.kind == "term" ? "" : fmt::format(" ({})", term.kind);
    page += fmt::format("| **{}**{} | {} |\n", term.word, kind, term.meaning);
  }
  expect_in_repository("docs/glossary.md", page);
}

TEST(Readme, TheFirstExampleIsTheFileItQuotes) {
  const std::string readme = read_file(in_repository("README.md"));
  const std::string example = read_file(in_repository("examples/first.yaml"));
  EXPECT_NE(readme.find(example.substr(example.find("tactus: 1"))), std::string::npos);
}

}  // namespace
}  // namespace tactus::test
