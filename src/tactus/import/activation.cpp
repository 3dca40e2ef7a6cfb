#include "tactus/import/activation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

std::optional<Duration> Activations::deadline_of(const Process& task, const Arrivals& arrivals) const {
  std::optional<Duration> least;
  for (const Requirement& one : model_->requirements) {
    if (one.process == task.element) least = std::min(least.value_or(one.limit), one.limit);
  }
  return least ? least : arrivals.period;
}

void Activations::note_unknown(const Process& task, const Element& stimulus) {
  notes_->warn("no-period", &stimulus,
               fmt::format("how often {} activates {} is not known, so the task is left out",
                           in_backticks(name_of(stimulus)), in_backticks(task.name)),
               fmt::format("say how often at most: --period {}=10ms", task.name));
}

void Activations::add_triggered(const Process& task, const Element& stimulus, const Arrivals& own,
                                std::vector<Source>& sources) {
  const auto triggers = model_->triggers.find(&stimulus);
  if (triggers == model_->triggers.end()) {
    notes_->warn("never-triggered", &stimulus,
                 fmt::format("nothing triggers {}, so {} is never activated and left out",
                             in_backticks(name_of(stimulus)), in_backticks(task.name)));
    return;
  }
  for (const Trigger& trigger : triggers->second) {
    if (std::find(inside_.begin(), inside_.end(), trigger.from) != inside_.end() ||
        inside_.size() > limits::calls) {
      notes_->refuse(*task.element, ProblemId::incomplete_model,
                     fmt::format("{} and the tasks that trigger it trigger each other in a circle",
                                 in_backticks(task.name)),
                     "give one of them a stimulus with a period");
      continue;
    }
    for (Source from : sources_of(*trigger.from)) {
      // It comes when the other task gets there: at its release, or as late as at its deadline.
      const std::optional<Duration> late = deadline_of(*trigger.from, from.arrivals);
      const std::int64_t every = checked_mul(own.every, trigger.every);
      if (from.arrivals.period) from.arrivals.period = checked_mul(*from.arrivals.period, every);
      if (late) from.arrivals.jitter = checked_add(from.arrivals.jitter, *late);
      sources.push_back({.arrivals = from.arrivals, .stimulus = &stimulus, .trigger = trigger.from});
    }
  }
}

std::vector<Source> Activations::sources_of(const Process& task) {
  std::vector<Source> sources;
  const auto given = options_->periods.find(task.name);
  if (given != options_->periods.end()) {
    Arrivals arrivals{.arrival = Arrival::sporadic, .period = given->second, .offset = {}, .jitter = {}};
    return {{.arrivals = arrivals,
             .stimulus = task.stimuli.empty() ? nullptr : task.stimuli.front(),
             .trigger = nullptr}};
  }
  inside_.push_back(&task);
  for (const Element* stimulus : task.stimuli) {
    const auto arrivals = model_->arrivals.find(stimulus);
    if (arrivals == model_->arrivals.end()) continue;
    if (arrivals->second.is_triggered) {
      add_triggered(task, *stimulus, arrivals->second, sources);
    } else if (!arrivals->second.period && arrivals->second.arrival != Arrival::once) {
      note_unknown(task, *stimulus);
    } else {
      sources.push_back({.arrivals = arrivals->second, .stimulus = stimulus, .trigger = nullptr});
    }
  }
  inside_.pop_back();
  return sources;
}

}  // namespace tactus::import
