// Shared by the tests for windows: why they do not apply, the supply of a server, and EDF inside it.
#pragma once

#include <string>

#include "tactus/analysis/demand_judge.hpp"

namespace tactus::analysis {

/// Why a test of ideal EDF inside windows does not apply: it needs order `edf` and work that can be preempted
/// anywhere. Empty when it applies.
std::string ideal_windows_obstacle(const System& system);

/// Why a test of EDF inside windows that needs every release on time does not apply: it also needs
/// periodic tasks without jitter or release overhead.
std::string in_phase_obstacle(const System& system);

/// The same for a test that needs all releases to start at 0.
std::string in_phase_from_zero_obstacle(const System& system);

/// The cores; where there is an obstacle, that alone.
GpuServers cores_unless(std::string obstacle, const System& system);

/// Why a test for work that can be stopped anywhere does not apply; empty when it does.
std::string find_blocks(const System& system, const GpuServers& cores);

/// G: the longest block of a periodic or sporadic task of the server. A block that does not fit the rest of a
/// window is not started, so less than G of every window is lost.
Duration longest_block(const GpuServer& server);

/// Windows without their last `lost`; no supply where nothing is left. A server that always serves loses
/// nothing.
SupplyBound windows_of(const GpuServer& server, Duration lost = Duration{});
SupplyBound line_of(const GpuServer& server);

/// Tests EDF inside the windows of one server and adds the result: blocks of tasks with D_l > t are in
/// the way once, and so is a slice of a best-effort task. `refutes`: a failure shows that a deadline can be
/// missed.
void judge_windows(const System& system, const GpuServer& server, const SupplyBound& supply, bool refutes,
                   ServerResults& results);

/// Whether the longest block leaves nothing of a window; if so, adds that result.
bool fails_to_fit(const System& system, const GpuServer& server, ServerResults& results);

}  // namespace tactus::analysis
