// The output of `tactus measure`: tables and entries for a system file.
#pragma once

#include <string>
#include <vector>

#include "tactus/measure/measurements.hpp"

namespace tactus::cli {

struct SummaryRow {
  std::string name;
  measure::SampleSummary summary;
};

std::string summaries_table(const std::vector<SummaryRow>& rows);

/// Puts "# " before every line.
std::string as_comment(const std::string& lines);

std::string platform_entry(const Platform& platform, const std::string& comment);

std::string kernel_text(const measure::KernelMeasurement& measurement);
/// Entries for a list of segments.
std::string kernel_entries_text(const measure::KernelMeasurement& measurement,
                                const measure::MarginRule& rule);

std::string copies_table(const std::vector<measure::CopyPoint>& points, const measure::CopyModel& model);

}  // namespace tactus::cli
