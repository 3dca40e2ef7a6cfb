// A periodic job beside best-effort work with nothing but CUDA: what a careful program without Tactus does.
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
  /// `turn` is 0 and 1 by turns: launches with the same turn do not overlap. Empty: the job is alone.
  std::function<void(cudaStream_t, unsigned turn)> launch_best_effort;
  /// Releases are this far apart, or up to twice as far: uniform, like those of Tactus's sporadic tasks.
  Duration separation{};
  std::int64_t jobs = 0;
  std::int64_t skipped = 0;  // jobs at the start that do not count
};

struct PlainResult {
  std::vector<std::int64_t> responses_ns;  // from the nominal release until the end is known
  /// Of each of them: whether the thread, which only watched the clock and a word of memory, was away
  /// meanwhile, as device::min_absence counts it.
  std::vector<bool> disturbed;
  double best_effort_rate = 0;  // launches that ended a second; 0 without such work
};

/// One thread, two launches of best-effort work in the stream at all times, ends seen in the host's memory.
/// The job is launched at its release, after a wait that spins.
PlainResult run_plain(const PlainSettings& settings);

/// The same instants, but the job is a loop on the CPU of about the given length, and the GPU has nothing to
/// do: how regular the machine itself is.
std::vector<std::int64_t> run_on_cpu(const PlainSettings& settings, Duration length);

}  // namespace tactus::bench
