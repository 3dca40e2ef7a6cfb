#include "tactus/analysis/stream_levels.hpp"

#include <algorithm>
#include <cstddef>

namespace tactus::analysis {

namespace {

bool is_less_urgent(const GpuServer& server, std::size_t other, std::size_t task, Order order) {
  if (other == task) return false;
  if (order != Order::edf) return other > task;
  return server.tasks[other].deadline > server.tasks[task].deadline - server.tasks[task].jitter;
}

}  // namespace

StreamLevels stream_levels(const GpuServer& server, std::int32_t levels, Order order) {
  const std::size_t size = server.tasks.size();
  StreamLevels result;
  result.block_below.resize(size);
  result.block_apart_below.resize(size);
  result.reaches_last_level.resize(size, true);
  if (levels == 1) return result;
  Duration best_effort{};
  for (const BestEffortBlock& block : server.best_effort_blocks) {
    best_effort = std::max(best_effort, block.length);
  }
  for (std::size_t task = 0; task < size; ++task) {
    std::int32_t below = server.best_effort_blocks.empty() ? 0 : 1;
    Duration block = best_effort;
    Duration apart{};
    for (std::size_t other = 0; other < size; ++other) {
      if (!is_less_urgent(server, other, task, order)) continue;
      ++below;
      block = std::max(block, server.tasks[other].longest_block);
      if (server.tasks[other].blocks_apart) apart = std::max(apart, server.tasks[other].longest_block);
    }
    result.block_below[task] = block;
    result.block_apart_below[task] = apart;
    result.reaches_last_level[task] = below >= levels - 1;
  }
  return result;
}

}  // namespace tactus::analysis
