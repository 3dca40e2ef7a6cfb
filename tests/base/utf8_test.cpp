#include "tactus/base/utf8.hpp"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(Utf8, DecodesEveryLength) {
  EXPECT_EQ(character_at("a", 0).code, U'a');
  EXPECT_EQ(character_at("é", 0).code, U'é');
  EXPECT_EQ(character_at("€", 0).code, U'€');
  EXPECT_EQ(character_at("x😀", 1).code, U'😀');
  EXPECT_EQ(character_at("x😀", 1).bytes, 4U);
  EXPECT_EQ(character_at("\xf4\x8f\xbf\xbf", 0).code, char32_t{0x10ffff});
}

TEST(Utf8, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_EQ(find_invalid_utf8("plain, é, €, 😀"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("ab\xff"), 2U);
  EXPECT_EQ(find_invalid_utf8("é\x80"), 2U);             // a continuation without a beginning
  EXPECT_EQ(find_invalid_utf8("a\xc3"), 1U);             // cut off
  EXPECT_EQ(find_invalid_utf8("a\xc3z"), 1U);            // no continuation
  EXPECT_EQ(find_invalid_utf8("\xc0\xaf"), 0U);          // longer than needed
  EXPECT_EQ(find_invalid_utf8("\xe0\x80\xaf"), 0U);      // longer than needed
  EXPECT_EQ(find_invalid_utf8("\xf0\x80\x80\xaf"), 0U);  // longer than needed
  EXPECT_EQ(find_invalid_utf8("\xed\xa0\x80"), 0U);      // half of a surrogate pair
  EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0U);  // beyond Unicode
  EXPECT_EQ(find_invalid_utf8("\xf8\x88\x80\x80\x80"), 0U);
}

TEST(Utf8, CountsCharacters) {
  EXPECT_EQ(count_characters(""), 0U);
  EXPECT_EQ(count_characters("aé€😀"), 4U);
}

TEST(Printable, EscapesAndCuts) {
  EXPECT_EQ(printable("aé"), "aé");
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("\x07\x7f\xc2\x85"), "\\x07\\u007f\\u0085");
  EXPECT_EQ(printable("a\xff"), "a\\xff");
  EXPECT_EQ(printable(std::string(61, 'x')), std::string(60, 'x') + "...");
  EXPECT_EQ(printable(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(printable("ééé", 2), "éé...");
  EXPECT_EQ(in_backticks("a b"), "`a b`");
}

TEST(Printable, EscapesWhatTurnsTheDirectionOfText) {
  EXPECT_EQ(printable("a\u202eb\u2066c\u061cd"), "a\\u202eb\\u2066c\\u061cd");
  EXPECT_EQ(printable("\u2028\ufeff"), "\\u2028\\ufeff");
}

TEST(Printable, ShowsNamesWhole) {
  EXPECT_EQ(shown(std::string(300, 'x') + "\x1b[2J\xff"), std::string(300, 'x') + "\\x1b[2J\\xff");
}

TEST(Tame, LeavesLinesAndColoursAlone) {
  EXPECT_EQ(tame("a\n\tb\x1b[1;31mred\x1b[0m é"), "a\n\tb\x1b[1;31mred\x1b[0m é");
  EXPECT_EQ(tame("\x1b[2J\x1b]0;title\x07\x1b[31"), "\\x1b[2J\\x1b]0;title\\x07\\x1b[31");
  EXPECT_EQ(tame("x\u202ey\u009b\xff\r"), "x\\u202ey\\u009b\\xff\\r");
  EXPECT_EQ(tame(""), "");
}

}  // namespace
}  // namespace tactus
