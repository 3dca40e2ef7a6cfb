// How many SMs each task gets: the first division, in lexicographic order, that a test accepts.
//
// The most urgent task comes first in that order. Tasks without GPU work get 0 SMs, all others at least one,
// whole physical SMs; where the system gives a task its SMs, it keeps them.
//
// The response of a task falls with its own SMs and does not depend on those of less urgent tasks: with engine
// time their events count as if they had the most SMs they may get.
//
// rtgpu-paper: more SMs make the gaps of a task smaller and X = D stays, so they never help less urgent
// tasks. So the result is the least number for each task in turn; there is none if too few are left for a
// task.
//
// rtgpu: more SMs of a more urgent task can hurt (smaller gaps) and help (its response falls, and with it X).
// So the search backtracks where it fails. (What the engine does for a task is a chain with the same gaps and
// the same X, so all of this holds for it, too.) These cuts lose no division:
//   - Numbers that change no stage are skipped.
//   - Tasks whose SMs are undecided are represented by the least work that they can do in any interval over a
//     range of SMs: the largest gaps of the range, and X no greater than at any of its numbers. Below such
//     tasks, the least SMs for which a bound exists are needed in any case: they stay reserved.
//   - Where no number of SMs suffices for a task, the search finds the shortest prefix of decided tasks with
//     which it must fail, whatever the others get. Only a change in that prefix can help, so the search
//     backtracks there.
//   - There, numbers with which that task must fail again are skipped, whole ranges of them at a time.
// The search counts the response bounds it computes and gives up after `max_effort`. In experiments no
// system of up to ten SMs came near it; of systems with twelve tasks on 132 SMs, near the load at which half
// are schedulable, a few of a hundred did.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/analysis/federated_response.hpp"

namespace tactus::analysis {

/// By place in the order of urgency.
struct SmAllocation {
  std::vector<std::int64_t> sms;  // physical SMs of each task
  std::vector<Duration> bounds;   // R + J of each task
};

struct AllocationResult {
  std::optional<SmAllocation> allocation;
  bool gave_up = false;
  std::int64_t effort = 0;   // response bounds that were computed
  std::size_t furthest = 0;  // the least urgent task that the search came to
};

/// How many response bounds a search may compute: about a second.
inline constexpr std::int64_t max_effort = 150'000;
/// How many of them with cheap cuts only, which suffice for most systems.
inline constexpr std::int64_t cheap_effort = 1000;

/// `sms`: how many there are. The tasks need the stages for every number up to that.
AllocationResult search_allocation(const FederatedTasks& tasks, FederatedTest test, std::int64_t sms,
                                   std::int64_t most = max_effort, std::int64_t cheap = cheap_effort);

/// Only the allocation; nothing also where the search gave up.
std::optional<SmAllocation> find_allocation(const FederatedTasks& tasks, FederatedTest test,
                                            std::int64_t sms);

}  // namespace tactus::analysis
