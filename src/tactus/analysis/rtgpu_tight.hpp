// rtgpu-tight: as `rtgpu`, but a chain is divided into groups of stages in the best way, CPU and copies of a
// more urgent task are counted together, and a piece of a copy of a less urgent job blocks once.
//
// Statement: chain_groups.hpp. For every task, most urgent first, R = the least bound over all divisions of
// its chain into groups, X = R + J of the more urgent tasks; the system is schedulable if R + J <= D for all.
// Source: ours, on top of RTGPU, section 5. Assumptions: those of rtgpu. Sound; it never proves less than
// rtgpu. Without given SMs a division that rtgpu accepts is taken; if there is none, all divisions are tried,
// in lexicographic order, as far as a limit on the effort allows.
#pragma once

#include "tactus/analysis/analysis.hpp"

namespace tactus::analysis {

Result rtgpu_tight(const System& system);
Analysis rtgpu_tight_analysis();

}  // namespace tactus::analysis
