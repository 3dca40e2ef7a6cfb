// Where a system is not proven to hold: how far it is from that, and which single changes would do. Every
// change was made and checked; nothing is extrapolated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/check.hpp"
#include "tactus/model/system.hpp"
#include "tactus/plan/stopped.hpp"
#include "tactus/plan/ways.hpp"

namespace tactus::plan {

/// The test that is nearest to a yes.
struct Nearest {
  std::string analysis;
  std::string task;  // empty where it is about all tasks of a server
  Duration by{};     // its bound less its deadline, or what does not fit
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

/// No analysis takes deadlines beyond periods, but with all such deadlines at the period it holds. Of the
/// longer ones that says nothing under EDF, which they make another schedule.
struct PeriodsHint {
  std::vector<std::size_t> tasks;  // never empty
  std::string analysis;
};

/// All execution times divided by speed / 1000, rounded up, and it holds. Overheads of the machine stay.
struct SpeedHint {
  std::int64_t thousandths = 0;
  std::string analysis;
};

struct Hints {
  std::optional<Nearest> nearest;
  std::vector<DeadlineHint> deadlines;
  std::optional<PeriodsHint> periods;
  std::optional<SpeedHint> speed;
  std::vector<WayHint> ways;
  bool only_ways = false;  // deadlines and speeds were not tried: no analysis applies, or nobody asked
  bool stopped = false;    // not everything was tried

  [[nodiscard]] bool empty() const { return deadlines.empty() && !periods && !speed && ways.empty(); }
};

/// The system with all execution times divided by thousandths / 1000.
System at_speed(const System& system, std::int64_t thousandths);

/// For a complete system that `result` did not prove.
Hints find_hints(const System& system, const analysis::CheckResult& result, const Watch& watch);

/// Only the other ways; for a system that may lack what `plan` finds.
Hints find_other_ways(const System& system, const Watch& watch);

}  // namespace tactus::plan
