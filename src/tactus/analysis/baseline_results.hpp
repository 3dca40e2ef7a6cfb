// Shared by the baselines for federated systems: how their results are reported.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/allocation_search.hpp"
#include "tactus/analysis/analysis.hpp"
#include "tactus/base/ratio_sum.hpp"

namespace tactus::analysis {

/// A task whose response may exceed its deadline: the known terms of the sum.
struct FailedResponse {
  Duration own{};
  Duration blocking{};            // by less urgent tasks, each time
  std::int64_t times = 1;         // how often a job can be blocked
  bool gave_up = false;           // a fixed point was not found
  std::optional<Duration> bound;  // R + J where it is beyond the deadline, but known
};

/// Tasks in order of urgency, as far as they hold.
struct Responses {
  std::vector<Duration> bounds;           // R + J
  std::optional<FailedResponse> failure;  // of the task after the last bound

  [[nodiscard]] bool hold() const { return !failure.has_value(); }
};

/// The share of one resource that the jobs of all tasks can need.
struct ResourceUse {
  std::string name;
  std::vector<Ratio> shares;
};

/// The certain demand on every single resource. It is computed for the system without
/// overheads, which are only upper bounds.
using FindUse = std::vector<ResourceUse> (*)(const System& without_overheads);

/// The demand on the CPU cores, one entry for each core.
std::vector<ResourceUse> cpu_use(const FederatedTasks& tasks, const SmCounts& split);

/// Why a test for one core does not apply; empty when all tasks have the same.
std::string find_second_core(const System& system);

/// The tasks with the stages that a test needs: those for the SMs given, or all that a search may try.
FederatedTasks tasks_to_split(const System& system);

/// The result from the responses; `unschedulable` where a resource is needed for more than all of its time.
Result baseline_result(const System& system, const FederatedTasks& tasks, const Responses& responses,
                       FindUse find_use);

/// Adds the split of the SMs to the detail; if it was searched, to the reason, too.
void show_allocation(const System& system, const FederatedTasks& tasks, const SmCounts& split,
                     Result& result);

/// The answer where no split was found.
Result no_allocation_result(const System& system, const FederatedTasks& tasks,
                            AllocationFound::Outcome outcome, FindUse find_use);

}  // namespace tactus::analysis
