#include "tactus/report/excerpt.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tactus/io/system_file.hpp"
#include "tactus/report/display_text.hpp"

namespace tactus::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t wide = 100;

Problem problem_at(int line, int column, const std::string& source) {
  return {.file = "a.yaml",
          .line = line,
          .column = column,
          .message = "wrong",
          .hint = "mend it",
          .id = ProblemId::unknown_key,
          .source = source};
}

TEST(Excerpt, ShowsTheLineWithACaretBelowTheColumn) {
  EXPECT_EQ(excerpt(problem_at(7, 3, "a bad line"), wide), "    7 | a bad line\n      |   ^");
  EXPECT_EQ(excerpt(problem_at(123, 1, "x"), wide), "    123 | x\n        | ^");
}

TEST(Excerpt, StandsBetweenMessageAndHint) {
  EXPECT_EQ(told(problem_at(7, 3, "a bad line"), wide),
            "a.yaml:7:3: error: wrong [unknown-key]\n    7 | a bad line\n      |   ^\n    mend it");
}

TEST(Excerpt, ACaretMayStandBehindTheLine) {
  EXPECT_EQ(excerpt(problem_at(1, 4, "abc"), wide), "    1 | abc\n      |    ^");
  EXPECT_EQ(excerpt(problem_at(1, 400, "abc"), wide), "    1 | abc\n      |    ^");
}

TEST(Excerpt, ATabIsOneColumn) {
  EXPECT_EQ(excerpt(problem_at(1, 3, "\t\tx"), wide), "    1 |   x\n      |   ^");
}

TEST(Excerpt, WideAndCombiningCharactersCountAsTheyLook) {
  EXPECT_EQ(excerpt(problem_at(1, 3, "\u6f22\u5b57x"), wide), "    1 | \u6f22\u5b57x\n      |     ^");
  EXPECT_EQ(excerpt(problem_at(1, 3, "e\u0301x"), wide), "    1 | e\u0301x\n      |  ^");
}

TEST(Excerpt, IsHarmless) {
  const std::string shown = excerpt(problem_at(1, 2, "a\x1b[31mred\u202e\u2066\x07\xff"), wide);
  EXPECT_THAT(shown, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\u202e")), Not(HasSubstr("\u2066")),
                           Not(HasSubstr("\x07")), Not(HasSubstr("\xff")), HasSubstr("[31mred")));
}

TEST(Excerpt, OfALongLineThePartAroundTheColumnIsShown) {
  std::string line(300, '.');
  for (const int column : {1, 40, 150, 299, 300, 301}) {
    if (column <= 300) line[static_cast<std::size_t>(column) - 1] = 'X';
    const std::string shown = excerpt(problem_at(1, column, line), 80);
    const std::size_t newline = shown.find('\n');
    const std::string first = shown.substr(0, newline);
    const std::string second = shown.substr(newline + 1);
    EXPECT_LE(display_width(first), 80U) << column;
    EXPECT_LE(display_width(second), 80U) << column;
    if (column <= 300) {
      EXPECT_EQ(first.at(second.find('^')), 'X') << shown;
    }
    std::fill(line.begin(), line.end(), '.');
  }
}

TEST(Excerpt, IsEmptyWhereThereIsNoLine) {
  EXPECT_EQ(excerpt(problem_at(0, 0, ""), wide), "");
  EXPECT_EQ(excerpt(problem_at(1, 1, ""), wide), "");
  EXPECT_EQ(excerpt(problem_at(1, 1, "  \t"), wide), "");
  EXPECT_EQ(told(Problem{.file = {}, .line = 0, .column = 0, .message = "no", .hint = "do"}, wide),
            "error: no\n    do");
}

TEST(Excerpt, TheReaderGivesTheLine) {
  const std::string text =
      "\xef\xbb\xbftactus: 1\r\nplatform: jetson-tx\r\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\r\n";
  const ReadResult read = read_system(text, "a.yaml");
  ASSERT_EQ(read.problems.size(), 1U);
  EXPECT_EQ(excerpt(read.problems[0], wide), "    2 | platform: jetson-tx\n      |           ^");
  const std::string first =
      "\xef\xbb\xbftactus: 7\nplatform: h200\ntasks: [{name: a, period: 1ms, exclusive: 1us}]\n";
  EXPECT_EQ(excerpt(read_system(first, "a.yaml").problems.at(0), wide),
            "    1 | tactus: 7\n      |         ^");
}

}  // namespace
}  // namespace tactus::report
