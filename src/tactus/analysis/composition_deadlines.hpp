// The response of one node on a server that serves by deadlines, from a fresh window: Spuri's busy period of
// EDF with the jitter of nodes.
//
// Claim: let t0 be the last instant, not after v reaches its server, at which no work there with a deadline
// up to that of v's job, d, is unfinished, and a = d - t0. From t0 on the server does only what has reached
// it since, with deadlines up to d, and what it cannot interrupt. So v is done by t0 + x(a), the least x with
//   B(a) + w + own(a) + sum over others j of n_j(x, a) w_j <= x
//   n_j(x, a) = jobs of a node of j that reach s in [t0, t0 + x) with a deadline up to d
// and it has reached s no earlier than max(0, own(a), a - D + pb) after t0. r(v) is the largest difference
// over all a.
//
// Source: M. Spuri, Analysis of deadline scheduled real-time systems, 1996, for tasks of one node; without
// preemption L. George, N. Rivierre, M. Spuri, 1996. Proof: docs/proofs/composition.md, section 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tactus/analysis/composition_state.hpp"
#include "tactus/analysis/supply.hpp"

namespace tactus::analysis {

/// Nothing: no bound within `limit` in this way, or there are too many instants to look at.
std::optional<std::int64_t> response_by_deadlines(const CompositionState& state, std::size_t task,
                                                  std::size_t node, const SupplyBound& supply,
                                                  std::int64_t limit);

}  // namespace tactus::analysis
