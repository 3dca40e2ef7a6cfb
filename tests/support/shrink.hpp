// Makes a scenario that shows a fault as small as it can.
#pragma once

#include <functional>

#include "support/random_systems.hpp"

namespace tactus::test {

/// Tries one simplification after the other (fewer tasks, fewer segments, smaller grids, no overheads, a
/// nearer horizon, ...) and keeps those after which the system is still valid and `fails` still says true.
Scenario shrink(Scenario scenario, const std::function<bool(const Scenario&)>& fails);

}  // namespace tactus::test
