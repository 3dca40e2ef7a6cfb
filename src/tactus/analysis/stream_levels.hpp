// The effect of several stream levels on each task: which tasks can delay it, and for how long.
#pragma once

#include <cstdint>
#include <vector>

#include "tactus/analysis/gpu_tasks.hpp"
#include "tactus/model/policy.hpp"

namespace tactus::analysis {

/// By task of the server, in its order.
struct StreamLevels {
  /// PCo: the longest block of a less urgent task; 0 with one level.
  std::vector<Duration> block_below;
  /// The same over tasks whose blocks need not start together.
  std::vector<Duration> block_apart_below;
  /// Top: tasks that can hold the last level, because enough less urgent ones can be below them.
  std::vector<bool> reaches_last_level;
};

/// Less urgent than l under EDF are tasks with D_q > D_l - J_l: only those can have been submitted before a
/// job of l was seen and still have the later deadline. Under FP they are those behind l in the order. Of
/// best-effort tasks one slice at a time is on the GPU, so they fill one level at most.
StreamLevels stream_levels(const GpuServer& server, std::int32_t levels, Order order);

}  // namespace tactus::analysis
