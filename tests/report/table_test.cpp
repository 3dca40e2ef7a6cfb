#include "tactus/report/table.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace tactus::report {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream{text};
  std::vector<std::string> all;
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

Table example() {
  Table table{{{"task"}, {"jobs", Align::right}, {"verdict"}}};
  table.add_row({"detector", "12", {"ok", Tone::good}});
  table.add_row({"\u6e2c\u5b9a", "1,000", {"missed", Tone::bad}});
  table.add_row({"z"});
  return table;
}

TEST(Table, AlignsColumns) {
  EXPECT_EQ(example().to_text(false),
            "task       jobs  verdict\n"
            "--------  -----  -------\n"
            "detector     12  ok\n"
            "\u6e2c\u5b9a      1,000  missed\n"
            "z\n");
}

TEST(Table, ColoursOnlyWhenAsked) {
  const std::string text = example().to_text(true);
  EXPECT_THAT(text, ::testing::HasSubstr("\x1b[32mok\x1b[0m\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  \x1b[1;31mmissed\x1b[0m\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("\x1b[1mtask\x1b[0m       \x1b[1mjobs\x1b[0m"))
      << "padding is not coloured";
  EXPECT_THAT(example().to_text(false), ::testing::Not(::testing::HasSubstr("\x1b")));
}

TEST(Table, DoesNotLetNamesWriteToTheTerminal) {
  Table table{{{"task"}}};
  table.add_row({"evil\x1b[2J"});
  EXPECT_EQ(table.to_text(false), "task\n-----------\nevil\\x1b[2J\n");
}

TEST(Table, WithoutRowsHasItsHeaders) {
  EXPECT_EQ((Table{{{"a"}, {"bc"}}}.to_text(false)), "a  bc\n-  --\n");
}

TEST(Table, RefusesRowsThatAreTooLong) {
  Table table{{{"a"}}};
  EXPECT_THROW(table.add_row({"1", "2"}), std::invalid_argument);
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string& line : lines(text)) widest = std::max(widest, line.size());
  return widest;
}

Table wide() {
  Table table{{{"task"}, {"virtual SMs", Align::right}, {"deadline", Align::right}, {"bound", Align::right}}};
  table.add_row({"detector", "4", "40ms", "38.392ms"});
  return table;
}

TEST(TableWidth, WhatFitsStaysAsItIs) {
  EXPECT_EQ(wide().to_text(false, 41), wide().to_text(false));
  EXPECT_EQ(widest_line(wide().to_text(false)), 41U);
}

TEST(TableWidth, HeadersAreBrokenFirst) {
  EXPECT_EQ(wide().to_text(false, 40),
            "          virtual\n"
            "task          SMs  deadline     bound\n"
            "--------  -------  --------  --------\n"
            "detector        4      40ms  38.392ms\n");
}

TEST(TableWidth, ThenColumnsMoveTogether) {
  EXPECT_EQ(wide().to_text(false, 36),
            "         virtual\n"
            "task         SMs deadline    bound\n"
            "-------- ------- -------- --------\n"
            "detector       4     40ms 38.392ms\n");
}

TEST(TableWidth, WhatDoesNotFitAtAllFollowsBelow) {
  EXPECT_EQ(wide().to_text(false, 26),
            "         virtual\n"
            "task         SMs deadline\n"
            "-------- ------- --------\n"
            "detector       4     40ms\n"
            "\n"
            "task        bound\n"
            "-------- --------\n"
            "detector 38.392ms\n");
}

TEST(TableWidth, LongNamesAreShortened) {
  Table table{{{"task"}, {"deadline", Align::right}}};
  table.add_row({"a-task-with-a-rather-long-name", "40ms"});
  EXPECT_EQ(table.to_text(false, 25),
            "task             deadline\n"
            "---------------- --------\n"
            "a-task-with-a-r\u2026     40ms\n");
}

TEST(TableWidth, TextInTheLastColumnIsBrokenIntoLines) {
  Table table{{{"check"}, {"found"}}};
  table.add_row({"memory", {"some memory may be locked, but not all of it", Tone::bad}});
  table.add_row({"cores", "4"});
  EXPECT_EQ(table.to_text(false, 36),
            "check   found\n"
            "------  ----------------------------\n"
            "memory  some memory may be locked,\n"
            "        but not all of it\n"
            "cores   4\n");
  EXPECT_THAT(table.to_text(true, 36), ::testing::HasSubstr("\x1b[1;31mbut not all of it\x1b[0m"));
}

}  // namespace
}  // namespace tactus::report
