#include "tactus/report/display_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::report {
namespace {

using testing::ElementsAre;

TEST(ShownWidth, CountsNoColours) {
  EXPECT_EQ(shown_width("plain"), 5U);
  EXPECT_EQ(shown_width("\x1b[1;31mbad\x1b[0m and good"), 12U);
  EXPECT_EQ(shown_width(""), 0U);
  EXPECT_EQ(shown_width("\u6e2c"), 2U);
}

TEST(LinesOf, AreBrokenAtSpaces) {
  EXPECT_THAT(lines_of("every deadline holds", 14), ElementsAre("every deadline", "holds"));
  EXPECT_THAT(lines_of("every deadline holds", 13), ElementsAre("every", "deadline", "holds"));
  EXPECT_THAT(lines_of("every deadline", any_width), ElementsAre("every deadline"));
  EXPECT_THAT(lines_of("", 10), ElementsAre(""));
}

TEST(LinesOf, GiveAWordThatIsTooWideALineOfItsOwn) {
  EXPECT_THAT(lines_of("a very-long-word b", 6), ElementsAre("a", "very-long-word", "b"));
}

TEST(Wrapped, BreaksOnlyLinesThatAreTooWide) {
  EXPECT_EQ(wrapped("short\n\nthis one is too wide\nend\n", 11), "short\n\nthis one is\ntoo wide\nend\n");
  EXPECT_EQ(wrapped("no end of line", 6), "no end\nof\nline");
}

TEST(Wrapped, KeepsTheMarginAndIndentsWhatFollows) {
  EXPECT_EQ(wrapped("  this one is too wide\n", 13, 2), "  this one is\n    too wide\n");
}

TEST(Wrapped, KeepsColumns) {
  EXPECT_EQ(wrapped("  seed      any whole number from 0 on\n", 26),
            "  seed      any whole\n            number from 0\n            on\n");
}

}  // namespace
}  // namespace tactus::report
