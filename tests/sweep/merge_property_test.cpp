// Whatever the order in which parts of a point are added, and however they are grouped: the bytes are the
// same.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "tactus/sweep/counts.hpp"
#include "tactus/sweep/json.hpp"

namespace tactus::sweep {
namespace {

UInt128 any_wide() {
  // A sum of a million parts still has room.
  const auto high = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40U);
  return (static_cast<UInt128>(high) << 64U) | *rc::gen::arbitrary<std::uint64_t>();
}

RatioMean any_mean() {
  RatioMean mean;
  const auto tasks = *rc::gen::inRange(0, 5);
  for (int i = 0; i < tasks; ++i) {
    mean.add(Duration{*rc::gen::inRange<std::int64_t>(0, Duration::max().count())},
             Duration{*rc::gen::inRange<std::int64_t>(1, Duration::max().count())});
  }
  return mean;
}

PartCounts any_part(std::int64_t number) {
  PartCounts part{2};
  for (std::size_t i = 0; i < 2; ++i) {
    Counts& counts = part.counts[i];
    counts.schedulable = *rc::gen::inRange(0, 100);
    counts.unproven = *rc::gen::inRange(0, 100);
    counts.sums.accepted_weight = any_wide();
    counts.sums.weight = counts.sums.accepted_weight + any_wide();
    counts.sums.bound_deadline = any_mean();
    counts.sums.bound_observed = any_mean();
    counts.sums.broken = *rc::gen::inRange(0, 3);
    if (*rc::gen::arbitrary<bool>()) {
      counts.not_applicable = 1;
      counts.why_not = "system " + std::to_string(number);
      part.first_why_not[i] = number;
    }
  }
  return part;
}

PartCounts sum_of(const std::vector<PartCounts>& parts) {
  PartCounts sum{2};
  for (const PartCounts& part : parts) sum.add(part);
  return sum;
}

RC_GTEST_PROP(PartCountsProperty, SumsDoNotDependOnTheOrder, ()) {
  std::vector<PartCounts> parts;
  const auto number = *rc::gen::inRange(1, 12);
  for (int i = 0; i < number; ++i) parts.push_back(any_part(i));
  const PartCounts sum = sum_of(parts);
  std::vector<PartCounts> shuffled = parts;
  for (std::size_t i = shuffled.size(); i > 1; --i) {
    std::swap(shuffled[i - 1], shuffled[*rc::gen::inRange<std::size_t>(0, i)]);
  }
  RC_ASSERT(sum_of(shuffled) == sum);
  RC_ASSERT(to_json(sum_of(shuffled)).dump() == to_json(sum).dump());
  // In two halves, each by way of text, as ranks and killed runs do it.
  const auto middle = static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::size_t>(0, parts.size() + 1));
  const auto sent = [](const PartCounts& part) {
    return *read_part_counts(nlohmann::json::parse(to_json(part).dump()), 2);
  };
  PartCounts halves = sent(sum_of({shuffled.begin(), shuffled.begin() + middle}));
  halves.add(sent(sum_of({shuffled.begin() + middle, shuffled.end()})));
  RC_ASSERT(halves == sum);
}

}  // namespace
}  // namespace tactus::sweep
