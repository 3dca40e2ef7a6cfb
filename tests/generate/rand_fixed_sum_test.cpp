#include "tactus/generate/rand_fixed_sum.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "support/chi_square.hpp"

namespace tactus::generate {
namespace {

using test::UniformityTest;

constexpr std::uint64_t samples = 20'000;
constexpr double one_step = 1.0 / static_cast<double>(std::int64_t{1} << Utilisation::bits);

Utilisation of(std::int64_t numerator, std::int64_t denominator = 1) {
  return Utilisation::of(Rational{numerator, denominator});
}

const UtilisationBounds unit{of(0), of(1)};

double number(Utilisation utilisation) { return static_cast<double>(utilisation.steps) * one_step; }

std::int64_t sum(const std::vector<Utilisation>& shares) {
  return std::accumulate(shares.begin(), shares.end(), std::int64_t{0},
                         [](std::int64_t total, Utilisation part) { return total + part.steps; });
}

/// P(X <= x) for the sum X of n numbers uniform in [0, 1] (Irwin and Hall): found by counting corners of the
/// cube, which has nothing to do with the method under test.
double sum_of_uniforms(int n, double x) {
  if (x <= 0) return 0;
  if (x >= n) return 1;
  double result = 0;
  for (int k = 0; k <= n && k < x; ++k) {
    const double ways = std::exp(-std::lgamma(k + 1) - std::lgamma(n - k + 1));
    result += (k % 2 == 0 ? 1 : -1) * ways * std::pow(x - k, n);
  }
  return result;
}

/// Its density.
double density(int n, double x) { return sum_of_uniforms(n - 1, x) - sum_of_uniforms(n - 1, x - 1); }

/// P(entry <= x) for n entries in [0, 1], uniform over those with the sum s: the entry is u and the n - 1
/// others have the sum s - u.
double entry_distribution(int n, double s, double x) {
  return (sum_of_uniforms(n - 1, s) - sum_of_uniforms(n - 1, s - x)) / density(n, s);
}

/// P(sum of k entries <= x), tabulated by the trapezoid rule.
class PartDistribution {
 public:
  PartDistribution(int k, int n, double s) : width_{static_cast<double>(k) / cells} {
    const auto at = [&](int cell) { return density(k, cell * width_) * density(n - k, s - cell * width_); };
    for (int cell = 0; cell < cells; ++cell) {
      sums_[static_cast<std::size_t>(cell) + 1] =
          sums_[static_cast<std::size_t>(cell)] + (at(cell) + at(cell + 1)) / 2;
    }
  }

  [[nodiscard]] double operator()(double x) const {
    const double place = std::clamp(x / width_, 0.0, static_cast<double>(cells));
    const auto cell = std::min(static_cast<std::size_t>(place), std::size_t{cells - 1});
    const double rest = place - static_cast<double>(cell);
    return (sums_[cell] + rest * (sums_[cell + 1] - sums_[cell])) / sums_.back();
  }

 private:
  static constexpr int cells = 3000;
  double width_;
  std::array<double, cells + 1> sums_{};
};

struct Shape {
  int entries;
  std::int64_t numerator;  // of the sum
  std::int64_t denominator;
};

/// Sums near a corner, in the middle, on a whole number, and above the middle.
constexpr std::array<Shape, 8> shapes{
    {{2, 3, 2}, {3, 1, 1}, {3, 5, 2}, {4, 2, 1}, {5, 1, 4}, {5, 23, 10}, {6, 5, 1}, {7, 31, 10}}};

TEST(RandFixedSum, KeepsSumAndBoundsExactly) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const std::size_t tasks : {1U, 2U, 3U, 10U, 40U}) {
      // Least 0.05, most 0.6, and a total anywhere between what they allow.
      const UtilisationBounds bounds{of(1, 20), of(3, 5)};
      const auto many = static_cast<std::int64_t>(tasks);
      const Utilisation total{many * bounds.least.steps + many * (bounds.most.steps - bounds.least.steps) /
                                                              300 * static_cast<std::int64_t>(seed)};
      const std::vector<Utilisation> shares = rand_fixed_sum(tasks, total, bounds, seed, 0);
      ASSERT_EQ(shares.size(), tasks);
      EXPECT_EQ(sum(shares), total.steps);
      EXPECT_GE(*std::min_element(shares.begin(), shares.end()), bounds.least);
      EXPECT_LE(*std::max_element(shares.begin(), shares.end()), bounds.most);
    }
  }
}

TEST(RandFixedSum, CornersLeaveNoChoice) {
  const UtilisationBounds bounds{of(1, 4), of(1, 2)};
  EXPECT_THAT(rand_fixed_sum(3, of(3, 4), bounds, 1, 0), testing::Each(of(1, 4)));
  EXPECT_THAT(rand_fixed_sum(3, of(3, 2), bounds, 1, 0), testing::Each(of(1, 2)));
  EXPECT_THAT(rand_fixed_sum(1, of(1, 3), bounds, 1, 0), testing::ElementsAre(of(1, 3)));
  EXPECT_THAT(rand_fixed_sum(4, of(1), {of(1, 4), of(1, 4)}, 1, 0), testing::Each(of(1, 4)));
  // One step away from a corner.
  const Utilisation above{of(3, 4).steps + 1};
  EXPECT_EQ(sum(rand_fixed_sum(3, above, bounds, 1, 0)), above.steps);
  const Utilisation below{of(3, 2).steps - 1};
  EXPECT_EQ(sum(rand_fixed_sum(3, below, bounds, 1, 0)), below.steps);
}

TEST(RandFixedSum, EveryIndexHasTheSameRightDistribution) {
  for (const Shape& shape : shapes) {
    const Utilisation total = of(shape.numerator, shape.denominator);
    std::vector<UniformityTest> tests(static_cast<std::size_t>(shape.entries));
    for (std::uint64_t seed = 0; seed < samples; ++seed) {
      const std::vector<Utilisation> shares = rand_fixed_sum(tests.size(), total, unit, seed, 0);
      for (std::size_t i = 0; i < tests.size(); ++i) {
        tests[i].add(entry_distribution(shape.entries, number(total), number(shares[i])));
      }
    }
    for (std::size_t i = 0; i < tests.size(); ++i) {
      EXPECT_LT(tests[i].statistic(), UniformityTest::threshold)
          << "index " << i << " of " << shape.entries << ", sum " << number(total);
    }
  }
}

TEST(RandFixedSum, SumsOfSeveralEntriesHaveTheRightDistribution) {
  for (const Shape& shape : shapes) {
    if (shape.entries < 4) continue;
    const Utilisation total = of(shape.numerator, shape.denominator);
    for (int k = 2; k <= shape.entries - 2; ++k) {
      const PartDistribution distribution{k, shape.entries, number(total)};
      UniformityTest first;
      UniformityTest last;
      for (std::uint64_t seed = 0; seed < samples / 2; ++seed) {
        const std::vector<Utilisation> shares =
            rand_fixed_sum(static_cast<std::size_t>(shape.entries), total, unit, seed, 1);
        const std::vector<Utilisation> front(shares.begin(), shares.begin() + k);
        const std::vector<Utilisation> back(shares.end() - k, shares.end());
        first.add(distribution(static_cast<double>(sum(front)) * one_step));
        last.add(distribution(static_cast<double>(sum(back)) * one_step));
      }
      EXPECT_LT(first.statistic(), UniformityTest::threshold) << k << " of " << shape.entries;
      EXPECT_LT(last.statistic(), UniformityTest::threshold) << k << " of " << shape.entries;
    }
  }
}

/// Two samples of the same size, counted in the bins of [0, 1].
class TwoSampleTest {
 public:
  void add(std::size_t sample, double value) {
    const double place = std::clamp(value, 0.0, 1.0) * bins;
    ++counts_.at(sample).at(std::min(static_cast<std::size_t>(place), bins - 1));
  }
  /// With at most 19 degrees of freedom the threshold of UniformityTest is on the safe side.
  [[nodiscard]] double statistic() const {
    double result = 0;
    for (std::size_t i = 0; i < bins; ++i) {
      const auto a = static_cast<double>(counts_[0].at(i));
      const auto b = static_cast<double>(counts_[1].at(i));
      if (a + b > 0) result += (a - b) * (a - b) / (a + b);
    }
    return result;
  }

 private:
  static constexpr std::size_t bins = 20;
  std::array<std::array<std::size_t, bins>, 2> counts_{};
};

// What holds for all entries together: the largest, the smallest, the product of two. The reference draws
// from the whole simplex and throws away what breaks the bounds.
TEST(RandFixedSum, AgreesWithDrawingAndDiscarding) {
  const UtilisationBounds bounds{of(1, 10), of(7, 10)};
  constexpr std::size_t tasks = 5;
  const Utilisation total = of(19, 10);
  TwoSampleTest largest;
  TwoSampleTest smallest;
  TwoSampleTest product;
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    const std::array<std::vector<Utilisation>, 2> both{
        rand_fixed_sum(tasks, total, bounds, seed, 0),
        uunifast_discard(tasks, total, bounds, seed, 1).value()};
    for (std::size_t i = 0; i < both.size(); ++i) {
      const std::vector<Utilisation>& shares = both.at(i);
      largest.add(i, number(*std::max_element(shares.begin(), shares.end())));
      smallest.add(i, number(*std::min_element(shares.begin(), shares.end())));
      product.add(i, number(shares[0]) * number(shares[4]) / 0.49);
    }
  }
  EXPECT_LT(largest.statistic(), UniformityTest::threshold);
  EXPECT_LT(smallest.statistic(), UniformityTest::threshold);
  EXPECT_LT(product.statistic(), UniformityTest::threshold);
}

// The tests above would notice a vector that is not uniform.
TEST(RandFixedSum, TheTestsOfUniformityRejectScaledNumbers) {
  const Utilisation total = of(23, 10);
  UniformityTest entry;
  UniformityTest pair;
  const PartDistribution distribution{2, 5, number(total)};
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    const std::vector<Utilisation> shares = scaled_uniform(5, total, unit, seed, 0);
    entry.add(entry_distribution(5, number(total), number(shares[0])));
    pair.add(distribution(number(shares[0]) + number(shares[1])));
  }
  EXPECT_GT(entry.statistic(), 5 * UniformityTest::threshold);
  EXPECT_GT(pair.statistic(), 2 * UniformityTest::threshold);
}

// Where drawing and discarding gives up. Turned over, the entries are nearly a simplex of the rest.
TEST(RandFixedSum, ReachesWhereDiscardingCannot) {
  const Utilisation total = of(199, 10);
  EXPECT_EQ(uunifast_discard(20, total, unit, 1, 0), std::nullopt);
  UniformityTest test;
  for (std::uint64_t seed = 0; seed < samples / 10; ++seed) {
    const std::vector<Utilisation> shares = rand_fixed_sum(20, total, unit, seed, 0);
    ASSERT_EQ(sum(shares), total.steps);
    // What is missing to 1 is uniform over the simplex with the sum 0.1: P(missing > x) = (1 - x/0.1)^19.
    test.add(std::pow(1 - (1 - number(shares[7])) / 0.1, 19));
  }
  EXPECT_LT(test.statistic(), UniformityTest::threshold);
}

TEST(RandFixedSum, TakesAsManyTasksAsItSays) {
  const std::vector<Utilisation> shares = rand_fixed_sum(rand_fixed_sum_max_tasks, of(400), unit, 1, 0);
  EXPECT_EQ(sum(shares), of(400).steps);
  EXPECT_LE(*std::max_element(shares.begin(), shares.end()), of(1));
  // 1000 entries below 1 with the mean 0.4: the largest is near 1 and the smallest near 0.
  EXPECT_GT(*std::max_element(shares.begin(), shares.end()), of(9, 10));
  EXPECT_LT(*std::min_element(shares.begin(), shares.end()), of(1, 100));
}

TEST(RandFixedSum, TheLargestNumbersFit) {
  const Utilisation most = of(Utilisation::most);
  EXPECT_EQ(sum(rand_fixed_sum(50, most, {of(0), most}, 1, 0)), most.steps);
  EXPECT_EQ(sum(rand_fixed_sum(2, most, {of(1), most}, 1, 0)), most.steps);
  const UtilisationBounds narrow{of(1), Utilisation{of(1).steps + 1}};
  const Utilisation total{of(100).steps + 37};
  EXPECT_EQ(sum(rand_fixed_sum(100, total, narrow, 1, 0)), total.steps);
}

TEST(RandFixedSum, GroupsAndSeedsAreIndependent) {
  EXPECT_EQ(rand_fixed_sum(4, of(2), unit, 7, 0), rand_fixed_sum(4, of(2), unit, 7, 0));
  EXPECT_NE(rand_fixed_sum(4, of(2), unit, 7, 0), rand_fixed_sum(4, of(2), unit, 7, 1));
  EXPECT_NE(rand_fixed_sum(4, of(2), unit, 7, 0), rand_fixed_sum(4, of(2), unit, 8, 0));
}

// The same digits on every machine: a change here changes every system drawn this way.
TEST(RandFixedSum, GivesTheseDigits) {
  EXPECT_THAT(rand_fixed_sum(5, of(23, 10), {of(1, 20), of(1)}, 1, 0),
              testing::ElementsAre(Utilisation{147'656'018'412'928}, Utilisation{159'357'733'172'134},
                                   Utilisation{31'440'877'278'855}, Utilisation{63'094'143'482'142},
                                   Utilisation{245'843'674'088'449}));
}

}  // namespace
}  // namespace tactus::generate
