#include "tactus/measure/kernel_measurement.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tactus/io/write_system.hpp"
#include "tactus/measure/json.hpp"

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

nlohmann::ordered_json series_json(const KernelSeries& series) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const KernelPoint& point : series.points) {
    nlohmann::ordered_json one{{"sms", point.sms}};
    one.update(to_json(point.times));
    points.push_back(std::move(one));
  }
  nlohmann::ordered_json json{{"virtual_sms", nullptr},
                              {"threads", series.threads},
                              {"blocks", series.blocks},
                              {"co_runner", nullptr},
                              {"points", std::move(points)}};
  if (series.virtual_sms != 0) json["virtual_sms"] = series.virtual_sms;
  if (!series.co_runner.empty()) json["co_runner"] = series.co_runner;
  return json;
}

nlohmann::ordered_json ratios_json(const KernelSeries& alone, const KernelSeries& interleaved) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const InterleaveRatio& one : interleave_ratios(alone, interleaved)) {
    points.push_back({{"sms", one.sms}, {"median", one.median}, {"max", one.max}});
  }
  nlohmann::ordered_json json{{"virtual_sms", interleaved.virtual_sms},
                              {"threads", interleaved.threads},
                              {"co_runner", nullptr},
                              {"points", std::move(points)}};
  if (!interleaved.co_runner.empty()) json["co_runner"] = interleaved.co_runner;
  return json;
}

nlohmann::ordered_json entry_json(const KernelEntry& entry) {
  const GpuSegment& segment = entry.segment;
  nlohmann::ordered_json json{{"virtual_sms", nullptr},
                              {"threads", entry.threads},
                              {"samples", entry.samples},
                              {"longest_ns", entry.longest.count()},
                              {"work_ns", {segment.work.best.count(), segment.work.worst.count()}},
                              {"overhead_ns", segment.overhead.worst.count()},
                              {"interleave", to_decimal(segment.interleave).value_or("")},
                              {"entry", to_segment_entry(segment)}};
  if (entry.virtual_sms != 0) json["virtual_sms"] = entry.virtual_sms;
  return json;
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

nlohmann::ordered_json to_json(const SampleSummary& summary) {
  return {{"samples", summary.samples},          {"min_ns", summary.min.count()},
          {"median_ns", summary.median.count()}, {"p99_ns", summary.p99.count()},
          {"p99_9_ns", summary.p999.count()},    {"max_ns", summary.max.count()}};
}

nlohmann::ordered_json to_json(const KernelMeasurement& measurement, const MarginRule& rule) {
  nlohmann::ordered_json series = nlohmann::ordered_json::array();
  nlohmann::ordered_json ratios = nlohmann::ordered_json::array();
  for (const KernelSeries& one : measurement.series) {
    series.push_back(series_json(one));
    const KernelSeries* alone = find_alone(measurement, one);
    if (one.virtual_sms > 1 && alone != nullptr) ratios.push_back(ratios_json(*alone, one));
  }
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const KernelEntry& entry : kernel_entries(measurement, rule)) entries.push_back(entry_json(entry));
  return {{"kernel", measurement.kernel},
          {"amount", measurement.amount},
          {"series", std::move(series)},
          {"interleave_ratios", std::move(ratios)},
          {"entries", std::move(entries)}};
}

}  // namespace tactus::measure
