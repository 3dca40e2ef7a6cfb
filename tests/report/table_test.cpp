#include "tactus/report/table.hpp"

#include <stdexcept>

namespace tactus::report {
namespace {

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

}  // namespace
}  // namespace tactus::report
