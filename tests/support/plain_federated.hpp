// The reference for `federated`: segment by segment and instant by instant, straight from the rules. It is
// slow on purpose. It shares the model and the draws with the simulator and nothing else.
#pragma once

#include "support/plain_simulator.hpp"

namespace tactus::test {

/// Every event of a valid system of chains, whose tasks have their virtual SMs, up to its horizon.
PlainResult simulate_federated_plainly(const System& system, const sim::SimulationOptions& options);

}  // namespace tactus::test
