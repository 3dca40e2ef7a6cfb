// Shared by the tests that use the phase of releases relative to the reservation.
#pragma once

#include <string>

#include "tactus/model/system.hpp"

namespace tactus::analysis {

/// Why a test of ideal EDF inside windows does not apply: it needs `sm-cores`, order `edf` and work that can
/// be preempted anywhere. Empty when it applies.
std::string ideal_windows_obstacle(const System& system);

/// Why a test of EDF inside windows that needs every release on time does not apply: it also needs
/// periodic tasks without jitter or release overhead.
std::string in_phase_obstacle(const System& system);

/// The same for a test that needs all releases to start at 0.
std::string in_phase_from_zero_obstacle(const System& system);

}  // namespace tactus::analysis
