// Whether samples follow a distribution: Pearson's chi-square over bins that are equally likely.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tactus::test {

/// Counts values of a cumulative distribution function, which are uniform in [0, 1] if the function is right.
class UniformityTest {
 public:
  static constexpr std::size_t bins = 20;
  /// With 19 degrees of freedom a right generator exceeds this in about one of a million tests.
  static constexpr double threshold = 62;

  void add(double probability) {
    const double place = std::clamp(probability, 0.0, 1.0) * bins;
    ++counts_[std::min(static_cast<std::size_t>(place), bins - 1)];
  }

  [[nodiscard]] double statistic() const {
    const double expected =
        static_cast<double>(std::accumulate(counts_.begin(), counts_.end(), std::size_t{0})) / bins;
    double sum = 0;
    for (const std::size_t count : counts_) {
      const double difference = static_cast<double>(count) - expected;
      sum += difference * difference / expected;
    }
    return sum;
  }

 private:
  std::vector<std::size_t> counts_ = std::vector<std::size_t>(bins);
};

}  // namespace tactus::test
