// The short path of the simulator: systems whose schedule is that of one server without preemption.
//
// Where every job is one segment that has the whole GPU from its start to its end, and nothing else takes
// time (no overheads, no jitter), the schedule follows from the releases and the order in which jobs are
// served (StrategyFacts::one_server). Then neither blocks, streams nor commands are needed. Observers are
// told the same events in the same order as by the full engine (tests/sim/one_server_test.cpp).
#pragma once

#include <optional>

#include "tactus/sim/simulate.hpp"
#include "tactus/trace/fanout.hpp"

namespace tactus::sim {

/// Nothing, and no event told, for a system or an observer that needs the full engine.
std::optional<Outcome> simulate_one_server(const System& system, const SimulationOptions& options,
                                           trace::Fanout& trace);

}  // namespace tactus::sim
