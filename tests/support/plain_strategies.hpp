// The reference for `single-stream`, `multi-stream` and `sm-cores`: what the rules say about submission, job
// by job and instant by instant, on the plain device. It is slow on purpose. It shares the model and the
// draws with the simulator and nothing else.
#pragma once

#include "support/plain_simulator.hpp"

namespace tactus::test {

/// Every event of a valid system whose tasks have one segment each, `kernel` or `exclusive`, up to its
/// horizon. InputError for other segments and other strategies.
PlainResult simulate_strategy_plainly(const System& system, const sim::SimulationOptions& options);

}  // namespace tactus::test
