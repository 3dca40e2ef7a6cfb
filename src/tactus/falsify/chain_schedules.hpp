// Adversarial schedules of chains: all other work arrives at the worst instant for one job.
#pragma once

#include "tactus/falsify/dice.hpp"
#include "tactus/model/system.hpp"

namespace tactus::falsify {

/// Gives every task a script. A segment of one task, the victim, begins at one instant. More urgent tasks
/// turn up there with any segment of a job that is late, and go on as densely as they can on one kind of
/// server; less urgent copies begin just before the victim's.
void script_chains(System& system, Dice& dice);

}  // namespace tactus::falsify
