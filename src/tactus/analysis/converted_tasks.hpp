// Tasks converted so that windows can be forgotten, and the EDF test of them on a whole processor.
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

/// Tests whether the converted tasks hold under EDF on a processor that is always there, blocked by the
/// longest best-effort slice of the server, and files what was found. Costs are exact fractions; where their
/// common denominator leaves 64 bits they are rounded up to 2^-20 ns.
void judge_converted(const System& system, const GpuServer& server, std::span<const ConvertedTask> tasks,
                     ServerResults& results);

}  // namespace tactus::analysis
