#include "tactus/import/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "tactus/base/utf8.hpp"
#include "tactus/import/execution_time.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

namespace {

using Units = std::vector<const ProcessingUnit*>;

bool holds(const Units& units, const ProcessingUnit* one) {
  return std::find(units.begin(), units.end(), one) != units.end();
}

bool are_all(const Units& units, UnitKind kind) {
  return !units.empty() && std::all_of(units.begin(), units.end(),
                                       [kind](const ProcessingUnit* one) { return one->kind == kind; });
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

void add_missing(const Units& more, Units& units) {
  std::set<const ProcessingUnit*> known{units.begin(), units.end()};
  for (const ProcessingUnit* one : more) {
    if (known.insert(one).second) units.push_back(one);
  }
}

Units served_by(const TaskAllocationFacts& allocation) {
  return allocation.scheduler == nullptr ? Units{} : allocation.scheduler->serves;
}

/// What the allocation says: the affinity, or else what the scheduler is responsible for.
Units units_of(const TaskAllocationFacts& allocation) {
  return allocation.affinity.empty() ? served_by(allocation) : allocation.affinity;
}

/// The units that count where the affinity is to others than the scheduler's.
Units resolve_conflict(const Process& task, const TaskAllocationFacts& allocation, const Units& served,
                       const Options& options, Notes& notes, Placement& placement) {
  Units units = allocation.affinity;
  const std::string where = units.size() == 1 ? units.front()->name : "one of them";
  std::string choice;
  switch (options.conflict) {
    case Conflict::both:
      add_missing(by_definition(served), placement.also);
      choice = fmt::format("it runs on {}, with times that hold by the ticks of either", where);
      break;
    case Conflict::affinity:
      choice = fmt::format("it runs on {}, with its ticks", where);
      break;
    case Conflict::scheduler:
      units = served;
      choice = "it runs where the scheduler is responsible";
      break;
  }
  notes.warn("affinity-conflict", allocation.element,
             fmt::format("{} has affinity to {}, but its scheduler {} is responsible for {}: {}",
                         in_backticks(task.name), names_of(allocation.affinity),
                         in_backticks(allocation.scheduler->name), names_of(served), choice),
             "--conflict both|affinity|scheduler chooses");
  return units;
}

void compare_allocations(const Process& task, const Placement& placement, Notes& notes) {
  const TaskAllocationFacts& first = *placement.allocations.front();
  const auto differs = [&first](const TaskAllocationFacts* one) {
    return one->scheduler != first.scheduler || units_of(*one) != units_of(first) ||
           one->priority != first.priority || one->time_slice != first.time_slice;
  };
  const auto other = std::find_if(placement.allocations.begin(), placement.allocations.end(), differs);
  if (other == placement.allocations.end()) return;
  notes.warn(
      "several-allocations", (*other)->element,
      fmt::format("{} is allocated {} times, and not alike: here it runs on one of {} alone, so tasks "
                  "of the others do not wait for it",
                  in_backticks(task.name), placement.allocations.size(), names_of(placement.candidates)),
      "leave one allocation, or a task for each");
}

/// Schedulers of tasks that have nothing to run on.
void warn_of_idle_schedulers(const Model& model, const Units& cores, Notes& notes) {
  std::set<const TaskSchedulerFacts*> told;
  for (const TaskAllocationFacts& one : model.mapping.tasks) {
    const bool is_idle = one.scheduler != nullptr && one.scheduler->serves.empty() && one.affinity.empty();
    if (!is_idle || cores.size() < 2 || one.scheduler->is_for_interrupts) continue;
    if (!told.insert(one.scheduler).second) continue;
    notes.warn(
        "no-responsibility", one.scheduler->element,
        fmt::format("scheduler {} is responsible for no processing unit: its tasks may run on any core, "
                    "and each disturbs only those of the core that it gets",
                    in_backticks(one.scheduler->name)),
        "give it a `schedulerAllocation` with a responsibility");
  }
}

/// Where a task runs of which the model does not say it: on a core, or on a GPU where no core has ticks for
/// it.
Units units_by_ticks(const Process& task, const Model& model, const Units& cores, TimeTable& times,
                     Notes& notes) {
  const auto can_run = [&](const ProcessingUnit* one) {
    return std::all_of(task.activity.begin(), task.activity.end(),
                       [&](const Step& step) { return times.can_run(step, *one); });
  };
  const Units kinds = by_definition(cores);
  if (std::any_of(kinds.begin(), kinds.end(), can_run)) return cores;
  Units gpus;
  for (const ProcessingUnit& one : model.hardware.units) {
    if (one.kind == UnitKind::gpu && can_run(&one)) gpus.push_back(&one);
  }
  if (gpus.empty()) return cores;
  notes.assume("no-allocation", task.element,
               fmt::format("{} is allocated to no processing unit, and only a GPU has ticks for it: it runs "
                           "on {}",
                           in_backticks(task.name), gpus.size() == 1 ? gpus.front()->name : "one of them"));
  return gpus;
}

Placement place(const Process& task, const Model& model, const Units& cores, const Options& options,
                TimeTable& times, Notes& notes) {
  Placement placement{
      .candidates = {}, .also = {}, .allocations = model.mapping.allocations_of(task.element)};
  if (!placement.allocations.empty()) placement.allocation = placement.allocations.front();
  for (const TaskAllocationFacts* one : placement.allocations) {
    const Units served = served_by(*one);
    const bool is_outside =
        std::any_of(one->affinity.begin(), one->affinity.end(),
                    [&served](const ProcessingUnit* unit) { return !holds(served, unit); });
    add_missing(is_outside && !served.empty()
                    ? resolve_conflict(task, *one, served, options, notes, placement)
                    : units_of(*one),
                placement.candidates);
  }
  if (placement.candidates.empty()) placement.candidates = units_by_ticks(task, model, cores, times, notes);
  if (placement.allocations.size() > 1) compare_allocations(task, placement, notes);
  return placement;
}

}  // namespace

std::string names_of(const Units& units) {
  constexpr std::size_t most = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(units.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + units[i]->name;
  return units.size() > most ? fmt::format("{} and {} more", text, units.size() - most) : text;
}

const TaskAllocationFacts* Placement::allocation_on(const ProcessingUnit& unit) const {
  const auto found =
      std::find_if(allocations.begin(), allocations.end(),
                   [&unit](const TaskAllocationFacts* one) { return holds(units_of(*one), &unit); });
  return found == allocations.end() ? allocation : *found;
}

bool Placement::is_on_gpu() const { return are_all(candidates, UnitKind::gpu); }

bool Placement::is_on_accelerators() const { return are_all(candidates, UnitKind::accelerator); }

std::map<const Process*, Placement> place_tasks(const Model& model, const Options& options, Notes& notes) {
  Units cores;
  for (const ProcessingUnit& one : model.hardware.units) {
    if (one.kind == UnitKind::cpu) cores.push_back(&one);
  }
  std::map<const Process*, Placement> placements;
  TimeTable times{model, options, notes};
  std::size_t without = 0;
  std::size_t choices = 0;
  warn_of_idle_schedulers(model, cores, notes);
  for (const Process& task : model.software.tasks) {
    const Placement& placed = placements[&task] = place(task, model, cores, options, times, notes);
    if ((choices += placed.candidates.size()) > limits::choices) {
      throw TooLarge{
          fmt::format("{} tasks may run on too many of {} cores", model.software.tasks.size(), cores.size()),
          "allocate them, or make schedulers responsible for fewer cores"};
    }
    if (placed.allocations.empty() && !task.is_interrupt && !placed.is_on_gpu()) ++without;
  }
  if (without > 0 && !cores.empty()) {
    const auto all = std::count_if(model.software.tasks.begin(), model.software.tasks.end(),
                                   [](const Process& one) { return !one.is_interrupt; });
    notes.assume("no-allocation", nullptr,
                 fmt::format("{} of {} tasks are not allocated: {}", without, all,
                             cores.size() == 1 ? "they run on the only core, " + cores.front()->name
                                               : "each may run on any core"));
  }
  return placements;
}

}  // namespace tactus::import
