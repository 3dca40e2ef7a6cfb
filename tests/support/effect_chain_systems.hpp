// Random effect chains, and random systems for them: a seed gives the same system on every machine.
#pragma once

#include <cstdint>

#include "support/dice.hpp"
#include "tactus/model/system.hpp"

namespace tactus::test {

/// One to three chains through the tasks that repeat, with all kinds of communication; none without such
/// tasks.
void add_chains(System& system, Dice& dice);

/// Light systems, so that most response times are proven: CPU work alone, or with GPU work under several
/// strategies; small periods that often divide each other, offsets up to two periods, jitter, deadlines below
/// and above periods, sporadic tasks, overheads now and then.
System effect_chain_system(std::uint64_t seed);

}  // namespace tactus::test
