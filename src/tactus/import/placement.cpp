#include "tactus/import/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tactus/base/utf8.hpp"

namespace tactus::import {

namespace {

using Units = std::vector<const ProcessingUnit*>;

bool holds(const Units& units, const ProcessingUnit* one) {
  return std::find(units.begin(), units.end(), one) != units.end();
}

std::string names_of(const Units& units) {
  std::string text;
  for (const ProcessingUnit* one : units) text += (text.empty() ? "" : ", ") + one->name;
  return text;
}

/// One unit of each definition.
Units by_definition(const Units& units) {
  Units found;
  for (const ProcessingUnit* one : units) {
    const bool is_known = std::any_of(found.begin(), found.end(), [one](const ProcessingUnit* other) {
      return other->definition == one->definition && other->hertz == one->hertz;
    });
    if (!is_known) found.push_back(one);
  }
  return found;
}

void resolve_conflict(const Process& task, const TaskAllocationFacts& allocation, const Units& served,
                      const Options& options, Notes& notes, Placement& placement) {
  std::string choice;
  switch (options.conflict) {
    case Conflict::both:
      placement.also = by_definition(served);
      choice = fmt::format("it runs on {}, with times that hold by the ticks of either",
                           placement.candidates.front()->name);
      break;
    case Conflict::affinity:
      choice = fmt::format("it runs on {}, with its ticks", placement.candidates.front()->name);
      break;
    case Conflict::scheduler:
      placement.candidates = served;
      choice = "it runs where the scheduler is responsible";
      break;
  }
  notes.warn("affinity-conflict", allocation.element,
             fmt::format("{} has affinity to {}, but its scheduler {} is responsible for {}: {}",
                         in_backticks(task.name), names_of(allocation.affinity),
                         in_backticks(allocation.scheduler->name), names_of(served), choice),
             "--conflict both|affinity|scheduler chooses");
}

Placement place(const Process& task, const Model& model, const Units& cores, const Options& options,
                Notes& notes) {
  Placement placement{.candidates = {}, .also = {}, .allocation = model.mapping.find(task.element)};
  const TaskAllocationFacts* allocation = placement.allocation;
  if (allocation == nullptr) {
    placement.candidates = cores;
    return placement;
  }
  const Units served = allocation->scheduler == nullptr ? Units{} : allocation->scheduler->serves;
  placement.candidates = allocation->affinity.empty() ? served : allocation->affinity;
  const bool is_outside = std::any_of(allocation->affinity.begin(), allocation->affinity.end(),
                                      [&served](const ProcessingUnit* one) { return !holds(served, one); });
  if (is_outside && !served.empty()) resolve_conflict(task, *allocation, served, options, notes, placement);
  if (placement.candidates.empty()) placement.candidates = cores;
  return placement;
}

}  // namespace

bool Placement::is_on_gpu() const {
  return !candidates.empty() &&
         std::all_of(candidates.begin(), candidates.end(),
                     [](const ProcessingUnit* one) { return one->kind == UnitKind::gpu; });
}

std::map<const Process*, Placement> place_tasks(const Model& model, const Options& options, Notes& notes) {
  Units cores;
  for (const ProcessingUnit& one : model.hardware.units) {
    if (one.kind == UnitKind::cpu) cores.push_back(&one);
  }
  std::map<const Process*, Placement> placements;
  std::size_t without = 0;
  for (const Process& task : model.software.tasks) {
    const Placement& placed = placements[&task] = place(task, model, cores, options, notes);
    if (placed.allocation == nullptr) ++without;
  }
  if (without > 0 && !cores.empty()) {
    notes.assume("no-allocation", nullptr,
                 fmt::format("{} of {} tasks are not allocated: {}", without, model.software.tasks.size(),
                             cores.size() == 1 ? "they run on the only core, " + cores.front()->name
                                               : "each may run on any core"));
  }
  return placements;
}

}  // namespace tactus::import
