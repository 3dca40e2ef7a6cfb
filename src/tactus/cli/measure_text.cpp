#include "tactus/cli/measure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tactus/base/text.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/report/table.hpp"

namespace tactus::cli {

namespace {

/// For tables: microseconds with the resolution of the clock.
std::string microseconds(Duration time) {
  return fmt::format("{:.2f}us", static_cast<double>(time.count()) / 1000);
}

std::string name_of(const measure::KernelSeries& series) {
  std::string name = series.virtual_sms == 0 ? "grid" : fmt::format("V={}", series.virtual_sms);
  name += fmt::format(" x{}", series.threads);
  if (!series.co_runner.empty()) name += " +" + series.co_runner;
  return name;
}

const measure::KernelPoint* find(const measure::KernelSeries& series, int sms) {
  for (const measure::KernelPoint& point : series.points) {
    if (point.sms == sms) return &point;
  }
  return nullptr;
}

std::set<int> all_sms(const measure::KernelMeasurement& measurement) {
  std::set<int> all;
  for (const measure::KernelSeries& series : measurement.series) {
    for (const measure::KernelPoint& point : series.points) all.insert(point.sms);
  }
  return all;
}

std::string times_table(const measure::KernelMeasurement& measurement) {
  std::vector<std::string> columns{"SMs"};
  for (const measure::KernelSeries& series : measurement.series) {
    columns.insert(columns.end(), {name_of(series), "max"});
  }
  report::Table table{{}, columns};
  for (const int sms : all_sms(measurement)) {
    std::vector<report::Cell> row{fmt::to_string(sms)};
    for (const measure::KernelSeries& series : measurement.series) {
      const measure::KernelPoint* point = find(series, sms);
      row.emplace_back(point == nullptr ? "-" : microseconds(point->times.median));
      row.emplace_back(point == nullptr ? "-" : microseconds(point->times.max));
    }
    table.add_row(std::move(row));
  }
  return table.to_text(wants_colour(), text_width());
}

std::string ratios_table(const measure::KernelMeasurement& measurement) {
  std::vector<std::string> columns;
  const std::set<int> all = all_sms(measurement);
  columns.reserve(all.size());
  for (const int sms : all) columns.push_back(fmt::format("{} SM{}", sms, sms == 1 ? "" : "s"));
  report::Table table{{"interleave ratio"}, columns};
  bool any = false;
  for (const measure::KernelSeries& series : measurement.series) {
    const measure::KernelSeries* alone = measure::find_alone(measurement, series);
    if (series.virtual_sms < 2 || alone == nullptr) continue;
    any = true;
    const std::vector<measure::InterleaveRatio> ratios = measure::interleave_ratios(*alone, series);
    std::vector<report::Cell> row{name_of(series)};
    for (const int sms : all) {
      const auto ratio = std::find_if(ratios.begin(), ratios.end(),
                                      [&](const measure::InterleaveRatio& one) { return one.sms == sms; });
      row.emplace_back(ratio == ratios.end() ? "-" : fmt::format("{:.3f}", ratio->median));
    }
    table.add_row(std::move(row));
  }
  return any ? table.to_text(wants_colour(), text_width()) : std::string{};
}

}  // namespace

std::string summaries_table(const std::vector<SummaryRow>& rows) {
  report::Table table{{"overhead"}, {"median", "p99", "p99.9", "max", "samples"}};
  for (const auto& [name, summary] : rows) {
    table.add_row({name, microseconds(summary.median), microseconds(summary.p99), microseconds(summary.p999),
                   microseconds(summary.max), with_thousands(summary.samples)});
  }
  return table.to_text(wants_colour(), text_width());
}

std::string as_comment(const std::string& lines) {
  std::string text = "# ";
  for (const char c : lines) {
    text += c;
    if (c == '\n') text += "# ";
  }
  return text + "\n";
}

std::string platform_entry(const Platform& platform, const std::string& comment) {
  return as_comment(comment) + to_platform_entry(platform);
}

std::string kernel_text(const measure::KernelMeasurement& measurement) {
  const measure::KernelSeries* first = measurement.series.empty() ? nullptr : &measurement.series.front();
  std::string text = measurement.kernel;
  if (first != nullptr) {
    text +=
        fmt::format(": {} of {} threads, {} a block\n", plural(first->blocks, "block"), first->threads,
                    plural(measurement.amount, measurement.kernel == "spin" ? "nanosecond" : "iteration"));
  }
  text += times_table(measurement);
  if (const std::string ratios = ratios_table(measurement); !ratios.empty()) text += "\n" + ratios;
  return text;
}

std::string kernel_entries_text(const measure::KernelMeasurement& measurement,
                                const measure::MarginRule& rule) {
  std::string text;
  for (const measure::KernelEntry& entry : measure::kernel_entries(measurement, rule)) {
    const std::string form = entry.virtual_sms == 0
                                 ? std::string{"plain grid, whole SMs (virtual_sms_per_sm: 1)"}
                                 : fmt::format("pinned loop, virtual_sms_per_sm: {}", entry.virtual_sms);
    text += as_comment(
        fmt::format("{}: {}, blocks of {} threads\n{}, longest {}; rule: {}; at most {:.1f} % above it",
                    measurement.kernel, form, entry.threads, plural(entry.samples, "sample"),
                    to_text(entry.longest), rule.text(), 100 * entry.excess));
    text += "- " + to_segment_entry(entry.segment) + "\n";
  }
  return text;
}

std::string copies_table(const std::vector<measure::CopyPoint>& points, const measure::CopyModel& model) {
  report::Table table{{}, {"bytes", "to device", "max", "from device", "max", "modelled"}};
  for (const measure::CopyPoint& point : points) {
    const std::optional<Duration> time = copy_time(point.bytes, model.bandwidth);
    table.add_row({size_text(point.bytes), microseconds(point.to_device.median),
                   microseconds(point.to_device.max), microseconds(point.from_device.median),
                   microseconds(point.from_device.max),
                   time ? microseconds(*time + model.overhead) : std::string{"-"}});
  }
  return table.to_text(wants_colour(), text_width());
}

}  // namespace tactus::cli
