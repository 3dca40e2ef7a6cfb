// For a system that is not proven schedulable: how far it is from that, and which single changes suffice.
// Every change was checked; nothing is extrapolated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/base/watch.hpp"
#include "tactus/model/system.hpp"
#include "tactus/plan/ways.hpp"

namespace tactus::plan {

/// The test that is nearest to accepting.
struct Nearest {
  std::string analysis;
  std::string task;  // empty where it is about all tasks of a server
  Duration by{};     // bound - deadline, or the excess of demand
};

/// Another strategy or order under which it holds.
struct WayHint {
  Trial trial;
};

/// A longer deadline of one task with which it holds.
struct DeadlineHint {
  std::size_t task = 0;
  Duration deadline{};
  std::string analysis;
};

/// No analysis that could prove it applies to this system with its deadlines beyond periods, but with all
/// such deadlines reduced to the period it holds. Under EDF this does not prove the longer deadlines, with
/// which the schedule is a different one.
struct PeriodsHint {
  std::vector<std::size_t> tasks;  // never empty
  std::string analysis;
};

/// It holds with all execution times divided by speed / 1000, rounded up. Overheads are not scaled.
struct SpeedHint {
  std::int64_t thousandths = 0;
  std::string analysis;
};

/// It holds if the work of these tasks waits on their SMs, instead of being launched.
struct DispatchHint {
  struct Change {
    std::size_t task = 0;
    Dispatch dispatch = Dispatch::resident;
    bool drops_launcher = false;  // nothing is launched any more
  };
  std::vector<Change> changes;  // never empty
  bool planned = false;         // whether `plan` has to choose parameters
  std::string analysis;
};

/// It holds if `plan` may choose the CPU core of every task.
struct CoresHint {
  std::string analysis;
};

/// It holds with another value of one key of the policy, where nodes are timed.
struct PolicyHint {
  std::optional<ClusterMode> clusters{};
  std::optional<bool> parallel_jobs{};
  bool any_core = false;  // and `plan` may choose the cluster of every task
  bool planned = false;   // whether `plan` has to choose parameters
  std::string analysis{};
};

struct Hints {
  std::optional<Nearest> nearest;
  std::vector<DeadlineHint> deadlines;
  std::optional<PeriodsHint> periods;
  std::optional<SpeedHint> speed;
  std::vector<DispatchHint> dispatches;
  bool tried_dispatches = false;  // some task could wait on its SMs
  std::optional<CoresHint> cores;
  std::vector<PolicyHint> policies;
  std::vector<WayHint> ways;
  bool only_ways = false;  // deadlines and speeds were not tried: no analysis applies, or not requested
  bool stopped = false;    // not everything was tried

  [[nodiscard]] bool empty() const {
    return deadlines.empty() && !periods && !speed && dispatches.empty() && !cores && policies.empty() &&
           ways.empty();
  }
};

/// The system with all execution times divided by thousandths / 1000.
System at_speed(const System& system, std::int64_t thousandths);

/// For a complete system that `result` did not prove.
Hints find_hints(const System& system, const analysis::CheckResult& result, const Watch& watch);

/// Only other strategies, orders and ways to the GPU; for a system that may lack parameters that `plan`
/// finds.
Hints find_other_ways(const System& system, const Watch& watch);

}  // namespace tactus::plan
