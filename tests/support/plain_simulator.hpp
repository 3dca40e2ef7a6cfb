// The reference the fast simulator is held against: strategy `as-submitted` straight from the rules of
// the simulated GPU, one block at a time. It is slow on purpose. It shares the model and the draws with the
// fast simulator and nothing else.
#pragma once

#include <cstdint>

#include "support/recording.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {

struct PlainResult {
  Recording events;  // not sorted
  Time horizon{};    // the last instant at which anything happened, where it was open
  std::uint64_t released = 0;
  std::uint64_t completed = 0;
  std::uint64_t pending = 0;
};

/// Every event of a valid system up to its horizon. InputError for cpu and gpu segments and for strategies
/// other than `as-submitted`.
PlainResult simulate_plainly(const System& system, const sim::SimulationOptions& options);

}  // namespace tactus::test
