#include "tactus/import/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"
#include "tactus/import/properties.hpp"

namespace tactus::import {

namespace {

/// The name of what a step does, for comments.
std::string step_name(const Step& step) {
  return step.kind == StepKind::call && step.target != nullptr ? std::string{name_of(*step.target)}
                                                               : std::string{};
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
  last->may_take_less = last->may_take_less || part.may_take_less;
  last->from.insert(last->from.end(), part.from.begin(), part.from.end());
}

Part part_of(PartKind kind, const Step& step, const Span& time, const ProcessingUnit& unit) {
  Part part{.kind = kind, .time = time, .unit = &unit, .may_take_less = step.is_conditional, .from = {}};
  if (std::string name = step_name(step); !name.empty()) part.from.push_back(std::move(name));
  return part;
}

/// On the runnable, or else on the task.
Grid kernel_grid(const Runnable* called, const Process& task) {
  Grid grid = called == nullptr ? Grid{} : called->grid;
  const Grid& of_task = task.grid;
  if (!grid.blocks) grid.blocks = of_task.blocks;
  if (!grid.threads) grid.threads = of_task.threads;
  if (!grid.shared_memory) grid.shared_memory = of_task.shared_memory;
  if (!grid.registers) grid.registers = of_task.registers;
  return grid;
}

}  // namespace

JobMaker::JobMaker(const Model& model, const Options& options,
                   const std::map<const Process*, Placement>& placements, TimeTable& times, Notes& notes)
    : software_{&model.software},
      options_{&options},
      placements_{&placements},
      times_{&times},
      notes_{&notes},
      offloads_{model, notes} {}

void JobMaker::add_cpu(const Step& step, const Process& task, const ProcessingUnit& unit, Job& job) {
  Span time = times_->time_of(step, unit).together();
  // Where the model contradicts itself, what holds for either unit.
  for (const ProcessingUnit* other : placements_->at(&task).also) {
    if (times_->can_run(step, *other)) time = envelope(time, times_->time_of(step, *other).together());
  }
  if (time == Span{}) return;
  append(job, part_of(PartKind::cpu, step, time, unit));
}

void JobMaker::add_gpu(const Process& task, const ProcessingUnit& unit, Job& job) {
  bool before_kernel = true;
  for (const Step& step : offloads_.steps_of(task)) {
    if (step.kind == StepKind::wait) {
      notes_->refuse(*step.element, ProblemId::incomplete_model,
                     fmt::format("{} runs on the GPU and waits: what follows from that is not known",
                                 in_backticks(task.name)),
                     "let a task on a core trigger both, and wait for them");
    }
    if (!takes_time(step)) continue;
    if (times_->has_ticks(step)) {
      Part part = part_of(PartKind::gpu, step, times_->time_of(step, unit).together(), unit);
      part.grid = kernel_grid(software_->called_in(step), task);
      append(job, std::move(part));
      before_kernel = false;
      continue;
    }
    // Accesses to labels without ticks are what a copy engine does.
    Part part = part_of(PartKind::copy, step, times_->copy_time(step, unit), unit);
    part.to_device = before_kernel;
    if (part.time != Span{}) append(job, std::move(part));
  }
}

/// A task that works for several others does so job by job, in the order in which they come: before each job
/// there may be one for each of the others, which wait for theirs.
void JobMaker::add_work_for_others(const Process& task, const Process& user, const ProcessingUnit& unit,
                                   Job& job) {
  std::int64_t others = 0;
  for (const auto& [one, jobs] : offloads_.users_of(task)) others += one == &user ? 0 : jobs;
  if (others == 0) return;
  Job once;
  if (unit.kind == UnitKind::gpu) {
    add_gpu(task, unit, once);
  } else {
    once = make(task, unit);
  }
  Span work;
  for (const Part& part : once.parts) {
    const Rational blocks{std::max<std::int64_t>(1, part.grid.blocks.value_or(1))};
    work = work + Span{{}, {}, scaled(part.time, blocks).worst};
  }
  if (work == Span{}) return;
  append(job, {.kind = unit.kind == UnitKind::gpu ? PartKind::gpu : PartKind::cpu,
               .time = {{}, {}, scaled(work, Rational{others}).worst},
               .unit = &unit,
               .from = {task.name + " for others"}});
  notes_->assume_more(
      "offload-shared", task.element,
      fmt::format("{} works for {} tasks, one job after the other: each of them also waits for its "
                  "work for the others",
                  in_backticks(task.name), offloads_.users_of(task).size()));
}

void JobMaker::add_offloaded(const Process& task, const Process& user, const ProcessingUnit& caller,
                             Job& job) {
  const Placement& placement = placements_->at(&task);
  if (placement.candidates.empty()) {
    notes_->refuse(*task.element, ProblemId::incomplete_model,
                   fmt::format("where {} runs is not known", in_backticks(task.name)),
                   "allocate it to a scheduler that is responsible for a processing unit");
    return;
  }
  job.offloaded.push_back(&task);
  const ProcessingUnit& unit = unit_of(task, caller);
  add_work_for_others(task, user, unit, job);
  if (unit.kind == UnitKind::gpu) {
    if (job.gpu == nullptr) job.gpu = placement.allocation;
    add_gpu(task, unit, job);
    return;
  }
  note_priorities(task, user);
  Job inner = make(task, unit);
  for (Part& part : inner.parts) append(job, std::move(part));
  job.leaves_work = job.leaves_work || inner.leaves_work;
  job.offloaded.insert(job.offloaded.end(), inner.offloaded.begin(), inner.offloaded.end());
}

/// Where it does its work for others: without an allocation where they run.
const ProcessingUnit& JobMaker::unit_of(const Process& task, const ProcessingUnit& caller) {
  const Placement& placement = placements_->at(&task);
  const std::vector<const ProcessingUnit*> units = usable_units(task);
  const bool is_free = placement.allocation == nullptr && !placement.is_on_gpu();
  if (units.size() > 1) {
    notes_->warn("several-cores",
                 placement.allocation == nullptr ? task.element : placement.allocation->element,
                 fmt::format("{}, whose work others wait for, may run on {}: it gets {}, and where it runs "
                             "elsewhere, tasks there do not wait for it here",
                             in_backticks(task.name), names_of(units),
                             is_free ? "the core of each that waits" : units.front()->name),
                 "give it affinity to one of them");
  }
  return is_free ? caller : *units.front();
}

void JobMaker::note_priorities(const Process& task, const Process& user) {
  const auto priority_of = [this](const Process& one) {
    const TaskAllocationFacts* allocation = placements_->at(&one).allocation;
    const bool has_own = allocation != nullptr && allocation->priority;
    return has_own ? allocation->priority : integer_property(*one.element, "priority");
  };
  const std::optional<std::int64_t> own = priority_of(task);
  const std::optional<std::int64_t> others = priority_of(user);
  if (own == others) return;
  const auto text = [](const std::optional<std::int64_t>& priority) {
    return priority ? fmt::format("priority {}", *priority) : std::string{"no priority"};
  };
  notes_->warn(
      "offload-priority", task.element,
      fmt::format("{} has {}, and {} waits for it, with {}: its work has that of the latter here, so "
                  "others may delay it more than this says",
                  in_backticks(task.name), text(own), in_backticks(user.name), text(others)));
}

/// To trigger others, and to go on behind a wait, a task needs its core, if only for a moment.
void JobMaker::need_core(Job& job, const ProcessingUnit& unit) {
  const Part* last = job.parts.empty() ? nullptr : &job.parts.back();
  if (last != nullptr && last->kind == PartKind::cpu && last->unit == &unit) return;
  append(job, {.kind = PartKind::cpu, .time = {{}, {}, Rational{1}}, .unit = &unit, .from = {"a moment"}});
}

void JobMaker::note_outstanding(const Process& task, const Step& trigger) {
  notes_->warn(
      "outstanding", trigger.element,
      fmt::format("{} causes more work before what it caused is done: others may wait for all of it, and "
                  "here for one after the other",
                  in_backticks(task.name)));
}

void JobMaker::note_wait(const Process& task, const Step& wait) {
  const std::string what = fmt::format(
      "{} waits here for an event that no work which it triggered before sets, or that it has cleared",
      in_backticks(task.name));
  if (options_->ignore_waits) {
    notes_->warn("wait", wait.element, what + ": the wait is left out, so it may take longer than this says");
    return;
  }
  notes_->refuse(*wait.element, ProblemId::incomplete_model, what + ": how long that takes is not known",
                 "--ignore-waits: as if such waits took no time");
}

Job JobMaker::make(const Process& task, const ProcessingUnit& unit) {
  Job job;
  if (++made_ > limits::jobs || inside_.size() > limits::calls) {
    throw TooLarge{fmt::format("too many tasks wait for others, which wait for others, up to {}",
                               in_backticks(task.name)),
                   "let fewer tasks wait for others"};
  }
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
  const Activity& steps = offloads_.steps_of(task);
  std::size_t until = 0;  // the step that waits for all that was triggered so far
  bool overlaps = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (step.kind == StepKind::wait) {
      if (!offloads_.is_caused(task, i)) note_wait(task, step);
      job.is_busy = job.is_busy || step.may_keep_core;
      job.may_give_core = job.may_give_core || step.may_give_core;
    } else if (step.kind == StepKind::trigger) {
      const bool is_awaited = !offloads_.caused_by(task, i).empty();
      if (is_awaited && until > i) note_outstanding(task, step);
      overlaps = overlaps || until > i;
      if (is_awaited) need_core(job, unit);
      for (const Caused& one : offloads_.caused_by(task, i)) {
        add_offloaded(*one.task, task, unit, job);
        until = std::max(until, one.until);
      }
    } else if (takes_time(step)) {
      overlaps = overlaps || until > i;
      add_cpu(step, task, unit, job);
    }
  }
  if (!job.offloaded.empty()) need_core(job, unit);  // to end
  job.leaves_work = job.leaves_work || (!job.offloaded.empty() && until >= steps.size());
  if (overlaps) {
    notes_->assume_more(
        "overlap", task.element,
        fmt::format("{} goes on while the work that it triggered is done; here one comes after "
                    "the other, and the work may take no time for what it does to others",
                    in_backticks(task.name)));
  }
  if (overlaps || offloads_.may_take_less(task)) {
    for (Part& part : job.parts) part.may_take_less = true;
  }
  inside_.erase(&task);
  return job;
}

bool JobMaker::can_run(const Process& task, const ProcessingUnit& unit) {
  const Activity& steps = offloads_.steps_of(task);
  return std::all_of(steps.begin(), steps.end(),
                     [&](const Step& step) { return times_->can_run(step, unit); });
}

std::vector<const ProcessingUnit*> JobMaker::usable_units(const Process& task) {
  const std::vector<const ProcessingUnit*>& all = placements_->at(&task).candidates;
  std::vector<const ProcessingUnit*> units = all;
  std::erase_if(units, [&](const ProcessingUnit* one) { return !can_run(task, *one); });
  const auto is_core = [](const ProcessingUnit* one) { return one->kind == UnitKind::cpu; };
  if (std::ranges::any_of(units, is_core)) std::erase_if(units, std::not_fn(is_core));
  return units.empty() ? all : units;
}

std::optional<Part> JobMaker::on_core(const Process& task, const ProcessingUnit& unit, bool alone) {
  Job whole{.parts = {}, .offloaded = {}};
  const Activity& steps = offloads_.steps_of(task);
  bool moved = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& own = steps[i];
    if (takes_time(own)) {
      if (!times_->can_run(own, unit)) return std::nullopt;
      const ExecutionTime time = times_->time_of(own, unit);
      append(whole, part_of(PartKind::cpu, own, alone ? time.accesses : time.together(), unit));
    }
    for (const Caused& caused : offloads_.caused_by(task, i)) {
      const Process* other = caused.task;
      if (offloads_.users_of(*other).size() != 1) return std::nullopt;  // it stays where it serves them all
      for (const Step& step : offloads_.steps_of(*other)) {
        if (step.kind == StepKind::wait) return std::nullopt;
        if (!takes_time(step) || !times_->has_ticks(step)) continue;
        if (!times_->can_run(step, unit)) return std::nullopt;
        Part part = part_of(PartKind::cpu, step, times_->time_of(step, unit).together(), unit);
        // The ticks are those of a block.
        const Rational blocks{
            std::max<std::int64_t>(1, kernel_grid(software_->called_in(step), *other).blocks.value_or(1))};
        part.time = scaled(part.time, blocks);
        append(whole, std::move(part));
        moved = true;
      }
    }
  }
  if (!moved || whole.parts.size() != 1) return std::nullopt;
  return whole.parts.front();
}

}  // namespace tactus::import
