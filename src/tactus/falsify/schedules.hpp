// Adversarial schedules: when jobs arrive, how late they are seen, how long they run.
#pragma once

#include "tactus/falsify/dice.hpp"
#include "tactus/model/system.hpp"

namespace tactus::falsify {

/// Gives every sporadic task a script: released together; a less urgent job just before; stacked up, the
/// least urgent first, so that every level of the GPU is taken; with work carried in; at random; all of it
/// aligned with an edge of a window, a slice of best-effort work, or nothing. Periodic tasks keep their
/// releases; their times are scripted.
void script_schedule(System& system, Dice& dice);

/// Of chains: a segment of one task, the victim, begins at one instant. More urgent tasks turn up there with
/// any segment of a job that is late, and go on as densely as they can on one kind of server; less urgent
/// copies begin just before the victim's.
void script_chains(System& system, Dice& dice);

/// All sporadic tasks released together at their highest rates with worst-case times, for a long time: shows
/// overload, or a demand that exceeds its supply only in a long interval.
void script_overload(System& system);

/// Changes a scripted schedule a little.
void change_schedule(System& system, Dice& dice);

}  // namespace tactus::falsify
