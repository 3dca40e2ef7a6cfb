#include "tactus/base/sample_summary.hpp"

#include <algorithm>

namespace tactus {

SampleSummary summary_of(std::vector<Duration> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto rank = [&](std::size_t per_mille) {
    return values[(values.size() * per_mille + 999) / 1000 - 1];
  };
  return {values.size(), values.front(), rank(500), rank(990), rank(999), values.back()};
}

}  // namespace tactus
