#include "tactus/report/glossary.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tactus/analysis/analysis.hpp"
#include "tactus/io/words.hpp"

namespace tactus::report {
namespace {

TEST(Glossary, HasEveryVerdictKindStrategyAndOrder) {
  using analysis::Kind;
  using analysis::Verdict;
  for (const Verdict verdict :
       {Verdict::schedulable, Verdict::unschedulable, Verdict::unproven, Verdict::gave_up}) {
    EXPECT_NE(find_term(to_string(verdict)), nullptr) << to_string(verdict);
  }
  for (const Kind kind : {Kind::exact, Kind::sufficient, Kind::necessary}) {
    EXPECT_NE(find_term(to_string(kind)), nullptr) << to_string(kind);
  }
  for (const auto& strategy : io::words::strategies()) {
    ASSERT_NE(find_term(strategy.word), nullptr) << strategy.word;
    EXPECT_EQ(find_term(strategy.word)->kind, "strategy");
  }
  for (const auto& order : io::words::orders) EXPECT_NE(find_term(order.word), nullptr) << order.word;
}

TEST(Glossary, FindsWordsHoweverTheyAreWritten) {
  const Term* term = find_term("virtual SM");
  ASSERT_NE(term, nullptr);
  for (const char* word : {"virtual_sms", "virtual-SM", "Virtual SMs", "virtual sm"}) {
    EXPECT_EQ(find_term(word), term) << word;
  }
  EXPECT_NE(find_term("levels"), nullptr);
  EXPECT_NE(find_term("gang window"), nullptr);
  EXPECT_EQ(find_term("nonsense"), nullptr);
  EXPECT_EQ(find_term(""), nullptr);
}

TEST(Glossary, EveryWordOnceWithASentence) {
  std::set<std::string_view> words;
  for (const Term& term : glossary()) {
    EXPECT_TRUE(words.insert(term.word).second) << term.word;
    EXPECT_EQ(find_term(term.word), &term) << term.word;
    EXPECT_EQ(term.meaning.back(), '.') << term.word;
  }
}

}  // namespace
}  // namespace tactus::report
