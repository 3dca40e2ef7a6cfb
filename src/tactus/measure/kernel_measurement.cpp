#include "tactus/measure/kernel_measurement.hpp"

#include <algorithm>

namespace tactus::measure {

namespace {

double ratio(Duration a, Duration b) {
  return b.count() == 0 ? 0 : static_cast<double>(a.count()) / static_cast<double>(b.count());
}

std::vector<WorkTime> work_times(const KernelSeries& series, const MarginRule& rule) {
  std::vector<WorkTime> times;
  for (const KernelPoint& point : series.points) {
    const std::int64_t virtual_sms = std::int64_t{point.sms} * std::max(1U, series.virtual_sms);
    times.push_back({virtual_sms, point.times.min, rule.apply(point.times)});
  }
  return times;
}

/// Whether one entry should cover both series.
bool belong_together(const KernelSeries& a, const KernelSeries& b) {
  return a.virtual_sms == b.virtual_sms && a.threads == b.threads;
}

KernelEntry entry_of(const KernelMeasurement& measurement, const KernelSeries& first,
                     const MarginRule& rule) {
  KernelEntry entry;
  entry.virtual_sms = first.virtual_sms;
  entry.threads = first.threads;
  std::vector<WorkTime> times;
  for (const KernelSeries& series : measurement.series) {
    if (!belong_together(series, first)) continue;
    for (const KernelPoint& point : series.points) {
      entry.samples += point.times.samples;
      entry.longest = std::max(entry.longest, point.times.max);
    }
    const std::vector<WorkTime> more = work_times(series, rule);
    times.insert(times.end(), more.begin(), more.end());
  }
  const KernelSeries* alone = first.virtual_sms > 1 ? find_alone(measurement, first) : nullptr;
  entry.segment = alone == nullptr ? fit_work(times) : fit_interleaved_work(work_times(*alone, rule), times);
  for (const WorkTime& time : times) {
    const Duration bound = gpu_time(entry.segment, time.virtual_sms).worst;
    entry.excess = std::max(entry.excess, ratio(bound - time.worst, time.worst));
  }
  return entry;
}

}  // namespace

std::vector<InterleaveRatio> interleave_ratios(const KernelSeries& alone, const KernelSeries& interleaved) {
  std::vector<InterleaveRatio> ratios;
  for (const KernelPoint& point : interleaved.points) {
    const auto other = std::find_if(alone.points.begin(), alone.points.end(),
                                    [&](const KernelPoint& one) { return one.sms == point.sms; });
    if (other == alone.points.end()) continue;
    const double pieces = interleaved.virtual_sms;
    ratios.push_back({point.sms, pieces * ratio(point.times.median, other->times.median),
                      pieces * ratio(point.times.max, other->times.max)});
  }
  return ratios;
}

const KernelSeries* find_alone(const KernelMeasurement& measurement, const KernelSeries& interleaved) {
  for (const KernelSeries& series : measurement.series) {
    if (series.virtual_sms == 1 && series.threads == interleaved.threads && series.co_runner.empty()) {
      return &series;
    }
  }
  return nullptr;
}

std::vector<KernelEntry> kernel_entries(const KernelMeasurement& measurement, const MarginRule& rule) {
  std::vector<KernelEntry> entries;
  for (const KernelSeries& series : measurement.series) {
    if (series.points.empty()) continue;
    const bool known = std::any_of(entries.begin(), entries.end(), [&](const KernelEntry& entry) {
      return entry.virtual_sms == series.virtual_sms && entry.threads == series.threads;
    });
    if (!known) entries.push_back(entry_of(measurement, series, rule));
  }
  return entries;
}

}  // namespace tactus::measure
