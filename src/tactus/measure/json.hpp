// Measured times as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/measure/kernel_measurement.hpp"
#include "tactus/model/platform.hpp"

namespace tactus::measure {

/// "samples", "min_ns", "median_ns", "p99_ns", "p99_9_ns" and "max_ns".
nlohmann::ordered_json to_json(const SampleSummary& summary);

nlohmann::ordered_json to_json(const Overheads& overheads);

nlohmann::ordered_json to_json(const KernelMeasurement& measurement, const MarginRule& rule);

}  // namespace tactus::measure
