#include "tactus/import/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/accelerators.hpp"
#include "tactus/import/chains.hpp"
#include "tactus/import/cores.hpp"
#include "tactus/import/gpu_policy.hpp"
#include "tactus/import/interrupts.hpp"
#include "tactus/import/limits.hpp"
#include "tactus/import/loads.hpp"
#include "tactus/import/preemption.hpp"
#include "tactus/import/priorities.hpp"
#include "tactus/import/quantity.hpp"
#include "tactus/import/segments.hpp"
#include "tactus/import/trigger_delays.hpp"
#include "tactus/import/waiting.hpp"
#include "tactus/model/core_times.hpp"
#include "tactus/model/limits.hpp"

namespace tactus::import {

namespace {

class Converter {
 public:
  Converter(const Model& model, const Options& options, Notes& notes)
      : model_{&model},
        options_{&options},
        notes_{&notes},
        times_{model, options, notes},
        activations_{model, options, notes},
        placements_{place_tasks(model, options, notes)},
        jobs_{model, options, placements_, times_, notes},
        cores_{number_cores(model.hardware)} {
    if (options.open) open_cores();
  }

  Converted convert() {
    refuse_unknown_names();
    note_choices();
    check_grids(*model_, *notes_);
    if (cores_.units.empty() && options_->hertz == std::nullopt) {
      notes_->refuse(
          notes_->documents().roots().front(), ProblemId::incomplete_model,
          "the model has no processing unit, so ticks have no time",
          "name the folder with all of its files, or give the frequency of one core: --frequency 200MHz");
      return std::move(converted_);
    }
    const std::map<const Process*, const ProcessingUnit*> units =
        choose_units(*model_, placements_, jobs_, activations_, *notes_);
    converted_.system.tasks.reserve(model_->software.tasks.size());
    for (const Process& task : model_->software.tasks) {
      const auto unit = units.find(&task);
      if (unit != units.end()) add_task(task, *unit->second);
    }
    finish();
    return std::move(converted_);
  }

 private:
  void note_choices() const {
    const auto note = [this](const std::string& text) { notes_->assume("choice", nullptr, text); };
    if (options_->times == Times::worst) note("only worst cases (--worst)");
    if (options_->times == Times::average)
      if (options_->times == Times::average) note("only average times (--average)");
    if (options_->times == Times::best) note("only best cases (--best)");
    if (options_->deviations)
      note(fmt::format("worst cases of normal distributions without bounds are {} deviations above the mean",
                       to_string(*options_->deviations)));
    if (options_->loops) note(fmt::format("loops are run {} times at most (--loops)", *options_->loops));
    for (const auto& [task, period] : options_->periods) {
      if (period)
        note(fmt::format("{} comes every {} at most (--period)", in_backticks(task), to_text(*period)));
    }
  }

  void refuse_unknown_names() const {
    std::vector<std::string_view> known;
    for (const Process& task : model_->software.tasks) known.push_back(task.name);
    for (const auto& [name, period] : options_->periods) {
      if (std::ranges::find(known, name) != known.end()) continue;
      const std::string_view nearest = nearest_name(name, known);
      throw InputError{fmt::format("--period: the model has no task {}", in_backticks(name)),
                       nearest.empty() ? "" : fmt::format("did you mean {}?", in_backticks(nearest))};
    }
  }

  /// A task may then get any core for which it has ticks. Until it has one, the first of these stands for
  /// all.
  void open_cores() {
    if (placements_.size() * cores_.units.size() > limits::choices) {
      throw TooLarge{fmt::format("{} tasks on {} cores are too many to leave their cores open",
                                 placements_.size(), cores_.units.size()),
                     "leave --open out, or split the model"};
    }
    for (auto& [task, placement] : placements_) {
      const bool is_fixed = task->is_interrupt || placement.is_on_accelerators();
      if (is_fixed || placement.is_on_gpu() || jobs_.is_offloaded(*task) || cores_.units.empty()) continue;
      placement.also.clear();
      std::vector<const ProcessingUnit*>& possible = open_[task];
      for (const ProcessingUnit* core : cores_.units) {
        if (core->kind == UnitKind::cpu && jobs_.can_run(*task, *core)) possible.push_back(core);
      }
      if (possible.empty()) possible.push_back(cores_.units.front());  // what is missing there is a problem
      placement.candidates = {possible.front()};
    }
  }

  /// The job with its times on every core that the task may get.
  Job open_job(const Process& process, const ProcessingUnit& first) {
    Job job = jobs_.make(process, first);
    for (const ProcessingUnit* core : open_.at(&process)) {
      const Job other = jobs_.make(process, *core);
      const bool is_alike = std::ranges::equal(job.parts, other.parts,
                                               [](const Part& a, const Part& b) { return a.kind == b.kind; });
      if (!is_alike) continue;  // some of it takes no time on one of them
      for (std::size_t i = 0; i < job.parts.size(); ++i) {
        if (other.parts[i].unit == core) job.parts[i].by_unit[core] = other.parts[i].time;
      }
    }
    return job;
  }

  void add_task(const Process& process, const ProcessingUnit& unit) {
    const std::vector<Source>& sources = activations_.sources_of(process);
    const bool is_excluded = options_->periods.contains(process.name) && sources.empty();
    if (is_excluded)
      notes_->assume("excluded", process.element, in_backticks(process.name) + " never comes, as told");
    const bool names_some = process.element->has("stimuli") || process.element->child("stimuli") != nullptr;
    if (process.stimuli.empty() && names_some && sources.empty() && !is_excluded) {
      notes_->refuse(*process.element, ProblemId::incomplete_model,
                     fmt::format("the stimuli of {} are not in the model", in_backticks(process.name)),
                     fmt::format("name the folder with all of its files, or --period {0}=10ms, or --period "
                                 "{0}=never",
                                 process.name));
    } else if (process.stimuli.empty() && sources.empty() && !is_excluded) {
      const std::string message = fmt::format("{} has no stimulus, so it is never activated and left out",
                                              in_backticks(process.name));
      const std::string hint = fmt::format("say how often it comes: --period {}=10ms", process.name);
      if (process.is_interrupt) {  // these come from outside
        notes_->warn("no-stimulus", process.element, message, hint);
      } else {
        notes_->point_out("no-stimulus", process.element, message, hint);
      }
    }
    if (sources.empty()) return;
    const Job job = open_.contains(&process) ? open_job(process, unit) : jobs_.make(process, unit);
    if (job.parts.empty()) {
      notes_->warn("no-time", process.element,
                   fmt::format("{} takes no time, so it is left out", in_backticks(process.name)),
                   "do its runnables have ticks?");
      return;
    }
    for (const Source& source : sources) add_source(process, unit, source, job, sources.size() > 1);
    if (sources.size() > 1) {
      notes_->warn(
          "several-activations", process.element,
          fmt::format("{} is activated in {} ways, each of which is a task here: that its jobs are done in "
                      "the order in which they come is not counted",
                      in_backticks(process.name), sources.size()));
    }
  }

  std::string name_for(const Process& process, const Source& source, bool is_one_of_several) {
    std::string name = process.name;
    if (is_one_of_several && source.stimulus != nullptr)
      name += " by " + std::string{name_of(*source.stimulus)};
    if (is_one_of_several && source.trigger != nullptr) name += " from " + source.trigger->name;
    std::erase_if(name, [](char c) {
      return is_control(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 0x80;
    });
    if (name.empty()) name = "task";
    if (count_characters(name) > tactus::limits::name_characters - 10) {
      std::size_t end = tactus::limits::name_characters - 10;
      while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0U) == 0x80U) --end;
      name.resize(end);
    }
    std::string unique = name;
    int& number = numbers_.try_emplace(name, 1).first->second;
    while (!names_.insert(unique).second) unique = fmt::format("{} {}", name, ++number);
    return unique;
  }

  void add_source(const Process& process, const ProcessingUnit& unit, const Source& source, const Job& job,
                  bool is_one_of_several) {
    Task task;
    task.name = name_for(process, source, is_one_of_several);
    task.arrival = source.arrivals.arrival;
    task.period = source.arrivals.period;
    const std::optional<Duration> required = activations_.requirement_of(process);
    task.deadline = required ? required : source.arrivals.period;
    if (!task.deadline && task.arrival == Arrival::once) {
      constexpr Duration longest = std::chrono::hours{1};
      task.deadline = longest;
      notes_->assume("once", process.element,
                     fmt::format("{} comes once and has no requirement: it is to be done within {}",
                                 in_backticks(process.name), to_text(longest)));
    }
    task.offset = source.arrivals.offset;
    task.jitter = source.arrivals.jitter;
    task.core = std::max(0, cores_.number_of(&unit));
    if (job.is_busy) task.wait = Waiting::busy;
    set_work(job, task.core, cores_, *options_, *notes_, task);
    if (open_.contains(&process)) open_choices(process, job, task);
    set_gpu_keys(process, job, task);
    note_deadline(process, job, task);
    note_left_work(process, job, task);
    Origin origin{.text = process.name, .parts = job.parts, .is_busy = job.is_busy};
    if (source.stimulus != nullptr) origin.text += fmt::format(", stimulus {}", name_of(*source.stimulus));
    origin.text += fmt::format(", on {} ({})", unit.name, unit.definition_name);
    for (const Process* other : job.offloaded) origin.text += fmt::format(", with {}", other->name);
    ranked_.push_back(
        {.task = nullptr, .process = &process, .allocation = placements_.at(&process).allocation_on(unit)});
    const auto index = static_cast<TaskIndex>(converted_.system.tasks.size());
    limited_.push_back({.limit = task.deadline, .is_required = required.has_value()});
    triggered_by_.push_back(source);
    owners_[&process].push_back(index);
    own_tasks_[&process].push_back(index);
    for (const Process* other : job.offloaded) owners_[other].push_back(index);
    jobs_of_.push_back(job);
    converted_.origins.push_back(std::move(origin));
    converted_.system.tasks.push_back(std::move(task));
  }

  void note_deadline(const Process& process, const Job& job, const Task& task) {
    Span alone;  // a kernel as one block: it takes no less
    for (const Part& part : job.parts) alone = alone + part.time;
    if (!options_->open && task.deadline && Rational{task.deadline->count()} < alone.worst) {
      notes_->point_out(
          "deadline-below-time", process.element,
          fmt::format("{} takes up to {} by itself, and its deadline is {}", in_backticks(process.name),
                      to_text(rounded_up(alone.worst)), to_text(*task.deadline)),
          "no schedule keeps that in the worst case");
    }
    if (!task.period || !task.deadline || *task.deadline == *task.period) return;
    const std::string message =
        fmt::format("the deadline of {} is {} and its period {}", in_backticks(process.name),
                    to_text(*task.deadline), to_text(*task.period));
    if (*task.deadline > *task.period) {
      notes_->point_out("deadline", process.element, message,
                        "a job may still be at work when the next one comes");
    } else {
      notes_->note("deadline", process.element, message);
    }
  }

  /// As long as each job is done before the next one comes, work that is left over is done by then, too.
  void note_left_work(const Process& process, const Job& job, const Task& task) {
    if (!job.leaves_work || (task.period && task.deadline && *task.deadline <= *task.period)) return;
    notes_->warn("outstanding", process.element,
                 fmt::format("{} may end, and come again, before the work that it causes is done: others may "
                             "wait for both, and here for one after the other",
                             in_backticks(process.name)));
  }

  /// A system file does not know what precedes all tasks.
  void warn_of_open_interrupts() {
    const auto found =
        std::ranges::find_if(ranked_, [](const Ranked& one) { return one.process->is_interrupt; });
    if (!options_->open || found == ranked_.end()) return;
    notes_->warn("interrupts", found->process->element,
                 "`tactus plan` may choose priorities with which tasks precede interrupts",
                 "look at the priorities that it finds, or leave --open out");
  }

  /// Work that is done sooner than in the one case may come closer to other work.
  void warn_of_one_case() {
    const auto has_gap = [](const Task& task) { return task.work.nodes.size() > 1; };
    if (options_->times == Times::bounds) return;
    if (options_->times == Times::worst && std::ranges::none_of(converted_.system.tasks, has_gap)) return;
    notes_->warn("one-case", nullptr,
                 options_->times == Times::worst
                     ? "tasks wait for work that always takes its worst case here (--worst): where it takes "
                       "less, what follows may come when others do not expect it"
                     : "longer times of the model than those that were asked for are left out (--average, "
                       "--best)",
                 "without the option all times from best to worst count");
  }

  void open_choices(const Process& process, const Job& job, Task& task) {
    task.any_core = true;
    task.core = 0;
    // A system file has no variants of parts with a core of their own.
    const bool has_fixed_part =
        std::ranges::any_of(task.work.nodes, [](const Node& node) { return node.core.has_value(); });
    if (job.gpu == nullptr || has_fixed_part) return;
    std::optional<Part> on_core;
    for (const ProcessingUnit* core : open_.at(&process)) {
      const std::optional<Part> one = jobs_.on_core(process, *core, options_->kernel_alone);
      if (!one) continue;
      if (!on_core) on_core = one;
      on_core->by_unit[core] = one->time;
    }
    if (!on_core) return;
    notes_->assume(
        "variants", process.element,
        fmt::format("{} may do the work of the GPU on its core: without copies{}", in_backticks(process.name),
                    options_->kernel_alone ? ", and without what prepares and ends that work" : ""),
        options_->kernel_alone ? "" : "--kernel-alone: also without what prepares and ends that work");
    WorkChoice choice{.node = 0, .variants = {{}, {cpu_segment_of(*on_core, cores_, options_->times)}}};
    for (const Node& node : task.work.nodes) choice.variants.front().push_back(node.segment);
    task.work.form = WorkForm::chain;
    task.choices.push_back(std::move(choice));
  }

  void set_gpu_keys(const Process& process, const Job& job, Task& task) const {
    if (job.gpu != nullptr) task.time_slice = job.gpu->time_slice;
    for (const Process* one : job.offloaded) set_stream(*one, task);
    set_stream(process, task);
  }

  static void set_stream(const Process& process, Task& task) {
    const Grid& grid = process.grid;
    if (grid.stream && !task.stream) task.stream = grid.stream;
    if (grid.stream_priority)
      task.stream_priority =
          static_cast<std::int32_t>(std::clamp<std::int64_t>(*grid.stream_priority, -1'000, 0));
  }

  /// What a task waits for: the task of the system that triggers it, or the stimulus. Tasks between that take
  /// no time are none of the system.
  void find_trigger(const Source& source, TaskIndex task) {
    const Source* from = &source;
    while (from->trigger != nullptr) {
      // What is part of others' jobs was triggered by these.
      const auto own = own_tasks_.find(from->trigger);
      if (own != own_tasks_.end() && from->of_trigger < own->second.size()) {
        limited_[task].by = own->second[from->of_trigger];
        return;
      }
      from = &activations_.sources_of(*from->trigger).at(from->of_trigger);
    }
    converted_.system.tasks[task].jitter = from->arrivals.jitter;
  }

  /// A part of another's jobs has no deadline of its own.
  void warn_of_lost_requirements() {
    for (const Requirement& one : model_->requirements) {
      const auto is_limited = [&one](const Process& task) { return task.element == one.process; };
      const auto task = std::ranges::find_if(model_->software.tasks, is_limited);
      const bool is_task = task != model_->software.tasks.end();
      if (is_task && !jobs_.is_offloaded(*task)) continue;
      notes_->warn("requirement", one.element,
                   fmt::format("requirement {} limits {}, which is {}: it is not checked",
                               in_backticks(one.name), in_backticks(name_of(*one.process)),
                               is_task ? "part of the task that waits for it" : "no task"),
                   is_task ? "limit the task that waits" : "limit a task");
    }
  }

  /// A job that comes late, close before the next one, and the deadlines of both.
  void warn_of_jitter(bool may_prove) {
    const System& system = converted_.system;
    std::optional<std::vector<std::optional<Duration>>> bounds;
    // Within its period a job is done before the next one comes, however late it came itself.
    const auto is_done_in_period = [&](std::size_t task) {
      if (!may_prove) return false;
      if (!bounds) bounds = response_bounds(system);
      return bounds->at(task) && *bounds->at(task) <= *system.tasks[task].period;
    };
    for (std::size_t i = 0; i < limited_.size(); ++i) {
      const Task& task = system.tasks[i];
      const Duration late = task.jitter - limited_[i].blocking;
      if (late == Duration{} || !task.period || !task.deadline) continue;
      const Element* element = ranked_[i].process->element;
      if (system.policy.cpu->order == Order::edf) {
        notes_->warn(
            "deadline-jitter", element,
            fmt::format("{} comes up to {} late: its deadlines count from its activations, and here from "
                        "its nominal releases, so under EDF it may be more urgent than this says",
                        in_backticks(task.name), to_text(late)));
      } else if (limited_[i].is_required && *task.deadline > *task.period && !is_done_in_period(i)) {
        notes_->warn(
            "limit-jitter", element,
            fmt::format("{} comes up to {} late: of two jobs close behind each other the second may take "
                        "longer from its activation than its limit, though not from its release",
                        in_backticks(task.name), to_text(late)));
      }
    }
  }

  /// Where several tasks on the GPU work for one, each is a process with turns of its own.
  void warn_of_processes() {
    if (!converted_.system.policy.strategy->slices_time) return;
    for (std::size_t i = 0; i < jobs_of_.size(); ++i) {
      std::set<const Process*> on_gpu;
      for (const Process* one : jobs_of_[i].offloaded) {
        if (placements_.at(one).is_on_gpu()) on_gpu.insert(one);
      }
      if (on_gpu.size() < 2) continue;
      notes_->warn(
          "gpu-processes", ranked_[i].process->element,
          fmt::format("{} tasks on the GPU work for {}: each may be a process with turns of its own, and "
                      "here they are one with the turns of the first",
                      on_gpu.size(), in_backticks(ranked_[i].process->name)));
    }
  }

  void set_delays() {
    System& system = converted_.system;
    for (TaskIndex i = 0; i < limited_.size(); ++i) find_trigger(triggered_by_[i], i);
    const bool may_prove = !options_->open && notes_->problems().empty();
    const TriggerDelay delay = set_trigger_delays(system, limited_, may_prove);
    warn_of_jitter(may_prove);
    for (std::size_t i = 0; i < limited_.size(); ++i) {
      const Element& element = *ranked_[i].process->element;
      if (!limited_[i].by) continue;
      const Task& task = system.tasks[i];
      const Task& by = system.tasks[*limited_[i].by];
      if (!by.deadline) {
        notes_->refuse(element, ProblemId::incomplete_model,
                       fmt::format("when {}, which triggers {}, has ended at the latest is not known",
                                   in_backticks(by.name), in_backticks(task.name)),
                       "give it a requirement of its response time");
        continue;
      }
      notes_->assume(
          "triggered", &element,
          fmt::format("{} is triggered by {}: it comes as often, up to {} later (jitter), {}",
                      in_backticks(task.name), in_backticks(by.name),
                      to_text(task.jitter - limited_[i].blocking),
                      delay == TriggerDelay::bound ? "which is what that one takes at most, and its deadline"
                                                   : "which is the deadline of that one"),
          fmt::format("its limit counts from then; --period {}=10ms: it comes at any time, so far apart",
                      ranked_[i].process->name));
    }
  }

  void finish() {
    System& system = converted_.system;
    system.platform.clusters = cores_.clusters.empty() ? std::vector<std::int32_t>{1} : cores_.clusters;
    for (const ProcessingUnit* core : cores_.units) converted_.cores.push_back(core->name);
    for (std::size_t i = 0; i < ranked_.size(); ++i) ranked_[i].task = &system.tasks[i];
    set_priorities(ranked_, *notes_);
    set_interrupt_priorities(ranked_, *notes_);
    warn_of_open_interrupts();
    warn_of_awaited_interrupts(*model_, jobs_, *notes_);
    note_accelerators(cores_, jobs_of_, system.tasks, *notes_);
    set_gpu(*model_, jobs_of_, *options_, *notes_, system);
    set_cpu_policy(*model_, *notes_, system);
    note_waiting(ranked_, jobs_of_, system, *notes_);
    add_chains(*model_, owners_, *notes_, system);
    // What `plan` chooses has no load yet.
    const bool has_variants =
        std::ranges::any_of(system.tasks, [](const Task& one) { return !one.choices.empty(); });
    const auto is_open = [&](const Load& one) {
      return options_->open && (one.kind == UnitKind::cpu || has_variants);
    };
    std::vector<const Process*> processes;
    for (const Ranked& one : ranked_) processes.push_back(one.process);
    const std::vector<Duration> blocking = set_preemption(processes, jobs_of_, *options_, *notes_, system);
    for (std::size_t i = 0; i < blocking.size(); ++i) limited_[i].blocking = blocking[i];
    set_core_times(system);
    set_delays();
    warn_of_lost_requirements();
    warn_of_processes();
    warn_of_one_case();
    converted_.loads = loads_of(*model_, jobs_of_, system.tasks);
    std::erase_if(converted_.loads, is_open);
    warn_of_overload(*model_, converted_.loads, *notes_);
  }

  const Model* model_;
  const Options* options_;
  Notes* notes_;
  TimeTable times_;
  Activations activations_;
  std::map<const Process*, Placement> placements_;
  JobMaker jobs_;
  CoreUnits cores_;
  std::map<const Process*, std::vector<const ProcessingUnit*>> open_;  // cores that tasks may get (--open)
  Converted converted_;
  std::set<std::string> names_;
  std::map<std::string, int> numbers_;  // of the last task with that name
  std::vector<Ranked> ranked_;
  std::vector<Limited> limited_;      // by task of the system
  std::vector<Source> triggered_by_;  // likewise
  std::vector<Job> jobs_of_;
  Owners owners_;
  Owners own_tasks_;  // without those whose jobs hold its work
};

}  // namespace

Interval interval_of(const Span& span, Times times) {
  switch (times) {
    case Times::bounds:
      return {rounded_down(span.best), rounded_up(span.worst)};
    case Times::worst:
      return Interval::exactly(rounded_up(span.worst));
    case Times::average:
      return Interval::exactly(rounded_up(span.average));
    case Times::best:
      return Interval::exactly(rounded_down(span.best));
  }
  return {};
}

Converted convert(const Model& model, const Options& options, Notes& notes) {
  return Converter{model, options, notes}.convert();
}

}  // namespace tactus::import
