// The judgement of systems: what every worker of a sweep does.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tactus/sweep/counts.hpp"
#include "tactus/sweep/experiment.hpp"
#include "tactus/sweep/system_ranges.hpp"

namespace tactus::sweep {

/// Some systems of a point: what a worker judges before it tells the others.
struct Chunk {
  std::size_t point = 0;
  SystemRange systems;
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

/// The whole judgement of one system: one verdict an analysis.
std::vector<analysis::Result> judge(const Experiment& experiment, const System& system);

/// Judges the systems of a chunk in order, as long as nobody says stop; those that were not judged are taken
/// out of the chunk.
PartCounts judge(const Experiment& experiment, Chunk& chunk, const std::function<bool()>& must_stop);

}  // namespace tactus::sweep
