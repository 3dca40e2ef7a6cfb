// Audsley's assignment of fixed priorities.
//
// It fills the levels from the least urgent up. At each level it takes any task that holds there, with all
// tasks that are left above it. It finds an order whenever there is one, for every test in which the verdict
// on a task
//   - depends on WHICH tasks are more urgent and which less, not on their order, and
//   - does not get worse when the task becomes more urgent.
// Then a task that holds at a level can be moved down to it in any order that holds: whoever was below moves
// up. (Audsley 1991; the conditions as Davis and Burns state them, 2011.)
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

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

}  // namespace tactus::plan
