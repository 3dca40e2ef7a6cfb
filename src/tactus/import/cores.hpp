// The cores of the system, and which of them each task gets.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tactus/import/activation.hpp"
#include "tactus/import/parts.hpp"

namespace tactus::import {

struct CoreUnits {
  std::vector<const ProcessingUnit*> units;  // by number, clusters together; accelerators behind the cores
  std::vector<std::int32_t> clusters;        // how many cores each has

  /// -1 where it is none.
  [[nodiscard]] std::int32_t number_of(const ProcessingUnit* unit) const;
};

/// Clusters are the structures around cores, ordered by the names of their first ones. Each accelerator is a
/// core and cluster of its own.
CoreUnits number_cores(const Hardware& hardware);

/// One unit for each task: where several may run it, the one that has least to do then, the tasks that need
/// most first. Choices are noted.
std::map<const Process*, const ProcessingUnit*> choose_units(
    const Model& model, const std::map<const Process*, Placement>& placements, JobMaker& jobs,
    Activations& activations, Notes& notes);

}  // namespace tactus::import
