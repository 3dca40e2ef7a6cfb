#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "support/effort.hpp"
#include "support/mutants.hpp"
#include "tactus/falsify/falsify.hpp"

namespace tactus::falsify {
namespace {

using test::Mutant;

class MutantTest : public testing::TestWithParam<std::size_t> {};

TEST_P(MutantTest, IsBroken) {
  constexpr std::size_t watched_step = 30;  // three of them, which are found quickly
  if (test::is_watched && (GetParam() % watched_step != 0 || GetParam() > 2 * watched_step)) {
    GTEST_SKIP() << "without a sanitizer all are tried";
  }
  const Mutant& mutant = test::mutants()[GetParam()];
  analysis::Analysis analysis = mutant.analysis;
  analysis.id = mutant.id;
  const bool must_break = mutant.survives_because.empty();
  const Summary summary = falsify(analysis, mutant.family,
                                  {.systems = must_break ? 100'000U : 500U, .schedules = 100, .seed = 1});
  if (must_break) {
    EXPECT_TRUE(summary.broken) << mutant.id << " (" << mutant.what << ") survived " << summary.attacked
                                << " systems";
  } else {
    EXPECT_FALSE(summary.broken) << mutant.id << " was said to survive: " << mutant.survives_because << "\n"
                                 << replay_file(analysis, *summary.broken);
  }
}

std::string name_of_mutant(const testing::TestParamInfo<std::size_t>& mutant) {
  std::string name = test::mutants()[mutant.param].id;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(List, MutantTest, testing::Range(std::size_t{0}, test::mutants().size()),
                         name_of_mutant);

TEST(Mutants, AreManyAndDistinct) {
  std::set<std::string> ids;
  for (const Mutant& mutant : test::mutants()) ids.insert(mutant.id);
  EXPECT_EQ(ids.size(), test::mutants().size());
  EXPECT_GE(ids.size(), 20U);
}

}  // namespace
}  // namespace tactus::falsify
