// The response of a whole job, from the responses of its nodes: section 8 of
// docs/proofs/composition.md.
#pragma once

#include <cstddef>
#include <vector>

#include "tactus/analysis/composition_state.hpp"

namespace tactus::analysis {

struct ChainStep {
  ChainUnknowns unknowns;
  NoBound why = NoBound::none;
  std::size_t because_of = 0;
  std::vector<ServerStay> stays{};
};

/// The unknowns of a task that follow from those of all tasks, its own included. For a task that has a bound
/// so far.
ChainStep next_unknowns(const CompositionState& state, std::size_t task);

}  // namespace tactus::analysis
