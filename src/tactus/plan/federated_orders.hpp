// Searches priority orders under `federated`, for systems without a division of the SMs that holds in the
// order of their deadlines.
//
// This is a limited search, not Audsley's assignment. That needs the verdict on a task to depend on
// which tasks are more urgent, not on their order. Here it depends on their response times and on their SMs,
// and so on their order. And a task may hold at a lower priority and fail at a higher one: a more urgent task
// delays a job by its copies, a less urgent one may block each copy of the job.
//
// Every order is judged by the exact search for a division that `rtgpu` accepts. Two parts:
//   1. From a few orders (deadlines, slack, longest copies first), the task that fails is moved up, to every
//      place; the search continues with the order that came furthest.
//   2. All orders, most urgent task first. An order is cut short as soon as its first tasks hold with no
//      division: their bounds do not depend on the order of the others, only on their longest copy, and every
//      other task with GPU work needs at least one SM. This part skips no order that could hold, so if it
//      completes, none holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tactus/analysis/federated_tasks.hpp"
#include "tactus/plan/plan.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

struct FederatedOrder {
  bool found = false;
  std::vector<TaskIndex> order;  // most urgent first: one that holds
  std::int64_t tried = 0;        // orders, or first parts of them
  bool complete = false;         // not found, and every order is ruled out
};

/// `tasks`: with every stage, in the order of deadlines. `sms`: how many these tasks can have.
FederatedOrder search_orders(const analysis::FederatedTasks& tasks, std::int64_t sms, const Watch& watch);

/// The least number of SMs for the tasks behind the first so many.
std::int64_t min_sms_behind(const analysis::FederatedTasks& tasks, std::size_t count);

/// The first task in the order of urgency for which, together with all more urgent tasks, `rtgpu` accepts no
/// division, and by how much at least its bound exceeds its deadline: the least time by which a longer
/// deadline (and period) of that task alone would make these tasks hold.
Shortfall federated_shortfall(const System& system, const analysis::FederatedTasks& tasks, std::int64_t sms,
                              const Watch& watch);

}  // namespace tactus::plan
