// The list of all chunks of a task, window by window: what `min_chunk` finds without a list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tactus/analysis/gpu_tasks.hpp"

namespace tactus::test {

struct WindowChunk {
  std::int64_t job = 0;
  Time arrival{};
  Duration length{};
  friend bool operator==(const WindowChunk&, const WindowChunk&) = default;
};

/// All chunks of the jobs released in one least common multiple of both periods, in order. A job that meets
/// no window has none.
inline std::vector<WindowChunk> chunk_list(const analysis::GpuTask& task, const analysis::Supply& supply) {
  const std::int64_t cycle = *checked_lcm(in_ns(task.period), in_ns(supply.period));
  std::vector<WindowChunk> list;
  for (std::int64_t job = 0; job < cycle / in_ns(task.period); ++job) {
    const Time release = time_at(task.period * job);
    if (supply.budget >= supply.period) {
      list.push_back({job, release, task.deadline});
      continue;
    }
    const Time end = release + task.deadline;
    // The first window that ends after the release.
    const std::int64_t first =
        floor_div(in_ns(release - supply.offset - supply.budget), in_ns(supply.period)) + 1;
    for (Time opens = time_at(supply.offset + supply.period * first); opens < end; opens += supply.period) {
      const Time from = std::max(release, opens);
      const Time to = std::min(end, opens + supply.budget);
      if (from < to) list.push_back({job, from, to - from});
    }
  }
  return list;
}

/// The longest chunk of every job (the first of several), in order; jobs without a chunk are left out.
inline std::vector<WindowChunk> longest_chunks(const std::vector<WindowChunk>& all) {
  std::vector<WindowChunk> longest;
  for (const WindowChunk& chunk : all) {
    if (longest.empty() || longest.back().job != chunk.job) {
      longest.push_back(chunk);
    } else if (chunk.length > longest.back().length) {
      longest.back() = chunk;
    }
  }
  return longest;
}

}  // namespace tactus::test
