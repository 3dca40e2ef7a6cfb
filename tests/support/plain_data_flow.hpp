// Data through effect chains, by the definitions of docs/format.md, from a list of all jobs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/trace/event.hpp"

namespace tactus::test {

struct PlainFlow {
  std::uint64_t outputs = 0;
  std::uint64_t age_misses = 0;
  std::optional<Duration> age;       // the largest
  std::optional<Duration> reaction;  // the longest of inputs that reached an output
  std::optional<Duration> longest;   // the same, with those that did not until `reached`
};

/// `ends`: every job of the schedule, in any order.
PlainFlow plain_flow(const System& system, const EffectChain& chain, std::span<const trace::JobEnded> ends,
                     Time reached);

}  // namespace tactus::test
