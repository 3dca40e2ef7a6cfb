// Strategy `multi-stream`: streams of rising urgency, and the device's own rule lets the upper ones take
// over.
//
// Levels count from 0, the least urgent stream; each holds at most one job. When all are empty, the best
// ready job goes to level 0. Otherwise it goes above the highest occupied level if it is better than the job
// there, and waits if it is not, or if there is no level above, even where lower levels are empty. The jobs
// below go on by themselves when those above are done: the device assigns blocks of the most urgent queue
// first.
//
// Best-effort work is submitted at level 0, when nothing else is there or ready: slice by slice, or, if it is
// preemptible, whole. For a real-time job preemptible work is asked to stop; so is, where it fills the only
// level, work that can be preempted anywhere.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

std::vector<std::string> multi_stream_refusals(const System& system, const Capabilities& capabilities);
std::unique_ptr<Strategy> make_multi_stream(const System& system);

/// The same with the given number of levels; nothing refills lazily where there is but one.
std::unique_ptr<Strategy> make_streams(const System& system, std::int32_t levels);

std::vector<std::string> names_of_levels(const System& system);

inline constexpr std::array multi_stream_orders{Order::edf, Order::fp};
inline constexpr StrategyEntry multi_stream{.facts = {.name = "multi-stream",
                                                      .orders = multi_stream_orders,
                                                      .has_levels = true,
                                                      .stream_names = names_of_levels},
                                            .refusals = multi_stream_refusals,
                                            .make = make_multi_stream};

}  // namespace tactus::sched
