// The tree of a text: values, places, aliases and what is dropped.
#include "tactus/io/document.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tactus::io {
namespace {

struct Parse {
  explicit Parse(std::string given) : text{std::move(given)} {
    root = parse_document(text, TextPositions{text}, problems);
  }
  std::string text;
  ProblemList problems;
  std::optional<Value> root;
};

TEST(TextPositions, CountFromOneInCharacters) {
  const std::string text = "ab\ncé d\n\n";
  const TextPositions places{text};
  EXPECT_EQ(places.at(0), (TextPosition{1, 1}));
  EXPECT_EQ(places.at(2), (TextPosition{1, 3}));
  EXPECT_EQ(places.at(3), (TextPosition{2, 1}));
  EXPECT_EQ(places.at(text.find('d')), (TextPosition{2, 4}));
  EXPECT_EQ(places.at(text.size() - 1), (TextPosition{3, 1}));
  EXPECT_EQ(places.at(text.size()), (TextPosition{4, 1}));
  EXPECT_EQ(places.at(text.size() + 100), (TextPosition{4, 1}));
  EXPECT_EQ(TextPositions{""}.at(0), (TextPosition{1, 1}));
}

TEST(TextPositions, AreTheSameAcrossLongLinesAndManyLines) {
  std::string text = std::string(5'000, 'a') + "\r\n" + std::string(3'000, '\n');
  for (int i = 0; i < 700; ++i) text += "\xc3\xa9";
  text += "\nlast";
  const TextPositions places{text};
  EXPECT_EQ(places.at(4'999), (TextPosition{1, 5'000}));
  EXPECT_EQ(places.at(5'002 + 2'999), (TextPosition{3'001, 1}));
  EXPECT_EQ(places.at(8'002 + 1'399), (TextPosition{3'002, 701}));
  EXPECT_EQ(places.at(text.size()), (TextPosition{3'003, 5}));
  EXPECT_EQ(places.line(1), "");  // too long
  EXPECT_EQ(places.line(2'000), "");
  EXPECT_EQ(places.line(3'002).size(), 1'400U);
  EXPECT_EQ(places.line(3'003), "last");
  EXPECT_EQ(places.line(3'004), "");
}

TEST(TextPositions, ByteOrderMarkTakesNoColumn) {
  const TextPositions places{
      "\xef\xbb\xbf"
      "ab"};
  EXPECT_EQ(places.at(0), (TextPosition{1, 1}));
  EXPECT_EQ(places.at(3), (TextPosition{1, 1}));
  EXPECT_EQ(places.at(4), (TextPosition{1, 2}));
}

TEST(ProblemList, TellsInFileOrderAndTheSameOnlyOnce) {
  ProblemList list;
  EXPECT_TRUE(list.empty());
  list.add(3, "second", "b");
  list.add(0, "first", "a");
  list.add(3, "second", "b");
  list.add(3, "third at the same place", "c");
  EXPECT_FALSE(list.empty());
  const std::vector<Problem> told = std::move(list).in_file_order(TextPositions{"ab\ncd"}, "f");
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0], (Problem{"f", 1, 1, "first", "a", ProblemId::invalid_value, "ab"}));
  EXPECT_EQ(told[1], (Problem{"f", 2, 1, "second", "b", ProblemId::invalid_value, "cd"}));
  EXPECT_EQ(told[2], (Problem{"f", 2, 1, "third at the same place", "c", ProblemId::invalid_value, "cd"}));
}

TEST(ProblemList, CountsTheRest) {
  ProblemList list;
  for (std::size_t i = 0; i < 101; ++i) list.add(i, "x", "y");
  const std::vector<Problem> told = std::move(list).in_file_order(TextPositions{std::string(200, 'a')}, "f");
  ASSERT_EQ(told.size(), 101U);
  EXPECT_EQ(told.back(), (Problem{"f", 1, 101, "1 more problem from here on", "repair those above first",
                                  ProblemId::more_problems, std::string(200, 'a')}));
}

TEST(Document, KnowsWhereItsValuesStand) {
  const Parse parse{"a: 1\nb:\n  - [x, 'y']\n  - {c: ~}\nd:\n"};
  ASSERT_TRUE(parse.root);
  EXPECT_TRUE(parse.problems.empty());
  const Value& root = *parse.root;
  EXPECT_EQ(root.kind, Value::Kind::map);
  ASSERT_EQ(root.entries.size(), 3U);
  EXPECT_EQ(root.entries[1].key, "b");
  EXPECT_EQ(root.entries[1].key_offset, parse.text.find('b'));
  const Value& a = *root.find("a");
  EXPECT_EQ(a.kind, Value::Kind::scalar);
  EXPECT_EQ(a.text, "1");
  EXPECT_EQ(a.offset, parse.text.find('1'));
  const Value& b = *root.find("b");
  ASSERT_EQ(b.items.size(), 2U);
  EXPECT_EQ(b.items[0].offset, parse.text.find('['));
  EXPECT_FALSE(b.items[0].items.at(0).quoted);
  EXPECT_TRUE(b.items[0].items.at(1).quoted);
  EXPECT_EQ(b.items[1].find("c")->kind, Value::Kind::null);
  // An empty value stands where its key does.
  EXPECT_EQ(root.find("d")->kind, Value::Kind::null);
  EXPECT_EQ(root.find("d")->offset, parse.text.find("d:"));
  EXPECT_EQ(root.find("e"), nullptr);
}

TEST(Document, EmptyItemStandsAtItsDash) {
  const Parse parse{"- a\n-\n- b\n"};
  ASSERT_TRUE(parse.root);
  EXPECT_EQ(parse.root->items.at(1).kind, Value::Kind::null);
  EXPECT_EQ(parse.root->items.at(1).offset, 4U);
}

TEST(Document, AliasStandsForACopyAtItsOwnPlace) {
  const Parse parse{"a: &x [1, 2]\nb: *x\n"};
  ASSERT_TRUE(parse.root);
  const Value& a = *parse.root->find("a");
  const Value& b = *parse.root->find("b");
  ASSERT_EQ(b.items.size(), 2U);
  EXPECT_EQ(b.offset, parse.text.find('*'));
  EXPECT_EQ(b.items[1].text, "2");
  EXPECT_EQ(b.items[1].offset, a.items[1].offset);
}

TEST(Document, DuplicateKeysKeepTheFirstValue) {
  const Parse parse{"a: 1\na: 2\n"};
  ASSERT_TRUE(parse.root);
  EXPECT_FALSE(parse.problems.empty());
  ASSERT_EQ(parse.root->entries.size(), 1U);
  EXPECT_EQ(parse.root->find("a")->text, "1");
}

TEST(Document, DuplicateKeysAreFoundInLargeMaps) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text.append("k").append(std::to_string(i % 999)).append(": 1\n");
  Parse parse{text};
  ASSERT_TRUE(parse.root);
  EXPECT_EQ(parse.root->entries.size(), 999U);
  const std::vector<Problem> told = std::move(parse.problems).in_file_order(TextPositions{parse.text}, "f");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].line, 1000);
  EXPECT_EQ(told[0].hint, "it was first given in line 1; keep one");
}

TEST(Document, QuotesThatEndAreFine) {
  for (const char* text :
       {"a: \"x\"", "a: 'it''s'", "a: \"\\\"\"", "a: &x \"y\" # \"", "a: |\n  \"x\n", "'': ''"}) {
    EXPECT_TRUE(Parse{text}.root.has_value()) << text;
  }
}

}  // namespace
}  // namespace tactus::io
