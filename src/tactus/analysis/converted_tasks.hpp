// Tasks converted so that windows need not be considered, and the EDF test for them on a dedicated processor.
#pragma once

#include <cstdint>
#include <span>

#include "tactus/analysis/server_results.hpp"

namespace tactus::analysis {

/// A task that costs `cost / parts`; 0 < deadline <= period.
struct ConvertedTask {
  TaskIndex task = 0;
  Duration cost{};
  std::int64_t parts = 1;
  Duration deadline{};
  Duration period{};
};

/// Tests whether the converted tasks hold under EDF on a dedicated processor, blocked by the
/// longest best-effort slice of the server, and adds the result. Costs are exact fractions; where their
/// common denominator leaves 64 bits they are rounded up to 2^-20 ns.
void judge_converted(const System& system, const GpuServer& server, std::span<const ConvertedTask> tasks,
                     ServerResults& results);

}  // namespace tactus::analysis
