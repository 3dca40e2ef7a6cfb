// How many SMs each task gets under `federated`: a division that a sound test accepts.
//
// The tests are tried in turn until one accepts a division. `rtgpu` comes first: its search
// is exact (rtgpu_allocation.hpp). `rtgpu-paper` never accepts more than `rtgpu`, so it need not be asked.
// `rtgpu-tight` accepts more but its search has a small limit, so it comes last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/federated_tasks.hpp"
#include "tactus/model/system.hpp"
#include "tactus/plan/stopped.hpp"

namespace tactus::plan {

/// Physical SMs of the tasks with deadlines.
struct PlannedAllocation {
  bool found = false;
  std::vector<std::int64_t> sms;  // most urgent task first; only where found
  std::string accepted_by;        // id of the analysis
  bool gave_up = false;           // a search reached its limit: a division may exist
  std::int64_t effort = 0;        // response bounds that `rtgpu` computed

  /// The sum of its SMs.
  [[nodiscard]] std::int64_t used() const;
};

enum class AllocationTests : std::uint8_t { quick, all };

/// The SMs available to tasks with deadlines: best-effort tasks keep theirs, at least one each for GPU work,
/// and so do tasks without GPU work to which the file gives some.
std::int64_t free_sms(const System& system, const analysis::FederatedTasks& tasks);

/// The first division of `sms` SMs that a test accepts. `tasks` are those of the system, with every stage.
/// `quick`: only `rtgpu` is asked.
PlannedAllocation allocate_sms(const System& system, const analysis::FederatedTasks& tasks, std::int64_t sms,
                               AllocationTests tests);

/// The accepted division with the fewest SMs.
struct FewestSms {
  PlannedAllocation allocation;
  bool proven = false;  // no test accepts a division of fewer; else a search gave up or was stopped
};

/// A test that accepts a division of m SMs accepts it among m + 1 too, with one idle. So the totals with
/// an accepted division are all those from a least one on, bisection finds it, and one total without any
/// rules out all below it.
FewestSms find_fewest(const System& system, const analysis::FederatedTasks& tasks, PlannedAllocation found,
                      const Watch& watch);

/// What best-effort tasks with GPU work get if the file gives them nothing.
enum class BestEffortSms : std::uint8_t { one_each, all_that_is_left };

/// The system with the SMs of the division. SMs that the file gives are kept.
System with_allocation(const System& system, const analysis::FederatedTasks& tasks,
                       const PlannedAllocation& allocation, BestEffortSms best_effort);

/// The sum of the SMs that the system gives to its tasks.
std::int64_t given_sms(const System& system);

}  // namespace tactus::plan
