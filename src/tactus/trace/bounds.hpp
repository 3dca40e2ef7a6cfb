// Compares jobs with proven bounds, which the caller provides.
#pragma once

#include <optional>
#include <vector>

#include "tactus/trace/event.hpp"

namespace tactus::trace {

/// By task: how long after its release a job is proven to be done; nothing where nothing is proven. Missing
/// entries at the end mean the same.
using Bounds = std::vector<std::optional<Duration>>;

/// The instant up to which a job is proven to be done.
struct BoundMark {
  Time time{};
  Duration bound{};
  /// Whether the job was done by then; nothing when that is not known.
  std::optional<bool> kept;
};

/// Nothing for a job without a bound, or one that was refused: nothing is proven about work that never
/// reached the device. A job that is still pending at `reached` was not done before it.
inline std::optional<BoundMark> bound_mark(const Bounds& bounds, const JobEnded& job, Time reached = origin) {
  if (job.job.task >= bounds.size() || !bounds[job.job.task]) return std::nullopt;
  if (never_began(job.fate)) return std::nullopt;
  const Duration bound = *bounds[job.job.task];
  const Time time = saturating_add(job.release, bound);
  if (time == never) return std::nullopt;
  BoundMark mark{.time = time, .bound = bound, .kept = {}};
  if (job.completion != never) {
    mark.kept = job.completion <= time;
  } else if (job.fate == Fate::ran && time < reached) {
    mark.kept = false;
  }
  return mark;
}

}  // namespace tactus::trace
