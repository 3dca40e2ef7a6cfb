// A periodic job beside best-effort work with CUDA only: a careful program without Tactus.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::bench {

struct PlainSettings {
  cudaStream_t urgent = nullptr;
  cudaStream_t best_effort = nullptr;
  std::function<void(cudaStream_t)> launch_job;  // empty: best-effort work alone
  /// `turn` alternates between 0 and 1: launches with the same turn do not overlap. Empty: the job is alone.
  std::function<void(cudaStream_t, unsigned turn)> launch_best_effort;
  /// Minimum separation of releases; uniform up to twice that, like Tactus's sporadic tasks.
  Duration separation{};
  std::int64_t jobs = 0;
  std::int64_t skipped = 0;  // jobs at the start that do not count
};

struct PlainResult {
  std::vector<std::int64_t> responses_ns;  // from the nominal release until the end is known
  /// For each of them: whether the thread, which only polled the clock and a word of memory, was not running
  /// for at least device::min_absence.
  std::vector<bool> disturbed;
  double best_effort_rate = 0;  // completed launches per second; 0 without such work
};

/// One thread, always two best-effort launches in the stream, ends detected in host memory. The job is
/// launched at its release, after spinning.
PlainResult run_plain(const PlainSettings& settings);

/// The same instants, but the job is a loop on the CPU of about the given length, and the GPU is idle: shows
/// the variation of the machine itself.
std::vector<std::int64_t> run_on_cpu(const PlainSettings& settings, Duration length);

}  // namespace tactus::bench
