// Tasks converted so that windows need not be considered, and the EDF test for them on a dedicated processor.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

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

/// Converts a task for these windows and adds it to the list, or leaves it out. False: it cannot, and the
/// server's result was added.
using Convert =
    std::function<bool(const GpuTask& task, const Supply& supply, std::vector<ConvertedTask>& converted)>;

/// Converts the tasks of a server that is not always there, tests whether they hold under EDF on a dedicated
/// processor, blocked by the longest best-effort slice of the server, and adds the result. Costs are exact
/// fractions; where their common denominator leaves 64 bits they are rounded up to 2^-20 ns.
void judge_converted(const System& system, const GpuServer& server, const Convert& convert,
                     ServerResults& results);

/// Converts a harmonic task as window-harmonic does. A deadline of 0 or less rejects.
ConvertedTask to_harmonic(const GpuTask& task, const Supply& supply);

/// Why a test for harmonic periods does not apply; empty when for each task T divides P or P divides T.
std::string find_unharmonic(const System& system, std::span<const GpuServer> servers);

}  // namespace tactus::analysis
