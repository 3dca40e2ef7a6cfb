// Orders of priorities under `federated`, for systems that no division of the SMs makes hold in the order of
// their deadlines.
//
// This is a search with a limit, not Audsley's assignment. That needs the verdict on a task to depend on
// which tasks are more urgent, not on their order. Here it depends on their response times and on their SMs,
// and so on their order. And a task may hold lower down and fail higher up: one that is more urgent disturbs
// a job by its copies, one that is less urgent may block each copy of it.
//
// Every order is judged by the exact search for a division that `rtgpu` accepts. Two parts:
//   1. From a few orders (deadlines, slack, longest copies first), the task that fails is moved up, to every
//      place; the order that came furthest goes on.
//   2. All orders, most urgent task first. An order is cut short as soon as its first tasks hold with no
//      division: their bounds do not depend on the order of the others, only on their longest copy, and every
//      other task with GPU work needs its SMs, one at least. This part loses no order, so that if it comes to
//      its end, none holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tactus/analysis/federated_tasks.hpp"
#include "tactus/plan/sm_division.hpp"
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

/// The most urgent tasks alone, with all that the others are to them: a copy that blocks.
analysis::FederatedTasks first_tasks(const analysis::FederatedTasks& tasks, std::size_t count);

/// SMs that those others need at least.
std::int64_t least_sms_behind(const analysis::FederatedTasks& tasks, std::size_t count);

}  // namespace tactus::plan
