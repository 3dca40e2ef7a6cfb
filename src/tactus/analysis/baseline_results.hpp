// What the baselines for federated systems share: how their answers are told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/analysis/sm_split.hpp"
#include "tactus/base/ratio_sum.hpp"

namespace tactus::analysis {

/// A task whose response may pass its deadline: what is in the sum for sure.
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
  std::optional<FailedResponse> failure;  // of the task behind the last bound

  [[nodiscard]] bool hold() const { return !failure.has_value(); }
};

/// What the jobs of all tasks can need of something that there is one of.
struct ResourceUse {
  std::string name;
  std::vector<Ratio> shares;
};

/// What is needed for sure of everything that there is one of. It is asked about the system without
/// overheads: those are what the machine may add.
using FindUse = std::vector<ResourceUse> (*)(const System& without_overheads);

/// What jobs need of their CPU cores, one entry a core.
std::vector<ResourceUse> cpu_use(const FederatedTasks& tasks, const SmSplit& split);

/// Why a test for one core does not apply; empty when all tasks have the same.
std::string find_second_core(const System& system);

/// The tasks with the stages that a test needs: those for the SMs given, or all that a search may try.
FederatedTasks tasks_to_split(const System& system);

/// The answer from the responses; `unschedulable` where something is needed for more than all of its time.
Result baseline_result(const System& system, const FederatedTasks& tasks, const Responses& responses,
                       FindUse find_use);

/// Adds the split that the answer is about to its detail.
void show_split(const System& system, const FederatedTasks& tasks, const SmSplit& split, Result& result);

/// The answer where no split was found.
Result no_split_result(const System& system, const FederatedTasks& tasks, SplitFound::Outcome outcome,
                       FindUse find_use);

}  // namespace tactus::analysis
