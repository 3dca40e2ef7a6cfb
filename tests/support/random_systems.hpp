// Random systems for property tests: a seed gives the same system on every machine.
#pragma once

#include <cstdint>
#include <string>

#include "tactus/model/system.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {

/// More jobs than any of these systems has pending at once. The simulator reserves memory for as many, which
/// costs more than a small simulation where a sanitizer watches.
inline constexpr std::uint32_t enough_pending = 1U << 12U;

/// A system and how to simulate it.
struct Scenario {
  Scenario() { options.max_pending = enough_pending; }

  System system;
  sim::SimulationOptions options;
};

/// The same system, in which few jobs of most tasks may be in progress at once.
Scenario with_max_jobs(Scenario scenario, std::uint64_t seed);

/// Kernels whose blocks all take the same from an SM (`block` itself may differ inside a warp), one stream
/// each, one stream priority: what block-rta is exact for. Either all arrivals are `once`, or all are
/// periodic with one common period and offset 0. Block times may be intervals and may be zero.
System equal_block_system(std::uint64_t seed);

/// Anything `as-submitted` simulates: unequal blocks, shared memory and registers, stream priorities, shared
/// streams, copies, chains and graphs, exclusive work of every kind, all arrivals, jitter, overheads, work of
/// no length, all execution modes. Numbers are small, so that much happens at the same instant.
Scenario mixed_scenario(std::uint64_t seed);

/// Grids of hundreds of blocks on small GPUs: many waves, several of them out of phase, cut short by
/// whatever else arrives. Little else is random, so most of the time goes into what bulk handling skips.
Scenario bulk_scenario(std::uint64_t seed);

/// A grid behind short kernels, some of no length: it starts in several pieces, at one instant or at several,
/// and goes on in waves of all of them. A kernel of large blocks behind it shows which SMs the last wave
/// took.
Scenario pieces_scenario(std::uint64_t seed);

/// Anything `single-stream`, `multi-stream` and `sm-cores` simulate for tasks of one segment: kernels and
/// exclusive work cut in every way, all arrivals, both orders, both refills, one to four levels, SM groups,
/// windows that cover their period, touch, leave gaps or are missing, scripts, jitter, overheads now and
/// then. Numbers are small, so that much happens at the same instant.
Scenario strategy_scenario(std::uint64_t seed);

/// The system as a system file; a scenario's options stand in front of it as a comment.
std::string describe(const System& system);
std::string describe(const Scenario& scenario);

}  // namespace tactus::test
