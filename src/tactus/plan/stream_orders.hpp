// Searches priorities for ms-fp and ms-fp-immediate.
//
// Audsley's conditions fail here. The cost of a job of j grows with the longest block below j, so the order
// among the more urgent tasks matters; and which less urgent task can hold the last level (and block) depends
// on their order. So the orders are searched, from the least urgent level up. With the lower levels filled,
// the blocking of the next task is known, and every task above has at least the blocks below it: a task that
// misses its deadline even so cannot be next. A complete order is tested as the analysis does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/analysis/gpu_tasks.hpp"
#include "tactus/model/policy.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

/// The most placements of a task at a level that are tried; fewer where there are more than 20 tasks.
inline constexpr std::int64_t max_tried_levels = 100'000;

struct StreamOrder {
  std::vector<std::size_t> order;  // places in server.tasks, most urgent first
  bool found = false;
  bool complete = true;  // every order was ruled out or looked at
  std::int64_t tried = 0;
  /// Where none was found, `order` is the one that came furthest; this is the first task that misses in it.
  std::optional<std::size_t> fails;
  std::optional<Duration> by;  // nothing: it has no bound
};

struct StreamRules {
  std::int32_t levels = 1;
  Refill refill = Refill::lazy;
  bool costs_are_tight = true;
};

/// `server.tasks` in the preferred order.
StreamOrder search_stream_order(const analysis::GpuServer& server, const StreamRules& rules,
                                const Watch& watch);

}  // namespace tactus::plan
