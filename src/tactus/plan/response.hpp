// Response times of one task when it is known which tasks are more urgent, but not their order, for
// Audsley's assignment. The bounds are those of np-fp and window-fp.
//
// Both keep Audsley's conditions. B_i is a maximum over the less urgent tasks and the interference a sum over
// the more urgent ones, so only the sets matter. Let j, just above i, move below it. The interference loses
// at least one job of j: C_j (np-fp: in w_k and in the busy period L as well). The blocking grows to at most
// C_j (np-fp) or the longest block of j (window-fp), which is no more. So no response gets longer.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tactus/analysis/gpu_tasks.hpp"
#include "tactus/analysis/supply.hpp"

namespace tactus::plan {

/// A task by its place in `server.tasks`; those that are not in `more_urgent` are less urgent.
struct Position {
  const analysis::GpuServer& server;
  std::size_t task;
  std::span<const std::size_t> more_urgent;
};

/// np-fp. Nothing where the response is longer than `limit`, or no bound is found.
std::optional<Duration> non_preemptive_response(const Position& position, Duration limit);

/// window-fp: preemption at the ends of blocks, under this supply. Nothing as above.
std::optional<Duration> window_response(const Position& position, const analysis::SupplyBound& supply,
                                        Duration limit);

}  // namespace tactus::plan
