// Audsley's assignment of fixed priorities.
//
// It fills the levels from the least urgent up. At each level it takes any task that holds there, with all
// tasks that are left above it. It finds an order whenever there is one, for every test in which the verdict
// on a task
//   - depends on WHICH tasks are more urgent and which less, not on their order, and
//   - does not get worse when the task becomes more urgent.
// Then a task that holds at a level can be moved down to it in any order that holds: whoever was below moves
// up. (Audsley 1991; the conditions as Davis and Burns state them, 2011.)
//
// The responses below are those of one task when it is known which tasks are more urgent, but not their
// order: the bounds of np-fp and window-fp. Both keep the conditions. B_i is a maximum over the less urgent
// tasks and the interference a sum over the more urgent ones, so only the sets matter. Let j, just above i,
// move below it. The interference loses at least one job of j: C_j (np-fp: in w_k and in the busy period L as
// well). The blocking grows to at most C_j (np-fp) or the longest block of j (window-fp), which is no more.
// So no response gets longer.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tactus/analysis/gpu_tasks.hpp"
#include "tactus/analysis/supply.hpp"

namespace tactus::plan {

/// Whether `task` meets its deadline when exactly the tasks of `more_urgent` are above it.
using HoldsBelow = std::function<bool(std::size_t task, const std::vector<std::size_t>& more_urgent)>;

struct PriorityOrder {
  /// Tasks from most to least urgent; complete only where `found`. Else its front are the tasks that were
  /// left when no one held at the next level, in the order in which they were given.
  std::vector<std::size_t> order;
  bool found = false;
  std::size_t stuck_at = 0;  // how many tasks were left then
};

/// `wish` is the preferred order, most urgent first. Where several tasks hold at a level, the one that is
/// lowest in `wish` gets it, so a preferred order that holds is returned unchanged.
PriorityOrder audsley_order(std::vector<std::size_t> wish, const HoldsBelow& holds);

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

/// An order that window-fp accepts under this supply; the tasks of the server are in the preferred order.
PriorityOrder window_order(const analysis::GpuServer& server, const analysis::SupplyBound& supply);

}  // namespace tactus::plan
