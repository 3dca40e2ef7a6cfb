#include "tactus/sweep/counts.hpp"

#include <algorithm>

namespace tactus::sweep {

void Counts::add(const Counts& more) {
  for (const auto number : count_members) this->*number += more.*number;
  sums.add(more.sums);
}

bool SweepResult::complete() const { return finished() == points.size(); }

std::size_t SweepResult::finished() const {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const auto& point) { return point.has_value(); }));
}

std::int64_t accepted(const Counts& counts, analysis::Kind kind) {
  return kind == analysis::Kind::necessary ? counts.schedulable + counts.unproven : counts.schedulable;
}

PartCounts::PartCounts(std::size_t analyses) : counts(analyses), first_why_not(analyses, no_system) {}

void PartCounts::add(const PartCounts& more) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i].add(more.counts[i]);
    if (more.first_why_not[i] < first_why_not[i]) {
      first_why_not[i] = more.first_why_not[i];
      counts[i].why_not = more.counts[i].why_not;
    }
  }
}

}  // namespace tactus::sweep
