#include "tactus/import/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/utf8.hpp"

namespace tactus::import {

namespace {

/// The name of what a step does, for comments.
std::string step_name(const Step& step) {
  return step.kind == StepKind::call && step.target != nullptr ? std::string{name_of(*step.target)}
                                                               : std::string{};
}

bool takes_time(const Step& step) {
  return step.kind == StepKind::ticks || step.kind == StepKind::access || step.kind == StepKind::call ||
         step.kind == StepKind::choice || step.kind == StepKind::loop;
}

/// Joins the step with the part before it, where that is of the same kind.
void append(Job& job, Part part) {
  Part* last = job.parts.empty() ? nullptr : &job.parts.back();
  const bool joins = last != nullptr && last->kind == part.kind && last->unit == part.unit &&
                     !last->grid.blocks && !part.grid.blocks &&
                     (part.kind != PartKind::copy || last->to_device == part.to_device);
  if (!joins) {
    job.parts.push_back(std::move(part));
    return;
  }
  last->time = last->time + part.time;
  last->from.insert(last->from.end(), part.from.begin(), part.from.end());
}

Part part_of(PartKind kind, const Step& step, const Span& time, const ProcessingUnit& unit) {
  Part part{.kind = kind, .time = time, .unit = &unit, .from = {}};
  if (std::string name = step_name(step); !name.empty()) part.from.push_back(std::move(name));
  return part;
}

/// On the runnable, or else on the task.
Grid kernel_grid(const Step& step, const Process& task) {
  Grid grid = step.kind == StepKind::call ? grid_of(*step.target) : Grid{};
  const Grid of_task = grid_of(*task.element);
  if (!grid.blocks) grid.blocks = of_task.blocks;
  if (!grid.threads) grid.threads = of_task.threads;
  if (!grid.shared_memory) grid.shared_memory = of_task.shared_memory;
  if (!grid.registers) grid.registers = of_task.registers;
  return grid;
}

bool share_event(const Step& a, const Step& b) {
  return std::any_of(a.events.begin(), a.events.end(), [&b](const Element* one) {
    return std::find(b.events.begin(), b.events.end(), one) != b.events.end();
  });
}

}  // namespace

JobMaker::JobMaker(const Model& model, const std::map<const Process*, Placement>& placements,
                   TimeTable& times, Notes& notes)
    : model_{&model}, placements_{&placements}, times_{&times}, notes_{&notes} {
  for (const Process& task : model.software.tasks) {
    const std::vector<Step>& steps = steps_of(task);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Process* other = steps[i].kind == StepKind::trigger ? waited_for(steps, i) : nullptr;
      if (other != nullptr && other != &task) offloaded_.insert(other);
    }
  }
}

const std::vector<Step>& JobMaker::steps_of(const Process& task) {
  const auto known = steps_.find(&task);
  if (known != steps_.end()) return known->second;
  return steps_.emplace(&task, flattened(task.activity, model_->software, *notes_)).first->second;
}

/// The task that this trigger activates and whose event is waited for behind it; null where there is none, or
/// where others activate it, too.
const Process* JobMaker::waited_for(const std::vector<Step>& steps, std::size_t trigger) {
  const Element* stimulus = steps[trigger].target;
  const auto triggers = model_->triggers.find(stimulus);
  if (triggers == model_->triggers.end() || triggers->second.size() != 1 || steps[trigger].every != 1)
    return nullptr;
  for (const Process& other : model_->software.tasks) {
    if (other.stimuli.size() != 1 || other.stimuli.front() != stimulus) continue;
    for (const Step& set : steps_of(other)) {
      if (set.kind != StepKind::set_event) continue;
      const bool waits = std::any_of(
          steps.begin() + static_cast<std::ptrdiff_t>(trigger), steps.end(),
          [&set](const Step& step) { return step.kind == StepKind::wait && share_event(step, set); });
      if (waits) return &other;
    }
  }
  return nullptr;
}

void JobMaker::add_cpu(const Step& step, const Process& task, const ProcessingUnit& unit, Job& job) {
  Span time = times_->time_of({step}, unit).together();
  // Where the model contradicts itself, what holds for either unit.
  for (const ProcessingUnit* other : placements_->at(&task).also) {
    if (times_->can_run({step}, *other)) time = envelope(time, times_->time_of({step}, *other).together());
  }
  if (time == Span{}) return;
  append(job, part_of(PartKind::cpu, step, time, unit));
}

void JobMaker::add_gpu(const Process& task, const ProcessingUnit& unit, Job& job) {
  bool before_kernel = true;
  for (const Step& step : steps_of(task)) {
    if (!takes_time(step)) continue;
    if (times_->has_ticks({step})) {
      Part part = part_of(PartKind::gpu, step, times_->time_of({step}, unit).together(), unit);
      part.grid = kernel_grid(step, task);
      append(job, std::move(part));
      before_kernel = false;
      continue;
    }
    // Accesses to labels without ticks are what a copy engine does.
    Part part = part_of(PartKind::copy, step, times_->copy_time({step}, unit), unit);
    part.to_device = before_kernel;
    if (part.time != Span{}) append(job, std::move(part));
  }
}

void JobMaker::add_offloaded(const Process& task, Job& job, const ProcessingUnit& caller) {
  const Placement& placement = placements_->at(&task);
  if (placement.candidates.empty()) {
    notes_->refuse(*task.element, ProblemId::incomplete_model,
                   fmt::format("where {} runs is not known", in_backticks(task.name)),
                   "allocate it to a scheduler that is responsible for a processing unit");
    return;
  }
  job.offloaded.push_back(&task);
  const ProcessingUnit& unit = placement.allocation == nullptr ? caller : *placement.candidates.front();
  if (unit.kind == UnitKind::gpu) {
    if (job.gpu == nullptr) job.gpu = placement.allocation;
    add_gpu(task, unit, job);
    return;
  }
  Job inner = make(task, unit);
  for (Part& part : inner.parts) append(job, std::move(part));
  job.offloaded.insert(job.offloaded.end(), inner.offloaded.begin(), inner.offloaded.end());
}

Job JobMaker::make(const Process& task, const ProcessingUnit& unit) {
  Job job;
  if (!inside_.insert(&task).second) {
    notes_->refuse(*task.element, ProblemId::incomplete_model,
                   fmt::format("{} waits for itself through other tasks", in_backticks(task.name)),
                   "remove one of the triggers");
    return job;
  }
  if (unit.kind == UnitKind::gpu) {
    job.gpu = placements_->at(&task).allocation;
    add_gpu(task, unit, job);
    inside_.erase(&task);
    return job;
  }
  const std::vector<Step> steps = steps_of(task);
  bool waits = false;
  bool overlaps = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (step.kind == StepKind::wait) {
      job.is_busy = job.is_busy || step.is_active;
      waits = false;
    } else if (step.kind == StepKind::trigger) {
      overlaps = overlaps || waits;
      if (const Process* other = waited_for(steps, i)) {
        add_offloaded(*other, job, unit);
        waits = true;
      }
    } else if (takes_time(step)) {
      overlaps = overlaps || waits;
      add_cpu(step, task, unit, job);
    }
  }
  if (overlaps) {
    notes_->assume("overlap", task.element,
                   fmt::format("{} goes on while the work that it triggered is done; here one comes after "
                               "the other, which takes longer",
                               in_backticks(task.name)));
  }
  inside_.erase(&task);
  return job;
}

bool JobMaker::can_run(const Process& task, const ProcessingUnit& unit) {
  const std::vector<Step>& steps = steps_of(task);
  return std::all_of(steps.begin(), steps.end(),
                     [&](const Step& step) { return times_->can_run({step}, unit); });
}

std::optional<Part> JobMaker::on_core(const Process& task, const ProcessingUnit& unit, bool alone) {
  Job whole{.parts = {}, .offloaded = {}};
  const std::vector<Step> steps = steps_of(task);
  bool moved = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& own = steps[i];
    if (takes_time(own)) {
      if (!times_->can_run({own}, unit)) return std::nullopt;
      const ExecutionTime time = times_->time_of({own}, unit);
      append(whole, part_of(PartKind::cpu, own, alone ? time.accesses : time.together(), unit));
    }
    const Process* other = own.kind == StepKind::trigger ? waited_for(steps, i) : nullptr;
    if (other == nullptr) continue;
    for (const Step& step : steps_of(*other)) {
      if (!takes_time(step) || !times_->has_ticks({step})) continue;
      if (!times_->can_run({step}, unit)) return std::nullopt;
      append(whole, part_of(PartKind::cpu, step, times_->time_of({step}, unit).together(), unit));
      moved = true;
    }
  }
  if (!moved || whole.parts.size() != 1) return std::nullopt;
  return whole.parts.front();
}

}  // namespace tactus::import
