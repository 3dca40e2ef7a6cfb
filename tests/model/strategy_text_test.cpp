// Sentences that list strategies ask their facts.
#include "tactus/model/strategy_text.hpp"

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(StrategiesText, ListsThoseOfWhichItIsTrue) {
  EXPECT_EQ(strategies_text(has_own_sms), "`federated`");
  EXPECT_EQ(strategies_text([](const StrategyFacts& strategy) { return strategy.has_levels; }),
            "`multi-stream`");
  EXPECT_EQ(strategies_text([](const StrategyFacts& strategy) { return !strategy.has_order; }),
            "`as-submitted` or `time-sliced`");
  EXPECT_EQ(strategies_text([](const StrategyFacts&) { return false; }), "");
}

TEST(StrategiesText, MayListAll) {
  EXPECT_EQ(
      strategies_text([](const StrategyFacts&) { return true; }),
      "`as-submitted`, `single-stream`, `multi-stream`, `sm-cores`, `federated`, `time-sliced` or `graph`");
}

}  // namespace
}  // namespace tactus
