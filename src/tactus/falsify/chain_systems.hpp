// Chains of CPU, copy and GPU segments to attack federated analyses with.
#pragma once

#include "tactus/falsify/borderline_systems.hpp"
#include "tactus/falsify/dice.hpp"
#include "tactus/model/system.hpp"

namespace tactus::falsify {

/// A valid federated system with virtual SMs; times are whole multiples of `unit`.
System random_chains(const Family& family, Duration unit, Dice& dice);

/// Changes one number of one task by one step; false when nothing sensible came of it.
bool change_chain(Task& task, Dice& dice, bool harder, Duration step);

}  // namespace tactus::falsify
