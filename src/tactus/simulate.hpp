// Simulation in virtual time: the scheduler on a GPU that is simulated block by block.
//
//   tactus::trace::Statistics statistics{system.tasks.size()};
//   const std::array<tactus::trace::Observer*, 1> observers{&statistics};
//   tactus::sim::simulate(system, {.horizon = 1s}, observers);
//
// Observers are in <tactus/trace.hpp>.
#pragma once

#include "tactus/sim/simulate.hpp"
