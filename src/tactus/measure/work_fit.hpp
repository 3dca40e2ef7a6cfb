// A model of GPU work and of copies that covers what was measured.
#pragma once

#include <cstdint>
#include <span>

#include "tactus/base/time.hpp"
#include "tactus/model/segment.hpp"

namespace tactus::measure {

/// What work took on so many virtual SMs in all: the shortest time seen, and the longest with its margin.
struct WorkTime {
  std::int64_t virtual_sms = 1;
  Duration best{};
  Duration worst{};
};

/// The work and its overhead, with interleave 1, such that `gpu_time` covers every point: not above its best
/// and not below its worst time. Of all such, the one that exceeds the worst times least, in relation to
/// them and on average, in whole microseconds. Needs a point with a time above 0.
GpuSegment fit_work(std::span<const WorkTime> times);

/// The same where `times` were measured with several virtual SMs on each SM and `alone` with one: the work
/// is that of `alone`, and the interleave ratio covers what is longer in `times`, rounded up to a thousandth.
GpuSegment fit_interleaved_work(std::span<const WorkTime> alone, std::span<const WorkTime> times);

/// The longest time of a copy, with its margin.
struct CopyTime {
  std::int64_t bytes = 0;
  Duration worst{};
};

struct CopyModel {
  std::int64_t bandwidth = 1;  // bytes a second, at least 1
  Duration overhead{};         // in whole microseconds

  friend bool operator==(const CopyModel&, const CopyModel&) = default;
};

/// A bandwidth and an overhead such that copy_time(bytes, bandwidth) + overhead covers every point. Of all
/// such, the one that exceeds the times least, in relation to them and on average. Needs two sizes.
CopyModel fit_copies(std::span<const CopyTime> times);

}  // namespace tactus::measure
