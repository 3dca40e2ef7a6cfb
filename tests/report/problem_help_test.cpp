// Every id is explained, and every explanation is true: its example has the problem.
#include "tactus/report/problem_help.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tactus/io/system_file.hpp"

namespace tactus::report {
namespace {

TEST(ProblemHelp, EveryIdHasANameOfItsOwnAndAnExplanation) {
  std::set<std::string_view> names;
  for (const ProblemName& entry : problem_names) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(entry.name, to_string(entry.id));
    const ProblemHelp& help = help_of(entry.id);
    EXPECT_EQ(help.id, entry.id);
    EXPECT_FALSE(help.title.empty() || help.meaning.empty() || help.example.empty() || help.mending.empty())
        << entry.name;
    EXPECT_NE(help.title.back(), '.') << entry.name;
    EXPECT_EQ(help.meaning.back(), '.') << entry.name;
    EXPECT_EQ(help.mending.back(), '.') << entry.name;
  }
  EXPECT_EQ(problem_helps().size(), names.size());
}

TEST(ProblemHelp, ExamplesHaveTheProblemAndNoOther) {
  std::size_t files = 0;
  for (const ProblemHelp& help : problem_helps()) {
    if (help.example.starts_with("tactus ") || help.id == ProblemId::more_problems) continue;
    ++files;
    const ReadResult read = read_system(help.example, "example.yaml");
    ASSERT_FALSE(read.problems.empty()) << to_string(help.id);
    for (const Problem& problem : read.problems) {
      EXPECT_EQ(to_string(problem.id), to_string(help.id)) << to_string(problem);
    }
  }
  EXPECT_GE(files, 28U);
}

TEST(ProblemHelp, TheRestOfManyProblemsHasAnIdOfItsOwn) {
  std::string text = "tactus: 1\nplatform: jetson-tx2\ntasks:\n";
  for (int i = 0; i < 200; ++i) text += "  - {name: t" + std::to_string(i) + ", period: 5, exclusive: 1ms}\n";
  const ReadResult read = read_system(text, "x.yaml");
  ASSERT_EQ(read.problems.size(), 101U);
  EXPECT_EQ(read.problems.front().id, ProblemId::missing_unit);
  EXPECT_EQ(read.problems.back().id, ProblemId::more_problems);
}

}  // namespace
}  // namespace tactus::report
