// Where each task runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tactus/import/model.hpp"

namespace tactus::import {

struct Placement {
  std::vector<const ProcessingUnit*> candidates;    // that may run it, one where the model says
  std::vector<const ProcessingUnit*> also;          // whose ticks count as well: the model contradicts itself
  const TaskAllocationFacts* allocation = nullptr;  // the first
  std::vector<const TaskAllocationFacts*> allocations;  // all

  /// The one that has the unit, or else the first; null where there is none.
  [[nodiscard]] const TaskAllocationFacts* allocation_on(const ProcessingUnit& unit) const;
  /// Whether it runs on a GPU, or on accelerators alone.
  [[nodiscard]] bool is_on_gpu() const;
  [[nodiscard]] bool is_on_accelerators() const;
};

/// "Core0, Core1".
std::string names_of(const std::vector<const ProcessingUnit*>& units);

/// Every task of the model. Contradictions and what was assumed are noted.
std::map<const Process*, Placement> place_tasks(const Model& model, const Options& options, Notes& notes);

}  // namespace tactus::import
