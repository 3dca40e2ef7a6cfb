// How SMs can be split among the tasks of a federated system, and the search for a split that a test accepts.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tactus/analysis/federated_tasks.hpp"

namespace tactus::analysis {

/// Physical SMs of each task, most urgent first; 0 without GPU work.
using SmCounts = std::vector<std::int64_t>;

/// The stages of each task under the split.
inline const Stages& stages_under(const FederatedTasks& tasks, const SmCounts& split, std::size_t index) {
  return tasks.tasks[index].stages[static_cast<std::size_t>(split[index])];
}

/// For each task the most SMs it could get if every other task without given SMs took one. The sum may
/// exceed the SMs of the GPU. Empty where there are too few SMs for one each.
SmCounts max_sms(const FederatedTasks& tasks);

struct AllocationFound {
  enum class Outcome : std::uint8_t { found, none, gave_up };
  Outcome outcome = Outcome::none;
  SmCounts split;
};

/// Whether splits with this prefix may hold. The first `chosen` entries are fixed; each later one is the
/// most that task can still get. False must be right for all of them; with all entries chosen the answer is
/// exact.
using MayHold = std::function<bool(const SmCounts& split, std::size_t chosen)>;

/// The first split, in lexicographic order with the most urgent task first, that `may_hold` accepts. Tasks
/// that are given SMs keep them. It gives up after so many calls of `may_hold`.
AllocationFound find_first_allocation(const FederatedTasks& tasks, const MayHold& may_hold,
                                      std::int64_t max_questions = 100'000);

}  // namespace tactus::analysis
