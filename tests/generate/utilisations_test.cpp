#include "tactus/generate/utilisations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/chi_square.hpp"
#include "tactus/base/random.hpp"

namespace tactus::generate {
namespace {

using test::UniformityTest;

constexpr std::uint64_t samples = 20'000;
const Utilisation none{};
const Utilisation one = Utilisation::of(Rational{1});

double share(Utilisation part, Utilisation total) {
  return static_cast<double>(part.steps) / static_cast<double>(total.steps);
}

std::int64_t sum(const std::vector<Utilisation>& shares) {
  return std::accumulate(shares.begin(), shares.end(), std::int64_t{0},
                         [](std::int64_t total, Utilisation part) { return total + part.steps; });
}

/// P(X <= x) for the sum of `k` of `n` shares that are uniform over the simplex: Beta(k, n - k), which is the
/// chance that at least k of n - 1 uniform points lie below x.
double sum_of_shares_distribution(int k, int n, double x) {
  double probability = 0;
  for (int i = k; i <= n - 1; ++i) {
    const double ways = std::exp(std::lgamma(n) - std::lgamma(i + 1) - std::lgamma(n - i));
    probability += ways * std::pow(x, i) * std::pow(1 - x, n - 1 - i);
  }
  return probability;
}

TEST(Utilisations, AreFractionsOfExactSteps) {
  EXPECT_EQ(Utilisation::of(Rational{1}).steps, std::int64_t{1} << 48U);
  EXPECT_EQ(Utilisation::of(Rational{1, 2}).steps, std::int64_t{1} << 47U);
  EXPECT_EQ(Utilisation::of(Rational{0}).steps, 0);
  EXPECT_EQ(Utilisation::of(Rational{Utilisation::most}).steps, Utilisation::most << 48U);
}

TEST(Utilisations, PartOfAPeriodIsRoundedDownButNeverNothing) {
  EXPECT_EQ(part_of(Duration{1'000'000}, Utilisation::of(Rational{1, 2})), Duration{500'000});
  EXPECT_EQ(part_of(Duration{1'000'000}, one), Duration{1'000'000});
  EXPECT_EQ(part_of(Duration{10}, Utilisation::of(Rational{1, 3})), Duration{3});
  EXPECT_EQ(part_of(Duration{10}, Utilisation{0}), Duration{1});
  EXPECT_EQ(part_of(Duration::max(), one), Duration::max());
}

TEST(UUniFast, AddsUpExactly) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const std::size_t tasks : {1U, 2U, 7U, 50U}) {
      const Utilisation total = Utilisation::of(Rational{static_cast<std::int64_t>(seed) + 1, 100});
      const std::vector<Utilisation> shares = uunifast(tasks, total, seed, 3);
      ASSERT_EQ(shares.size(), tasks);
      EXPECT_EQ(sum(shares), total.steps);
      EXPECT_THAT(shares, testing::Each(testing::Field(&Utilisation::steps, testing::Ge(0))));
    }
  }
}

TEST(UUniFast, EveryIndexHasTheSameRightDistribution) {
  for (const int tasks : {2, 3, 5, 10}) {
    std::vector<UniformityTest> tests(static_cast<std::size_t>(tasks));
    for (std::uint64_t seed = 0; seed < samples; ++seed) {
      const std::vector<Utilisation> shares = uunifast(tests.size(), one, seed, 0);
      for (std::size_t i = 0; i < tests.size(); ++i) {
        tests[i].add(sum_of_shares_distribution(1, tasks, share(shares[i], one)));
      }
    }
    for (std::size_t i = 0; i < tests.size(); ++i) {
      EXPECT_LT(tests[i].statistic(), UniformityTest::threshold) << "index " << i << " of " << tasks;
    }
  }
}

TEST(UUniFast, SumsOfSeveralSharesHaveTheRightDistribution) {
  constexpr int tasks = 6;
  for (int first = 0; first < tasks; ++first) {
    for (int count = 2; first + count <= tasks && count < tasks; ++count) {
      UniformityTest test;
      for (std::uint64_t seed = 0; seed < samples; ++seed) {
        const std::vector<Utilisation> shares = uunifast(tasks, one, seed, 1);
        Utilisation part;
        for (int i = first; i < first + count; ++i) part.steps += shares[static_cast<std::size_t>(i)].steps;
        test.add(sum_of_shares_distribution(count, tasks, share(part, one)));
      }
      EXPECT_LT(test.statistic(), UniformityTest::threshold) << first << " + " << count;
    }
  }
}

// The test above would notice: the usual mistake is to scale uniform numbers to the total.
TEST(UUniFast, TheTestOfUniformityRejectsScaledUniformNumbers) {
  constexpr std::uint64_t tasks = 5;
  UniformityTest test;
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    double total = 0;
    double first = 0;
    for (std::uint64_t i = 0; i < tasks; ++i) {
      const double number = std::ldexp(static_cast<double>(draw_bits(seed, Purpose::utilisation, 9, i)), -64);
      if (i == 0) first = number;
      total += number;
    }
    test.add(sum_of_shares_distribution(1, tasks, first / total));
  }
  EXPECT_GT(test.statistic(), 10 * UniformityTest::threshold);
}

TEST(UUniFast, GroupsAndSeedsAreIndependent) {
  EXPECT_EQ(uunifast(4, one, 7, 0), uunifast(4, one, 7, 0));
  EXPECT_NE(uunifast(4, one, 7, 0), uunifast(4, one, 7, 1));
  EXPECT_NE(uunifast(4, one, 7, 0), uunifast(4, one, 8, 0));
}

TEST(UUniFastDiscard, KeepsTheLimitAndStaysUniformBelowIt) {
  const Utilisation total = Utilisation::of(Rational{3, 2});
  UniformityTest test;
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    const auto shares = uunifast_discard(2, total, {none, one}, seed, 0);
    ASSERT_TRUE(shares);
    ASSERT_LE((*shares)[0], one);
    ASSERT_LE((*shares)[1], one);
    EXPECT_EQ(sum(*shares), total.steps);
    test.add(share((*shares)[0], one) * 2 - 1);  // uniform in [0.5, 1]
  }
  EXPECT_LT(test.statistic(), UniformityTest::threshold);
}

TEST(UUniFastDiscard, GivesUpWhereSuchSetsAreTooRare) {
  EXPECT_EQ(uunifast_discard(3, Utilisation::of(Rational{4}), {none, one}, 1, 0), std::nullopt);
  EXPECT_EQ(uunifast_discard(20, Utilisation::of(Rational{199, 10}), {none, one}, 1, 0), std::nullopt);
}

// Three tasks of at least 0.2 each that share 0.9: 0.3 is left, uniform over its simplex.
TEST(UUniFastDiscard, KeepsTheLeastAndStaysUniformAboveIt) {
  const Utilisation total = Utilisation::of(Rational{9, 10});
  const Utilisation least = Utilisation::of(Rational{1, 5});
  std::vector<UniformityTest> tests(3);
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    const auto shares = uunifast_discard(3, total, {least, one}, seed, 0);
    ASSERT_TRUE(shares);
    EXPECT_EQ(sum(*shares), total.steps);
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_GE((*shares)[i], least);
      tests[i].add(sum_of_shares_distribution(1, 3, (share((*shares)[i], one) - 0.2) / 0.3));
    }
  }
  for (const UniformityTest& test : tests) EXPECT_LT(test.statistic(), UniformityTest::threshold);
}

/// P(a / (a + b) <= x) for a and b uniform in [1, w] by the trapezoid rule over a.
double scaled_pair_distribution(double w, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  constexpr int cells = 400;
  const auto chance = [&](double a) { return std::clamp((w - a * (1 - x) / x) / (w - 1), 0.0, 1.0); };
  double total = 0;
  for (int i = 0; i < cells; ++i) {
    const double width = (w - 1) / cells;
    total += (chance(1 + i * width) + chance(1 + (i + 1) * width)) / 2;
  }
  return total / cells;
}

TEST(ScaledUniform, AddsUpExactlyAndEveryIndexHasTheRightDistribution) {
  const Utilisation total = Utilisation::of(Rational{17, 10});
  const UtilisationBounds bounds{Utilisation::of(Rational{1, 10}), one};
  std::vector<UniformityTest> tests(2);
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    const std::vector<Utilisation> shares = scaled_uniform(2, total, bounds, seed, 0);
    ASSERT_EQ(shares.size(), 2U);
    ASSERT_EQ(sum(shares), total.steps);
    for (std::size_t i = 0; i < 2; ++i) {
      tests[i].add(scaled_pair_distribution(10, share(shares[i], total)));
    }
  }
  for (const UniformityTest& test : tests) EXPECT_LT(test.statistic(), UniformityTest::threshold);
}

TEST(ScaledUniform, IsTheDrawTimesOneFactor) {
  const UtilisationBounds bounds{Utilisation::of(Rational{1, 20}), one};
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const std::vector<Utilisation> small =
        scaled_uniform(5, Utilisation::of(Rational{1, 5}), bounds, seed, 0);
    const std::vector<Utilisation> large = scaled_uniform(5, Utilisation::of(Rational{4}), bounds, seed, 0);
    EXPECT_EQ(sum(small), Utilisation::of(Rational{1, 5}).steps);
    EXPECT_EQ(sum(large), Utilisation::of(Rational{4}).steps);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(static_cast<double>(large[i].steps), 20 * static_cast<double>(small[i].steps), 50);
      // No draw is more than 20 times another.
      EXPECT_LE(large[i].steps, 20 * large[(i + 1) % 5].steps + 100);
    }
  }
}

TEST(ScaledUniform, TheLargestNumbersFit) {
  const Utilisation most = Utilisation::of(Rational{Utilisation::most});
  const std::vector<Utilisation> shares = scaled_uniform(10'000, most, {most, most}, 1, 0);
  EXPECT_EQ(sum(shares), most.steps);
  for (const Utilisation part : shares) {
    EXPECT_NEAR(static_cast<double>(part.steps), static_cast<double>(most.steps) / 10'000, 2);
  }
  EXPECT_THAT(scaled_uniform(1, most, {none, one}, 1, 0), testing::ElementsAre(most));
  EXPECT_EQ(sum(scaled_uniform(3, one, {none, none}, 1, 0)), one.steps);
}

// The same digits on every machine: a change here changes every generated system.
TEST(UUniFast, GivesTheseDigits) {
  const std::vector<Utilisation> shares = uunifast(3, one, 1, 0);
  EXPECT_EQ(shares[0].steps, 14'627'143'449'006);
  EXPECT_EQ(shares[1].steps, 149'759'642'569'883);
  EXPECT_EQ(shares[2].steps, 117'088'190'691'767);
}

TEST(ScaledUniform, GivesTheseDigits) {
  const UtilisationBounds bounds{Utilisation::of(Rational{1, 20}), one};
  EXPECT_THAT(scaled_uniform(3, Utilisation::of(Rational{23, 10}), bounds, 1, 0),
              testing::ElementsAre(Utilisation{335'741'226'621'718}, Utilisation{267'674'086'455'736},
                                   Utilisation{43'977'133'357'054}));
}

}  // namespace
}  // namespace tactus::generate
