#include "tactus/import/model.hpp"

#include <fmt/format.h>

#include <utility>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

namespace {

/// Puts the steps of runnables in the place of their calls. Loops around them are problems without a number.
class Flattening {
 public:
  Flattening(const Model& model, Notes& notes)
      : software_{&model.software}, loops_{model.loops}, notes_{&notes} {}

  Activity flattened(const Process& task) {
    Activity flat;
    if (is_full()) return flat;
    add(task.activity, flat);
    if (is_full()) {
      notes_->refuse(
          *task.element, ProblemId::too_large,
          fmt::format("up to {} all tasks, with the runnables that they call, do more than {} steps",
                      in_backticks(task.name), limits::steps),
          "leave out tasks, or let fewer of them call what triggers, waits or calls kernels with a grid");
    }
    return flat;
  }

 private:
  [[nodiscard]] bool is_full() const { return steps_ > limits::steps; }

  void add(const Activity& activity, Activity& flat) {
    for (const Step& step : activity) {
      if (is_full() || ++steps_ > limits::steps) return;
      const Runnable* called = software_->called_in(step);
      if (called != nullptr && called->acts) {
        const std::size_t first = flat.size();
        add(called->activity, flat);
        if (step.every > 1) {
          note_condition(step);
          mark_conditional(flat, first);
        }
      } else if (step.kind == StepKind::loop && acts_in(step)) {
        add_loop(step, flat);
      } else if (step.kind == StepKind::choice && acts_in(step)) {
        note_condition(step);
        for (const Activity& way : step.ways) {
          const std::size_t first = flat.size();
          add(way, flat);
          mark_conditional(flat, first);
        }
      } else {
        flat.push_back(step);
      }
    }
  }

  [[nodiscard]] bool acts_in(const Step& step) const {
    bool acts = false;
    for (const Activity& way : step.ways)
      for_each_step(way, [&](const Step& inner) { acts = acts || software_->acts(inner); });
    return acts;
  }

  void add_loop(const Step& step, Activity& flat) {
    const std::optional<Often> runs = runs_of(step, loops_);
    if (!runs) {
      notes_->refuse(*step.element, ProblemId::incomplete_model,
                     "how often this loop triggers something, waits or calls a kernel is not known",
                     "say how often loops are run at most: --loops 10");
      return;
    }
    for (std::int64_t i = 0; i < runs->most && !is_full(); ++i) {
      const std::size_t first = flat.size();
      for (const Activity& way : step.ways) add(way, flat);
      if (i >= runs->least) mark_conditional(flat, first);
    }
  }

  void note_condition(const Step& step) {
    notes_->assume_more(
        "choice-around-trigger", step.element,
        step.kind == StepKind::call
            ? "a runnable that triggers something, waits or calls a kernel is called only every "
              "few times: here it is every time"
            : "something is triggered or waited for, or a kernel called, under a condition: all "
              "ways are taken one after the other");
  }

  static void mark_conditional(Activity& flat, std::size_t first) {
    for (std::size_t i = first; i < flat.size(); ++i) {
      if (flat[i].is_conditional) continue;  // a way inside
      flat[i].is_conditional = true;
      flat[i].way_begin = first;
      flat[i].way_end = flat.size();
    }
  }

  const Software* software_;
  std::optional<std::int64_t> loops_;
  Notes* notes_;
  std::size_t steps_ = 0;  // of all tasks, so that calls that multiply end
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

Model read_model(const Options& options, Notes& notes) {
  const Documents& documents = notes.documents();
  Model model{.hardware = read_hardware(notes),
              .software = read_software(notes),
              .steps = {},
              .mapping = {},
              .arrivals = {},
              .triggers = {},
              .requirements = {},
              .loops = options.loops};
  add_core(options, model, notes);
  model.mapping = read_mapping(model.hardware, notes);
  for (const Element* one : documents.listed("stimuliModel", "stimuli"))
    model.arrivals.emplace(one, read_arrivals(*one, notes));
  Flattening flattening{model, notes};
  for (const Process& task : model.software.tasks) {
    const auto added = model.steps.emplace(&task, flattening.flattened(task)).first;
    for (const Step& step : added->second) {
      if (step.kind == StepKind::trigger)
        model.triggers[step.target].push_back({.from = &task, .every = step.every});
    }
  }
  model.requirements = read_requirements(notes);
  return model;
}

}  // namespace tactus::import
