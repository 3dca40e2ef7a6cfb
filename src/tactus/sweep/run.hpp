// Runs an experiment on all cores. Results do not depend on how many there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tactus/sweep/experiment.hpp"

namespace tactus::sweep {

/// What one analysis said about the systems of a point. The first five add up to all of them.
struct Counts {
  std::int64_t schedulable = 0;
  std::int64_t unschedulable = 0;
  std::int64_t unproven = 0;
  std::int64_t gave_up = 0;
  std::int64_t not_applicable = 0;
  /// Of those it accepted: how many another, sound analysis of the experiment shows to be unschedulable. More
  /// than 0 means that the test is not sound.
  std::int64_t contradicted = 0;
  std::string why_not{};  // of the first system to which it does not apply

  friend bool operator==(const Counts&, const Counts&) = default;
};

/// One entry an analysis, in the order of the experiment.
using PointCounts = std::vector<Counts>;

struct SweepResult {
  /// In the order of the experiment's points; absent for those that were not finished.
  std::vector<std::optional<PointCounts>> points;

  [[nodiscard]] bool complete() const;
  [[nodiscard]] std::size_t finished() const;
};

struct RunOptions {
  unsigned threads = 0;                       // 0: as many as the machine has cores
  const std::atomic<bool>* stop = nullptr;    // set by somebody else: points under way are given up
  std::function<void(double)> on_progress{};  // the part that is done, from 0 to 1
  /// After every finished point, with all that is finished so far.
  std::function<void(const SweepResult&)> on_point{};
};

/// The callbacks are called by the calling thread alone. What a generator or a callback throws ends the run.
SweepResult run(const Experiment& experiment, const RunOptions& options);

/// The threads a run will use.
unsigned thread_count(unsigned wanted);

/// The whole judgement of one system: one verdict an analysis. For tests and for those who look closer.
std::vector<analysis::Result> judge(const Experiment& experiment, const System& system);

}  // namespace tactus::sweep
