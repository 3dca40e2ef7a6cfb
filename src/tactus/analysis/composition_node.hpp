// The response of one node, from ready to end: section 7 of docs/proofs/composition.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/analysis/composition_rivals.hpp"

namespace tactus::analysis {

/// The least length from `from` to `limit` whose supply covers the demand. The demand never falls; while it
/// grows with every nanosecond no length can be enough, so that much is skipped. After some rounds the search
/// goes on from `by_share`, a lower bound from the long-run shares alone.
template <class DemandAt, class ByShare>
FixedPoint min_length(std::int64_t from, std::int64_t limit, const SupplyBound& supply,
                      const DemandAt& demand_at, const ByShare& by_share) {
  using Outcome = FixedPoint::Outcome;
  constexpr int max_rounds = 1'000'000;
  constexpr int rounds_before_shares = 32;
  std::int64_t length = from;
  if (length > limit || supply.is_empty()) return {Outcome::passes, length};
  for (int round = 0; round < max_rounds; ++round) {
    const Demand demand = demand_at(length);
    if (demand.work <= supply.in(Duration{length}).count()) return {Outcome::found, length};
    if (demand.work > limit) return {Outcome::passes, length};
    Int128 next = supply.time_for<Int128>(demand.work + demand.grows_for);
    if (round == rounds_before_shares) next = std::max<Int128>(next, by_share());
    if (next > limit) return {Outcome::passes, length};
    length = static_cast<std::int64_t>(next);
  }
  return {Outcome::gave_up, length};
}

struct NodeResponses {
  std::vector<std::optional<std::int64_t>> lengths;  // by node of the task on the server
  bool gave_up = false;
};
NodeResponses node_responses(const CompositionState& state, std::size_t task, const NodesOnServer& own);

}  // namespace tactus::analysis
