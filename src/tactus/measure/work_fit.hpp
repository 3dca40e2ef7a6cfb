// Fits models of GPU work and copies that cover measured times.
#pragma once

#include <cstdint>
#include <span>

#include "tactus/base/time.hpp"
#include "tactus/measure/margin_rule.hpp"
#include "tactus/model/segment.hpp"

namespace tactus::measure {

/// Times of the work on this many virtual SMs in total: the shortest measured, and the longest with its
/// margin.
struct WorkTime {
  std::int64_t virtual_sms = 1;
  Duration best{};
  Duration worst{};
};

/// The work and its overhead, with interleave 1, such that `gpu_time` covers every point: at most its best
/// and at least its worst time. Of all such models, the one with the least mean relative excess over the
/// worst times, in whole microseconds. Requires a point with a time above 0.
GpuSegment fit_work(std::span<const WorkTime> times);

/// The same if `times` were measured with several virtual SMs on each SM and `alone` with one: the work is
/// that of `alone`, and the interleave ratio, rounded up to a thousandth, covers the longer times in `times`.
GpuSegment fit_interleaved_work(std::span<const WorkTime> alone, std::span<const WorkTime> times);

/// The longest time of a copy, with its margin.
struct CopyTime {
  std::int64_t bytes = 0;
  Duration worst{};
};

struct CopyModel {
  std::int64_t bandwidth = 1;  // bytes per second, at least 1
  Duration overhead{};         // in whole microseconds

  friend bool operator==(const CopyModel&, const CopyModel&) = default;
};

/// A bandwidth and an overhead such that copy_time(bytes, bandwidth) + overhead covers every point. Of all
/// such models, the one with the least mean relative excess. Requires two sizes.
CopyModel fit_copies(std::span<const CopyTime> times);

/// The measured times of copies of one size.
struct CopyPoint {
  std::int64_t bytes = 0;
  SampleSummary to_device;
  SampleSummary from_device;
};

/// The same for every time with its margin, in both directions.
CopyModel fit_copies(std::span<const CopyPoint> points, const MarginRule& rule);

}  // namespace tactus::measure
