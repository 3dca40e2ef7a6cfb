// Strategy `as-submitted`: what plain CUDA does, the baseline.
//
// All segments of a job are submitted at its release, in order, to its stream: the one that its task names,
// or a stream of its own. Simultaneous releases are submitted in file order, the segments of a graph in
// topological order.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

std::vector<std::string> as_submitted_refusals(const System& system, const Capabilities& capabilities);
std::unique_ptr<Strategy> make_as_submitted(const System& system);

/// The streams that tasks name, in file order.
std::vector<std::string> streams_of_tasks(const System& system);

inline constexpr std::array as_submitted_orders{Order::edf, Order::fp};  // neither has an effect
inline constexpr StrategyEntry as_submitted{.facts = {.name = "as-submitted",
                                                      .orders = as_submitted_orders,
                                                      .has_order = false,
                                                      .streams_of_tasks = true,
                                                      .stream_names = streams_of_tasks},
                                            .refusals = as_submitted_refusals,
                                            .make = make_as_submitted};

}  // namespace tactus::sched
