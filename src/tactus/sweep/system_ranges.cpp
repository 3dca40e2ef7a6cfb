#include "tactus/sweep/system_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace tactus::sweep {

bool SystemRanges::add(SystemRange range) {
  if (range.first < 0 || range.count() <= 0) return false;
  auto next =
      std::upper_bound(ranges_.begin(), ranges_.end(), range.first,
                       [](std::int64_t first, const SystemRange& other) { return first < other.first; });
  const bool has_before = next != ranges_.begin();
  const bool has_next = next != ranges_.end();
  if (has_before && std::prev(next)->end > range.first) return false;
  if (has_next && next->first < range.end) return false;
  count_ += range.count();
  const bool touches_before = has_before && std::prev(next)->end == range.first;
  const bool touches_next = has_next && next->first == range.end;
  if (touches_before && touches_next) {
    std::prev(next)->end = next->end;
    ranges_.erase(next);
  } else if (touches_before) {
    std::prev(next)->end = range.end;
  } else if (touches_next) {
    next->first = range.first;
  } else {
    ranges_.insert(next, range);
  }
  return true;
}

std::vector<SystemRange> SystemRanges::gaps(std::int64_t end) const {
  std::vector<SystemRange> missing;
  std::int64_t from = 0;
  for (const SystemRange& range : ranges_) {
    if (from < range.first) missing.push_back({from, std::min(range.first, end)});
    from = range.end;
  }
  if (from < end) missing.push_back({from, end});
  return missing;
}

}  // namespace tactus::sweep
