// Systems to attack an analysis with: small numbers, near the edge of what the analysis accepts.
#pragma once

#include <optional>

#include "tactus/analysis/analysis.hpp"
#include "tactus/falsify/dice.hpp"
#include "tactus/falsify/family.hpp"
#include "tactus/model/system.hpp"

namespace tactus::falsify {

/// A random system of a family; valid and complete.
System random_system(const Family& family, Dice& dice);

/// For `federated`: chains of CPU, copy and GPU segments, with virtual SMs; times are whole multiples of
/// `unit`.
System random_chains(const Family& family, Duration unit, Dice& dice);

/// Graphs of CPU nodes, copies and kernels, for the strategy that times nodes.
System random_graphs(const Family& family, Duration unit, Dice& dice);

/// Puts such chains under any strategy, each server under a policy of its own; some become graphs.
void share_servers(System& system, const Family& family, Duration unit, Dice& dice);

/// More time for each job, where the engine needs some; copies stay whole.
void make_room_for_engine(System& system, Dice& dice);

/// Changes one number by one step, up or down; false when nothing was changed. `harder` is a guess.
bool change_a_number(System& system, const Family& family, Dice& dice, bool harder);
/// The same for one task of chains.
bool change_chain(Task& task, Dice& dice, bool harder, Duration step);

/// Whether some task runs in the gang window, or in the local one.
bool uses_window(const System& system, bool gang);

/// A system near the edge: a random one, made harder step by step while it is still accepted (or easier
/// while still rejected). Nothing when the random one was of the other kind and a few steps did not change
/// that.
std::optional<System> borderline_system(const analysis::Analysis& analysis, const Family& family,
                                        Wanted wanted, Dice& dice);

}  // namespace tactus::falsify
