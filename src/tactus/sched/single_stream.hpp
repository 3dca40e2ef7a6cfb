// Strategy `single-stream`: one job on the GPU at a time. When the stream is empty, the best ready job is
// submitted, whole; it is not preempted. This is `multi-stream` with one level.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tactus/sched/strategy.hpp"

namespace tactus::sched {

std::vector<std::string> single_stream_refusals(const System& system, const Capabilities& capabilities);
std::unique_ptr<Strategy> make_single_stream(const System& system);

inline constexpr StrategyEntry single_stream{StrategyKind::single_stream, "single-stream",
                                             single_stream_refusals, make_single_stream};

}  // namespace tactus::sched
