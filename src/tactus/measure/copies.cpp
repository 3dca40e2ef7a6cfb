#include "tactus/measure/copies.hpp"

#include <algorithm>

namespace tactus::measure {

CopyModel fit_copies(std::span<const CopyPoint> points, const MarginRule& rule) {
  std::vector<CopyTime> times;
  times.reserve(points.size());
  for (const CopyPoint& point : points) {
    times.push_back({point.bytes, std::max(rule.apply(point.to_device), rule.apply(point.from_device))});
  }
  return fit_copies(times);
}

}  // namespace tactus::measure
