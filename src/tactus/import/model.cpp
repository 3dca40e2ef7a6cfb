#include "tactus/import/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

namespace {

/// Follows calls, each runnable once on the way, and counts steps so that it ends.
class Flattening {
 public:
  Flattening(const Model& model, Notes& notes)
      : software_{&model.software}, loops_{model.loops}, notes_{&notes} {}

  void add(const Activity& activity, Activity& flat) {
    for (const Step& step : activity) {
      if (++steps_ > limits::steps)
        throw OverflowError{"the runnables of the model call each other too often"};
      if (step.kind == StepKind::call && acts(step.target)) {
        if (!enter(step)) continue;
        add(software_->find_runnable(step.target)->activity, flat);
        inside_.pop_back();
      } else if (step.kind == StepKind::loop && acts_in(step)) {
        add_loop(step, flat);
      } else if (step.kind == StepKind::choice && acts_in(step)) {
        notes_->assume(
            "choice-around-trigger", step.element,
            "something is triggered or waited for, or a kernel called, under a condition: all ways "
            "are taken one after the other");
        const std::size_t first = flat.size();
        for (const Activity& way : step.ways) add(way, flat);
        mark_conditional(flat, first);
      } else {
        flat.push_back(step);
      }
    }
  }

  /// Whether a runnable, or one that it calls, triggers something or waits, or calls a kernel with a grid.
  bool acts(const Element* runnable) {
    const auto [known, is_new] = acts_.try_emplace(runnable, false);
    if (!is_new) return known->second;
    const Runnable* found = software_->find_runnable(runnable);
    const bool does = found != nullptr && std::any_of(found->activity.begin(), found->activity.end(),
                                                      [this](const Step& step) { return acts_itself(step); });
    return acts_[runnable] = does;
  }

 private:
  bool acts_itself(const Step& step) {
    if (step.kind == StepKind::call) return acts(step.target) || grid_of(*step.target).blocks;
    if (step.kind == StepKind::choice || step.kind == StepKind::loop) return acts_in(step);
    return step.kind == StepKind::trigger || step.kind == StepKind::wait || step.kind == StepKind::set_event;
  }

  bool acts_in(const Step& step) {
    return std::any_of(step.ways.begin(), step.ways.end(), [this](const Activity& way) {
      return std::any_of(way.begin(), way.end(), [this](const Step& inner) { return acts_itself(inner); });
    });
  }

  void add_loop(const Step& step, Activity& flat) {
    const std::optional<Often> runs = runs_of(step, loops_);
    if (!runs) {
      notes_->refuse(*step.element, ProblemId::incomplete_model,
                     "how often this loop triggers something, waits or calls a kernel is not known",
                     "say how often loops are run at most: --loops 10");
      return;
    }
    std::size_t sure = flat.size();
    for (std::int64_t i = 0; i < runs->most; ++i) {
      for (const Activity& way : step.ways) add(way, flat);
      if (i < runs->least) sure = flat.size();
    }
    mark_conditional(flat, sure);
  }

  static void mark_conditional(Activity& flat, std::size_t first) {
    for (std::size_t i = first; i < flat.size(); ++i) flat[i].is_conditional = true;
  }

  bool enter(const Step& step) {
    if (std::find(inside_.begin(), inside_.end(), step.target) != inside_.end() ||
        inside_.size() > limits::calls) {
      notes_->refuse(*step.element, ProblemId::incomplete_model,
                     fmt::format("runnable {} calls itself", in_backticks(name_of(*step.target))),
                     "remove the call: how often it repeats is not known");
      return false;
    }
    inside_.push_back(step.target);
    return true;
  }

  const Software* software_;
  std::optional<std::int64_t> loops_;
  Notes* notes_;
  std::vector<const Element*> inside_;
  std::map<const Element*, bool> acts_;
  std::size_t steps_ = 0;
};

/// One core of the frequency that the user gives, where the model has none.
void add_core(const Options& options, Model& model, Notes& notes) {
  if (!options.hertz) return;
  if (!model.hardware.units.empty()) {
    notes.note("unused-option", nullptr, "--frequency is not used: the model has processing units");
    return;
  }
  ProcessingUnit core{.name = "core",
                      .element = nullptr,
                      .definition = nullptr,
                      .definition_name = "core",
                      .kind = UnitKind::cpu,
                      .hertz = *options.hertz,
                      .instructions_per_cycle = {},
                      .cluster = nullptr,
                      .accesses = {}};
  model.hardware.units.push_back(std::move(core));
  notes.assume("no-hardware", nullptr,
               "the model has no processing unit: all tasks run on one core of the given frequency");
}

}  // namespace

Activity flattened(const Activity& activity, const Model& model, Notes& notes) {
  Activity flat;
  Flattening{model, notes}.add(activity, flat);
  return flat;
}

Model read_model(const Options& options, Notes& notes) {
  const Documents& documents = notes.documents();
  Model model{.hardware = read_hardware(notes),
              .software = read_software(notes),
              .mapping = {},
              .arrivals = {},
              .triggers = {},
              .requirements = {},
              .loops = options.loops};
  add_core(options, model, notes);
  model.mapping = read_mapping(model.hardware, notes);
  for (const Element* one : documents.listed("stimuliModel", "stimuli"))
    model.arrivals.emplace(one, read_arrivals(*one, notes));
  for (const Process& task : model.software.tasks) {
    for (const Step& step : flattened(task.activity, model, notes)) {
      if (step.kind == StepKind::trigger)
        model.triggers[step.target].push_back({.from = &task, .every = step.every});
    }
  }
  model.requirements = read_requirements(notes);
  return model;
}

}  // namespace tactus::import
