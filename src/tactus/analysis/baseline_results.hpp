// What the baselines for federated systems share: how their answers are told.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/analysis/sm_split.hpp"
#include "tactus/base/ratio_sum.hpp"

namespace tactus::analysis {

/// A task whose response may pass its deadline: what alone is in the sum.
struct FailedResponse {
  Duration own{};
  Duration blocking{};     // by less urgent tasks, each time
  std::int64_t times = 1;  // how often a job can be blocked
  bool gave_up = false;    // the fixed point was not found
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

/// What jobs of the tasks need of their CPU cores, one entry a core.
std::vector<ResourceUse> cpu_use(const FederatedTasks& tasks, const SmSplit& split);

/// Why a test for one core does not apply; empty when all tasks have the same.
std::string find_second_core(const System& system);

/// The answer from the responses; `unschedulable` where a resource is needed for more than all of its time.
Result baseline_result(const System& system, const FederatedTasks& tasks, const Responses& responses,
                       std::span<const ResourceUse> uses);

/// Adds the split that the answer is about to its detail.
void show_split(const System& system, const FederatedTasks& tasks, const SmSplit& split, Result& result);

/// The answer where no split was found. `uses` counts the most SMs each task can get.
Result no_split_result(const System& system, const FederatedTasks& tasks, SplitFound::Outcome outcome,
                       std::span<const ResourceUse> uses);

}  // namespace tactus::analysis
