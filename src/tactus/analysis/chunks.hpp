// Chunks: the parts of a job's time between release and deadline that lie inside windows of a reservation.
//
// A job released at k T may run in [k T, k T + D), and only inside windows: each common piece is a chunk. If
// a job does all of its work in its longest chunk, it can be treated as a job that arrives at the
// start of that chunk and must be done by its end, on a dedicated processor.
//
// Model: releases at 0, T, 2T, ... on the clock of the reservation; D <= T.
#pragma once

#include <cstdint>
#include <optional>

#include "tactus/analysis/gpu_tasks.hpp"

namespace tactus::analysis {

/// Two numbers that summarise the longest chunks of all jobs of a task.
struct LeastChunk {
  Duration length{};    // of the shortest one
  Duration distance{};  // least distance of the arrivals of two in succession
  /// The release of a job without any chunk, counted from the start of a reservation period; then the
  /// other two have no meaning.
  std::optional<Duration> lost;
};

/// Without a list of the chunks of all jobs: the cost does not depend on the periods.
LeastChunk min_chunk(const GpuTask& task, const Supply& supply);

/// The same two numbers for the jobs that have a chunk, as if the others did not exist. Length 0 when none
/// has. Nothing when jobs with a chunk lie further apart than `max_skipped_jobs`.
struct SurvivingChunk {
  Duration length{};
  Duration distance{};
};
inline constexpr std::int64_t max_skipped_jobs = 10'000;
std::optional<SurvivingChunk> min_surviving_chunk(const GpuTask& task, const Supply& supply);

}  // namespace tactus::analysis
