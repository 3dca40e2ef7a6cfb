// Strategy `multi-stream`: streams of rising priority. Preemption is left to the GPU, which serves the stream
// of the highest priority first.
//
// Levels count from 0, the least urgent; each holds at most one job. When all are empty, the most urgent
// ready job goes to level 0. Otherwise it goes one above the highest occupied level if it is more urgent than
// the job there. It waits if it is not, or if there is no level above, even when lower levels are empty.
// Preempted jobs resume by themselves when those above are done, because the GPU assigns blocks of the most
// urgent queue first.
//
// Best-effort work is submitted at level 0 when nothing else is there or ready: slice by slice, or whole if
// it is preemptible. When a real-time job becomes ready, preemptible best-effort work is asked to stop. So is
// work that is preemptible anywhere if it occupies the only level.
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

/// The same with the given number of levels. With one level the device never refills by itself.
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
