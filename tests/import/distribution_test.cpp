// Every class of distribution, in the spelling of every version.
#include "tactus/import/distribution.hpp"

#include <gtest/gtest.h>

#include <string>

#include "import/models.hpp"

namespace tactus::import {
namespace {

std::optional<Distribution> read(const std::string& text) {
  const Documents documents = documents_of("<swModel>" + text + "</swModel>");
  return read_distribution(documents.parts("swModel").at(0)->children.at(0));
}

void expect_bounds(const std::string& text, std::int64_t best, Rational average, std::int64_t worst) {
  const std::optional<Distribution> found = read(text);
  ASSERT_TRUE(found) << text;
  EXPECT_EQ(found->best, Rational{best}) << text;
  EXPECT_EQ(found->average, average) << text;
  EXPECT_EQ(found->worst, Rational{worst}) << text;
}

TEST(Distribution, HasBestAverageAndWorstCase) {
  expect_bounds(R"(<value value="7"/>)", 7, 7, 7);
  expect_bounds(R"(<value lowerBound="10" upperBound="20" average="1.2E1"/>)", 10, 12, 20);
  expect_bounds(R"(<value lowerBound="10" upperBound="21" samplingType="Uniform"/>)", 10, {31, 2}, 21);
  expect_bounds(R"(<value lowerBound="0" upperBound="10" alpha="1.0" beta="3.0"/>)", 0, {5, 2}, 10);
  expect_bounds(R"(<value lowerBound="72" upperBound="88" average="80.0" pRemainPromille="0.5"/>)", 72, 80,
                88);
  expect_bounds(R"(<value mean="5.0" sd="1.0" lowerBound="1" upperBound="9"/>)", 1, 5, 9);
  expect_bounds(
      R"(<value><entries occurrences="3" lowerBound="0" upperBound="2"/><entries occurrences="1" lowerBound="4" upperBound="6"/></value>)",
      0, 2, 6);
}

TEST(Distribution, OldVersionsHaveElementsForBounds) {
  expect_bounds(
      R"(<default><deviation><lowerBound value="1"/><upperBound value="5"/><distribution mean="2.0" sd="1.0"/></deviation></default>)",
      1, 2, 5);
}

TEST(Distribution, NeedsStandInTheValueOfTheirEntry) {
  expect_bounds(R"(<value key="Instructions"><value value="7"/></value>)", 7, 7, 7);
  expect_bounds(
      R"(<value key="Instructions"><value><deviation><lowerBound value="10"/><upperBound value="20"/><distribution><sd value="5"/><mean value="14"/></distribution></deviation></value></value>)",
      10, 14, 20);
  expect_bounds(
      R"(<value key="Instructions"><value><deviation><lowerBound value="0"/><upperBound value="10"/><distribution alpha="1.0" beta="3.0"/></deviation></value></value>)",
      0, {5, 2}, 10);
}

TEST(Distribution, ATimeWithoutAUnitSaysNothingUnlessItIsZero) {
  EXPECT_FALSE(read(R"(<jitter><upperBound xsi:type="am:Time" value="5"/></jitter>)"));
  EXPECT_EQ(read(R"(<jitter><upperBound xsi:type="am:Time" value="0"/></jitter>)")->worst, Rational{});
}

TEST(Distribution, OneWithABoundThatIsNotUnderstoodIsNone) {
  EXPECT_FALSE(read(R"(<default lowerBound="few" upperBound="9"/>)"));
  EXPECT_FALSE(read(R"(<default mean="5" sd="1" upperBound="many"/>)"));
  expect_bounds(
      R"(<default><lowerBound xsi:type="am:LongObject"/><upperBound xsi:type="am:LongObject" value="4"/></default>)",
      0, 2, 4);
}

TEST(Distribution, TimesHaveUnits) {
  expect_bounds(R"(<jitter><lowerBound value="1" unit="us"/><upperBound value="3" unit="us"/></jitter>)",
                1000, 2000, 3000);
  expect_bounds(R"(<jitter><value value="2" unit="ms"/></jitter>)", 2'000'000, 2'000'000, 2'000'000);
}

TEST(Distribution, OnlyANormalOneMayLackBounds) {
  const std::optional<Distribution> normal = read(R"(<value mean="100" sd="10"/>)");
  ASSERT_TRUE(normal);
  EXPECT_FALSE(normal->worst);
  const Distribution bounded = with_bounds(*normal, Rational{3});
  EXPECT_EQ(bounded.worst, Rational{130});
  EXPECT_FALSE(bounded.best);  // they count above the mean
  EXPECT_FALSE(read("<value/>"));
}

}  // namespace
}  // namespace tactus::import
