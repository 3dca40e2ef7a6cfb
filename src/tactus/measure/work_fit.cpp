// Both models are a line, time = slope * x + height, that must lie on or above all points: over x = 1 / v for
// work (the height is the overhead), over bytes for copies. The line with the least excess touches two
// points, or touches one and has no height. There are few points, so all candidates are tried, and each is
// raised in integers until it covers all points. So rounding can affect only how tight the model is, not
// whether it covers the points.
#include "tactus/measure/work_fit.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "tactus/base/error.hpp"

namespace tactus::measure {

namespace {

Int128 ceil_quotient(Int128 a, Int128 b) { return a / b + (a % b > 0 ? 1 : 0); }

std::int64_t narrow(Int128 value) {
  if (value > std::numeric_limits<std::int64_t>::max()) {
    throw OverflowError{"measured work leaves 64 bits of nanoseconds"};
  }
  return static_cast<std::int64_t>(value);
}

constexpr std::int64_t microsecond = 1000;

Int128 up_to_microseconds(Int128 value) { return ceil_quotient(value, microsecond) * microsecond; }

/// The least work that covers all points with this overhead.
GpuSegment work_with_overhead(std::span<const WorkTime> times, std::int64_t overhead) {
  Int128 parallel = 0;  // divided among the virtual SMs
  for (const WorkTime& time : times) {
    const Int128 left = static_cast<Int128>(time.worst.count()) - overhead;
    // Rounded up, so that the last virtual SM gets its fraction of a nanosecond.
    if (left > 0) parallel = std::max(parallel, (left - 1) * time.virtual_sms + 1);
  }
  GpuSegment segment;
  segment.work.worst = nanoseconds(narrow(up_to_microseconds(parallel + overhead)));
  segment.overhead = {nanoseconds(overhead), nanoseconds(overhead)};
  return segment;
}

Duration bound(const GpuSegment& segment, const WorkTime& time) {
  return gpu_time(segment, time.virtual_sms).worst;
}

Duration bound(const CopyModel& model, const CopyTime& copy) {
  const std::optional<Duration> time = copy_time(copy.bytes, model.bandwidth);
  if (!time) throw OverflowError{"the time of a copy leaves 64 bits of nanoseconds"};
  return checked_add(*time, model.overhead);
}

/// The mean relative excess of a model over the times.
template <class Model, class Times>
double average_excess(const Times& times, const Model& model) {
  double sum = 0;
  for (const auto& time : times) {
    const double base = std::max<double>(1.0, static_cast<double>(time.worst.count()));
    sum += static_cast<double>((bound(model, time) - time.worst).count()) / base;
  }
  return sum / static_cast<double>(times.size());
}

/// The largest work with which no point is faster than the model.
Duration best_work(std::span<const WorkTime> times) {
  Int128 best = std::numeric_limits<std::int64_t>::max();
  for (const WorkTime& time : times) {
    best = std::min(best, static_cast<Int128>(time.best.count()) * time.virtual_sms);
  }
  return nanoseconds(static_cast<std::int64_t>(best / microsecond * microsecond));
}

/// The overhead with which both points lie on the line; nothing if there is none.
std::optional<std::int64_t> common_overhead(const WorkTime& a, const WorkTime& b) {
  if (a.virtual_sms == b.virtual_sms) return std::nullopt;
  const Int128 difference = static_cast<Int128>(a.virtual_sms) * a.worst.count() -
                            static_cast<Int128>(b.virtual_sms) * b.worst.count();
  const Int128 overhead = difference / (a.virtual_sms - b.virtual_sms);
  if (overhead < 0 || overhead > std::numeric_limits<std::int64_t>::max() - microsecond) return std::nullopt;
  return static_cast<std::int64_t>(up_to_microseconds(overhead));
}

}  // namespace

GpuSegment fit_work(std::span<const WorkTime> times) {
  Duration longest{};
  for (const WorkTime& time : times) longest = std::max(longest, time.worst);
  if (longest <= Duration{}) throw InputError{"there is no time from which work could be found"};
  GpuSegment found = work_with_overhead(times, 0);
  double least = average_excess(times, found);
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (std::size_t j = i + 1; j < times.size(); ++j) {
      const std::optional<std::int64_t> overhead = common_overhead(times[i], times[j]);
      if (!overhead || *overhead > longest.count()) continue;
      const GpuSegment candidate = work_with_overhead(times, *overhead);
      const double average = average_excess(times, candidate);
      if (average >= least) continue;
      least = average;
      found = candidate;
    }
  }
  found.work.best = std::min(best_work(times), found.work.worst);
  return found;
}

GpuSegment fit_interleaved_work(std::span<const WorkTime> alone, std::span<const WorkTime> times) {
  constexpr Int128 fineness = 1000;
  const GpuSegment base = fit_work(alone);
  const GpuSegment interleaved = fit_work(times);
  const Int128 thousandths =
      ceil_quotient(fineness * interleaved.work.worst.count(), Int128{base.work.worst.count()});
  GpuSegment segment;
  segment.work = {std::min(base.work.best, interleaved.work.best), base.work.worst};
  segment.overhead = interleaved.overhead;
  segment.interleave = Rational{narrow(std::max(thousandths, fineness)), static_cast<std::int64_t>(fineness)};
  return segment;
}

namespace {

constexpr Int128 second = 1'000'000'000;

/// Rounded to ten million bytes per second: measured bandwidths vary by more.
std::int64_t rounded_down(Int128 bandwidth) {
  constexpr Int128 step = 10'000'000;
  return narrow(std::max<Int128>(1, bandwidth >= step ? bandwidth / step * step : bandwidth));
}

CopyModel model_with(std::span<const CopyTime> times, std::int64_t bandwidth) {
  CopyModel model{.bandwidth = bandwidth, .overhead = {}};
  Duration overhead{};
  for (const CopyTime& time : times) overhead = std::max(overhead, time.worst - bound(model, time));
  model.overhead = nanoseconds(narrow(up_to_microseconds(overhead.count())));
  return model;
}

}  // namespace

CopyModel fit_copies(std::span<const CopyTime> times) {
  std::int64_t largest = 0;
  for (const CopyTime& time : times) largest = std::max(largest, time.bytes);
  std::optional<CopyModel> found;
  double least = 0;
  const auto consider = [&](std::int64_t bytes, Duration time) {
    if (bytes <= 0 || time <= Duration{}) return;
    const std::int64_t bandwidth = rounded_down(second * bytes / time.count());
    if (!copy_time(largest, bandwidth)) return;  // too slow: the time of the largest copy overflows
    const CopyModel candidate = model_with(times, bandwidth);
    const double average = average_excess(times, candidate);
    if (found && average >= least) return;
    least = average;
    found = candidate;
  };
  for (std::size_t i = 0; i < times.size(); ++i) {
    consider(times[i].bytes, times[i].worst);  // without overhead
    for (std::size_t j = 0; j < times.size(); ++j) {
      if (times[j].bytes < times[i].bytes) {
        consider(times[i].bytes - times[j].bytes, times[i].worst - times[j].worst);
      }
    }
  }
  if (!found) throw InputError{"a bandwidth needs copies of at least one size above 0 that take time"};
  return *found;
}

CopyModel fit_copies(std::span<const CopyPoint> points, const MarginRule& rule) {
  std::vector<CopyTime> times;
  for (const CopyPoint& point : points) {
    times.push_back({point.bytes, std::max(rule.apply(point.to_device), rule.apply(point.from_device))});
  }
  return fit_copies(times);
}

}  // namespace tactus::measure
