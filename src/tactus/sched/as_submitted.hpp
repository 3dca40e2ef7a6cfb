// Strategy `as-submitted`: what plain CUDA does, the baseline.
//
// All segments of a job are called at its release, in order, in its stream: the one its task names, or one of
// its own. Simultaneous releases are called in file order. The segments of a graph are called in topological
// order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

std::vector<std::string> as_submitted_refusals(const System& system, const Capabilities& capabilities);
std::unique_ptr<Strategy> make_as_submitted(const System& system);

inline constexpr StrategyEntry as_submitted{StrategyKind::as_submitted, "as-submitted", as_submitted_refusals,
                                            make_as_submitted};

}  // namespace tactus::sched
