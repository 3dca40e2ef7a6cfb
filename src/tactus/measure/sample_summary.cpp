#include "tactus/measure/sample_summary.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tactus/measure/json.hpp"

namespace tactus::measure {

SampleSummary summary_of(std::vector<Duration> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto rank = [&](std::size_t per_mille) {
    return values[(values.size() * per_mille + 999) / 1000 - 1];
  };
  return {values.size(), values.front(), rank(500), rank(990), rank(999), values.back()};
}

nlohmann::ordered_json to_json(const SampleSummary& summary) {
  return {{"samples", summary.samples},          {"min_ns", summary.min.count()},
          {"median_ns", summary.median.count()}, {"p99_ns", summary.p99.count()},
          {"p99_9_ns", summary.p999.count()},    {"max_ns", summary.max.count()}};
}

}  // namespace tactus::measure
