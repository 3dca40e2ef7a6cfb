// Runs the analyses on systems: the work of a sweep.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "tactus/sweep/counts.hpp"
#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/system_ranges.hpp"

namespace tactus::sweep {

/// Some systems of a point: the unit of work that is handed to a worker.
struct Batch {
  std::size_t point = 0;
  SystemRange systems;
  friend bool operator==(const Batch&, const Batch&) = default;
};

/// The verdicts on a batch.
struct Answer {
  Batch batch;
  PartCounts part;
  std::chrono::duration<double> took{};
};

/// Runs all analyses on one system; one result for each.
std::vector<analysis::Result> judge(const Experiment& experiment, const System& system);

/// Judges the systems of a chunk in order until `must_stop` is true; those that were not judged are removed
/// from the chunk.
PartCounts judge(const Experiment& experiment, Batch& batch, const std::function<bool()>& must_stop);

}  // namespace tactus::sweep
