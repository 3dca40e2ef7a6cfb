// The schedule that preemptive EDF makes of periodic tasks inside the windows of a reservation.
//
// Only releases and completions are events; windows are counted by arithmetic, so a job that spans a
// million windows costs no more than a short one. Every job runs for its full cost. Of equal deadlines the
// running job goes first, then the task that comes first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tactus/analysis/gpu_tasks.hpp"

namespace tactus::analysis {

/// Releases at offset, offset + period, ...; deadline <= period, cost > 0.
struct PeriodicTask {
  Duration offset{};
  Duration cost{};
  Duration deadline{};
  Duration period{};
};

struct MissedJob {
  std::size_t task = 0;
  std::int64_t job = 0;
  Time release{};
  Time deadline{};
  Duration left{};  // remaining work at its deadline
  friend bool operator==(const MissedJob&, const MissedJob&) = default;
};

struct ScheduleOutcome {
  std::optional<MissedJob> miss;  // the first one
  bool complete = false;          // a miss was found, or all requested jobs were simulated
};

/// Simulates all jobs released before `horizon`, but not more than `max_jobs`, up to the first miss. Without
/// `supply` the server is always available.
ScheduleOutcome play_edf(std::span<const PeriodicTask> tasks, const std::optional<Supply>& supply,
                         Time horizon, std::int64_t max_jobs);

}  // namespace tactus::analysis
