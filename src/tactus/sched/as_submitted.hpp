// Strategy `as-submitted`: what plain CUDA does, the baseline.
//
// All segments of a job are called at its release, in order, in its stream: the one its task names, or one of
// its own. Simultaneous releases are called in file order. The segments of a graph are called in topological
// order.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

std::vector<std::string> as_submitted_refusals(const System& system, const Capabilities& capabilities);
std::unique_ptr<Strategy> make_as_submitted(const System& system);

/// Those that tasks name, in file order.
std::vector<std::string> streams_of_tasks(const System& system);

inline constexpr std::array as_submitted_orders{Order::edf, Order::fp};  // neither says anything
inline constexpr StrategyEntry as_submitted{.facts = {.name = "as-submitted",
                                                      .orders = as_submitted_orders,
                                                      .has_order = false,
                                                      .streams_of_tasks = true,
                                                      .stream_names = streams_of_tasks},
                                            .refusals = as_submitted_refusals,
                                            .make = make_as_submitted};

}  // namespace tactus::sched
