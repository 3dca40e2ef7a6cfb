// Times of copies between host and device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/measure/margin_rule.hpp"
#include "tactus/measure/sample_summary.hpp"
#include "tactus/measure/work_fit.hpp"

namespace tactus::measure {

struct CopyQuestion {
  std::vector<std::int64_t> bytes;
  int samples = 200;  // of each size and direction
};

/// Copies of one size.
struct CopyPoint {
  std::int64_t bytes = 0;
  SampleSummary to_device;
  SampleSummary from_device;
};

/// The model covers every time with its margin, in both directions.
CopyModel fit_copies(std::span<const CopyPoint> points, const MarginRule& rule);

}  // namespace tactus::measure
