// Shared by the published formulas that are kept as printed although they are known to be unsound.
//
// They accept systems that miss deadlines; each source names a small one. They are never part of a verdict:
// use them to compare with papers. The papers have no overheads, no jitter and no best-effort tasks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tactus/analysis/gpu_tasks.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

/// Why a published formula does not apply: overheads, jitter or best-effort tasks. Empty where it applies.
std::string beyond_the_papers(const System& system);

/// The result of `servers` for systems such as the papers have: EDF, without overheads, jitter or best-effort
/// tasks.
GpuServers published_servers(const System& system, GpuServers (*servers)(const System&));

/// The same for `sm-cores` with work that can be preempted anywhere.
GpuServers published_window_servers(const System& system);

/// The tasks in non-decreasing order of deadlines; for equal deadlines the more urgent first.
std::vector<GpuTask> by_deadline(std::span<const GpuTask> tasks);

}  // namespace tactus::analysis
