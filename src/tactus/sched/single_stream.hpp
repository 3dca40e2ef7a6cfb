// Strategy `single-stream`: one job on the GPU at a time. When the stream is empty, the most urgent ready job
// is submitted whole; it is not preempted. This is `multi-stream` with one level.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

std::vector<std::string> single_stream_refusals(const System& system, const Capabilities& capabilities);
std::unique_ptr<Strategy> make_single_stream(const System& system);

inline constexpr std::array single_stream_orders{Order::edf, Order::fp};
inline constexpr StrategyEntry single_stream{
    .facts = {.name = "single-stream", .orders = single_stream_orders},
    .refusals = single_stream_refusals,
    .make = make_single_stream};

}  // namespace tactus::sched
