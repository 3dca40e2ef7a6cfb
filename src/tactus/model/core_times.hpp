// CPU work whose time depends on the core that serves it.
#pragma once

#include <optional>
#include <string>

#include "tactus/model/system.hpp"

namespace tactus {

/// What the work takes, whichever of these cores serve it: from the shortest best case to the longest worst
/// case. Nothing where it has no time on one of them.
std::optional<Interval> time_on(const CpuSegment& work, const Cores& cores);

/// The least of all its cores: no core serves it in less.
Interval least_time(const CpuSegment& work);

/// Sets `time` of all CPU work that depends on its core: by the cores that may serve it under the policy, by
/// all that it has times for while its core is open.
void set_core_times(System& system);

/// "2" or "2-5", as a system file names cores.
std::string cores_text(const Cores& cores);

}  // namespace tactus
