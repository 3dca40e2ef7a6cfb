#include "tactus/measure/json.hpp"

#include <nlohmann/json.hpp>

#include "tactus/io/write_system.hpp"

namespace tactus::measure {

namespace {

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

nlohmann::ordered_json to_json(const Overheads& overheads) {
  nlohmann::ordered_json json{{"release_ns", overheads.release.count()},
                              {"launch_ns", overheads.launch.count()},
                              {"completion_ns", overheads.completion.count()},
                              {"copy_ns", overheads.copy.count()},
                              {"cpu_ns", overheads.cpu.count()}};
  if (overheads.resident) {
    json["resident"] = {{"release_ns", overheads.resident->release.count()},
                        {"completion_ns", overheads.resident->completion.count()}};
  }
  if (overheads.doorbell) {
    json["doorbell"] = {{"launch_ns", overheads.doorbell->launch.count()},
                        {"completion_ns", overheads.doorbell->completion.count()}};
  }
  if (overheads.engine != EngineTime{}) {
    json["engine"] = {{"event_ns", overheads.engine.event.count()},
                      {"submit_ns", overheads.engine.submit.count()}};
  }
  return json;
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
