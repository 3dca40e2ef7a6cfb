// A second search for reservations: windows in phase with the releases.
//
// The other search assumes sporadic releases, so it never relies on a window being open when a job arrives.
// For periodic tasks with known offsets window-exact is tighter. Under preemptive EDF more supply never
// hurts, so for a fixed period and placement the least gang budget is found by bisection; but longer periods
// may need less, so only some periods are tried: those that divide periods of tasks, and small multiples of
// them.
#pragma once

#include <optional>

#include "tactus/model/system.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

/// The system with reservations that window-exact accepts; nothing where it does not apply, where tasks have
/// no core yet, or where no tried period holds.
std::optional<System> search_in_phase(const System& system, const Watch& watch);

}  // namespace tactus::plan
