#include "tactus/import/activation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/text.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

std::optional<Duration> Activations::requirement_of(const Process& task) const {
  std::optional<Duration> least;
  for (const Requirement& one : model_->requirements) {
    if (one.process == task.element) least = std::min(least.value_or(one.limit), one.limit);
  }
  return least;
}

void Activations::ask_for_rate(const Process& task, const Element& stimulus) {
  notes_->refuse(stimulus, ProblemId::incomplete_model,
                 fmt::format("how often {} activates {} is not known", in_backticks(name_of(stimulus)),
                             in_backticks(task.name)),
                 fmt::format("say how often at most: --period {0}=10ms, or --period {0}=never", task.name));
}

void Activations::add_triggered(const Process& task, const Element& stimulus, const Arrivals& own,
                                std::vector<Source>& sources) {
  const auto triggers = model_->triggers.find(&stimulus);
  if (triggers == model_->triggers.end()) {
    notes_->point_out("never-triggered", &stimulus,
                      fmt::format("nothing triggers {}, so {} is never activated and left out",
                                  in_backticks(name_of(stimulus)), in_backticks(task.name)),
                      fmt::format("if something outside of the model does: --period {}=10ms", task.name));
    return;
  }
  for (const Trigger& trigger : triggers->second) {
    const bool is_circle = std::find(inside_.begin(), inside_.end(), trigger.from) != inside_.end();
    if (is_circle || inside_.size() > limits::calls) {
      notes_->refuse(
          *task.element, is_circle ? ProblemId::incomplete_model : ProblemId::too_large,
          is_circle ? fmt::format("{} and the tasks that trigger it trigger each other in a circle",
                                  in_backticks(task.name))
                    : fmt::format("more than {} tasks trigger each other one after the other, up to {}",
                                  limits::calls, in_backticks(task.name)),
          fmt::format("give one of them a stimulus with a period, or --period {}=10ms", task.name));
      return;
    }
    const std::vector<Source>& of_trigger = sources_of(*trigger.from);
    for (std::size_t i = 0; i < of_trigger.size(); ++i) {
      if (sources.size() == limits::sources) {
        notes_->refuse(
            *task.element, ProblemId::incomplete_model,
            fmt::format("{} is triggered in more than {} ways", in_backticks(task.name), limits::sources),
            fmt::format("say how often it comes at most: --period {}=10ms", task.name));
        return;
      }
      Arrivals arrivals = of_trigger[i].arrivals;
      const std::int64_t every = checked_mul(own.every, trigger.every);
      if (arrivals.period) arrivals.period = checked_mul(*arrivals.period, every);
      if (every > 1 && arrivals.arrival == Arrival::periodic)
        arrivals.arrival = Arrival::sporadic;  // which of them?
      arrivals.jitter = {};                    // until the other is done (trigger_delays.hpp)
      sources.push_back(
          {.arrivals = arrivals, .stimulus = &stimulus, .trigger = trigger.from, .of_trigger = i});
    }
  }
}

const std::vector<Source>& Activations::sources_of(const Process& task) {
  const auto known = known_.find(&task);
  if (known != known_.end()) return known->second;
  inside_.push_back(&task);
  std::vector<Source> sources = find_sources(task);
  inside_.pop_back();
  return known_.emplace(&task, std::move(sources)).first->second;
}

std::vector<Source> Activations::find_sources(const Process& task) {
  const auto given = options_->periods.find(task.name);
  if (given != options_->periods.end()) {
    if (!given->second) return {};
    Arrivals arrivals{.arrival = Arrival::sporadic, .period = given->second, .offset = {}, .jitter = {}};
    return {{.arrivals = arrivals, .stimulus = task.stimuli.empty() ? nullptr : task.stimuli.front()}};
  }
  std::vector<Source> sources;
  for (const Element* stimulus : task.stimuli) {
    const auto arrivals = model_->arrivals.find(stimulus);
    if (arrivals == model_->arrivals.end()) continue;
    if (arrivals->second.is_triggered) {
      add_triggered(task, *stimulus, arrivals->second, sources);
    } else if (!arrivals->second.period && arrivals->second.arrival != Arrival::once) {
      ask_for_rate(task, *stimulus);
    } else {
      sources.push_back({.arrivals = arrivals->second, .stimulus = stimulus});
    }
  }
  return sources;
}

}  // namespace tactus::import
