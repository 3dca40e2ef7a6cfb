#include "tactus/import/cores.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/utf8.hpp"

namespace tactus::import {

namespace {

/// The worst case of a job as far as it holds this core.
Rational time_on_core(const Job& job, const ProcessingUnit& core) {
  Span time;
  for (const Part& part : job.parts) {
    const bool is_own = part.kind == PartKind::cpu && part.unit == &core;
    if (is_own || job.is_busy) time = time + part.time;
  }
  return time.worst;
}

/// The share of a core's time. A sum of many fractions may not fit; for this choice hundredths of a percent
/// are enough.
Rational need_of(const Rational& time, const std::vector<Source>& sources) {
  constexpr std::int64_t parts = 10'000;
  constexpr Int128 most = 1'000'000'000;
  Int128 need = 0;
  for (const Source& one : sources) {
    if (!one.arrivals.period) continue;
    const Int128 share = static_cast<Int128>(time.numerator()) * parts /
                         (static_cast<Int128>(time.denominator()) * one.arrivals.period->count());
    need = std::min(most, need + std::min(most, share));
  }
  return Rational{static_cast<std::int64_t>(need), parts};
}

struct Waiting {
  const Process* task = nullptr;
  std::vector<const ProcessingUnit*> candidates;
  std::vector<Rational> needs;  // of each candidate's time
};

void note_choice(const Waiting& one, const Placement& placement, const ProcessingUnit& chosen, Notes& notes) {
  const std::string names = names_of(one.candidates);
  const Element* where = placement.allocation == nullptr ? one.task->element : placement.allocation->element;
  const std::string name = in_backticks(one.task->name);
  if (one.task->is_interrupt) {
    notes.warn("several-cores", where,
               fmt::format("which core serves interrupt {} is not known ({}): it gets {}, so tasks of other "
                           "cores are not interrupted",
                           name, names, chosen.name),
               "give its controller a `schedulerAllocation` with one responsibility");
    return;
  }
  notes.warn("several-cores", where,
             fmt::format("{} may run on {}: it gets {}, which has least to do then, and where the scheduler "
                         "lets it run elsewhere, tasks there do not wait for it here",
                         name, names, chosen.name),
             "give it affinity to one core, where it then stays; --open and `tactus plan` choose one");
}

}  // namespace

std::int32_t CoreUnits::number_of(const ProcessingUnit* unit) const {
  const auto found = std::find(units.begin(), units.end(), unit);
  return found == units.end() ? -1 : static_cast<std::int32_t>(found - units.begin());
}

CoreUnits number_cores(const Hardware& hardware) {
  std::vector<std::vector<const ProcessingUnit*>> clusters;
  for (const ProcessingUnit& unit : hardware.units) {  // these are in the order of their names
    if (unit.kind != UnitKind::cpu) continue;
    const auto found = std::find_if(clusters.begin(), clusters.end(), [&unit](const auto& one) {
      return one.front()->cluster == unit.cluster;
    });
    if (found == clusters.end()) {
      clusters.push_back({&unit});
    } else {
      found->push_back(&unit);
    }
  }
  CoreUnits cores;
  for (const auto& cluster : clusters) {
    cores.clusters.push_back(static_cast<std::int32_t>(cluster.size()));
    cores.units.insert(cores.units.end(), cluster.begin(), cluster.end());
  }
  for (const ProcessingUnit& unit : hardware.units) {
    if (unit.kind != UnitKind::accelerator) continue;
    cores.clusters.push_back(1);
    cores.units.push_back(&unit);
  }
  return cores;
}

std::map<const Process*, const ProcessingUnit*> choose_units(
    const Model& model, const std::map<const Process*, Placement>& placements, JobMaker& jobs,
    Activations& activations, Notes& notes) {
  std::map<const Process*, const ProcessingUnit*> chosen;
  std::map<const ProcessingUnit*, Rational> loads;
  std::vector<Waiting> waiting;
  for (const Process& task : model.software.tasks) {
    if (placements.at(&task).candidates.empty() || jobs.is_offloaded(task)) continue;
    const std::vector<const ProcessingUnit*> candidates = jobs.usable_units(task);
    const std::vector<Source>& sources = activations.sources_of(task);
    Waiting one{.task = &task, .candidates = candidates, .needs = {}};
    for (const ProcessingUnit* unit : candidates)
      one.needs.push_back(need_of(time_on_core(jobs.make(task, *unit), *unit), sources));
    if (candidates.size() > 1) {
      waiting.push_back(std::move(one));
    } else {
      chosen[&task] = candidates.front();
      loads[candidates.front()] = loads[candidates.front()] + one.needs.front();
    }
  }
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const Waiting& a, const Waiting& b) { return a.needs.front() > b.needs.front(); });
  for (const Waiting& one : waiting) {
    std::size_t best = 0;
    const auto load_with = [&](std::size_t i) { return loads[one.candidates[i]] + one.needs[i]; };
    for (std::size_t i = 1; i < one.candidates.size(); ++i) {
      if (load_with(i) < load_with(best)) best = i;
    }
    loads[one.candidates[best]] = load_with(best);
    chosen[one.task] = one.candidates[best];
    note_choice(one, placements.at(one.task), *one.candidates[best], notes);
  }
  return chosen;
}

}  // namespace tactus::import
