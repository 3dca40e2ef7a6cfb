// Simulates a schedule and compares every job with its bound.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/sched/execution.hpp"

namespace tactus::falsify {

/// Proven response times by task; nothing where none is claimed.
using Bounds = std::vector<std::optional<Duration>>;

/// The job that came nearest to its bound, or went furthest beyond.
struct Closest {
  TaskIndex task = 0;
  std::uint64_t job = 0;
  Duration observed{};  // of a job that was not done at the end: at least so much
  Duration bound{};

  [[nodiscard]] bool broken() const { return observed > bound; }
  /// For display and for guiding the search; no verdict depends on it.
  [[nodiscard]] double ratio() const;
};

/// Whether `a` is nearer to its bound than `b`, exactly.
bool nearer(const Closest& a, const Closest& b);
/// Keeps the candidate where it is nearer.
void note(std::optional<Closest>& closest, const Closest& candidate);

struct Played {
  std::optional<Closest> closest;  // nothing when no job has a bound
  std::uint64_t jobs = 0;
};

/// How long to simulate a system: nothing when its jobs are all scripted, so that it ends by itself.
std::optional<Duration> playing_time(const System& system);

/// Simulates the system with its scripts; `execution` decides what they leave open.
Played play(const System& system, const Bounds& bounds, Execution execution, std::optional<Duration> horizon);

}  // namespace tactus::falsify
