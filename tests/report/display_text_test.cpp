#include "tactus/report/display_text.hpp"

#include "tactus/base/utf8.hpp"

namespace tactus::report {
namespace {

TEST(DisplayText, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("lidar"), 5U);
  EXPECT_EQ(display_width("caf\u00e9"), 4U);
  EXPECT_EQ(display_width("cafe\u0301"), 4U) << "a combining accent";
  EXPECT_EQ(display_width("\u6e2c\u5b9a"), 4U) << "wide characters";
  EXPECT_EQ(display_width("\U0001F680"), 2U);
  EXPECT_EQ(display_width(""), 0U);
}

TEST(DisplayText, EscapesWhatWouldDisturbATerminal) {
  EXPECT_EQ(shown("a\x1b[31mb\n"), "a\\x1b[31mb\\n");
  EXPECT_EQ(shown("x\u202Ey"), "x\\u202ey") << "text direction";
  EXPECT_EQ(shown("\u009b"), "\\u009b") << "a control character of two bytes";
  EXPECT_EQ(shown("caf\u00e9 \u6e2c \U0001F680"), "caf\u00e9 \u6e2c \U0001F680");
}

TEST(DisplayText, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(shown("\xff"), "\\xff");
  EXPECT_EQ(shown("a\xc3"), "a\\xc3") << "cut short";
  EXPECT_EQ(shown("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(shown("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(shown("\xe2\x28z"), "\\xe2(z");
}

TEST(DisplayText, IsCutByColumns) {
  EXPECT_EQ(shortened("detector", 8), "detector");
  EXPECT_EQ(shortened("detector", 5), "dete\u2026");
  EXPECT_EQ(shortened("\u6e2c\u5b9a\u5668", 4), "\u6e2c\u2026") << "half a wide character does not fit";
  EXPECT_EQ(shortened("ab", 1), "\u2026");
  EXPECT_EQ(shortened("ab", 0), "");
}

}  // namespace
}  // namespace tactus::report
