// What the published formulas share that are kept as printed although they are known to break.
//
// They accept systems that miss deadlines; each header names a small one. They are never part of a verdict:
// use them to compare with papers. The papers know no overheads, no jitter and no best-effort tasks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tactus/analysis/gpu_tasks.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

/// Why a published formula does not apply: what the papers do not know. Empty where there is nothing of it.
std::string beyond_the_papers(const System& system);

/// What `servers` finds, for systems such as the papers have: EDF, and nothing of what they do not know.
GpuServers published_servers(const System& system, GpuServers (*servers)(const System&));

/// The same for `sm-cores` with work that can be preempted anywhere.
GpuServers published_window_servers(const System& system);

/// The tasks in non-decreasing order of deadlines; of equal ones the more urgent first.
std::vector<GpuTask> by_deadline(std::span<const GpuTask> tasks);

}  // namespace tactus::analysis
