#include "tactus/import/offload.hpp"

#include <algorithm>

#include "tactus/base/exact.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

namespace {

bool share_event(const Step& a, const Step& b) {
  return std::any_of(a.events.begin(), a.events.end(), [&b](const Element* one) {
    return std::find(b.events.begin(), b.events.end(), one) != b.events.end();
  });
}

bool sets_event_of(const Activity& steps, const Step& wait) {
  return std::any_of(steps.begin(), steps.end(), [&wait](const Step& step) {
    return step.kind == StepKind::set_event && share_event(step, wait);
  });
}

}  // namespace

Offloads::Offloads(const Model& model) : model_{&model} {
  for (const Process& task : model.software.tasks) {
    for (const Element* stimulus : task.stimuli) activated_by_[stimulus].push_back(&task);
  }
  for (const Process& task : model.software.tasks) find_paths(task);
  find_offloaded();
}

const std::vector<const Process*>& Offloads::caused_by(const Process& task, std::size_t step) const {
  static const Path none;
  const auto found = paths_.find({&task, step});
  return found == paths_.end() ? none : found->second;
}

const std::map<const Process*, std::int64_t>& Offloads::users_of(const Process& task) const {
  static const std::map<const Process*, std::int64_t> none;
  const auto found = users_.find(&task);
  return found == users_.end() ? none : found->second;
}

void Offloads::find_paths(const Process& task) {
  const Activity& steps = model_->steps.at(&task);
  std::vector<std::size_t> triggers;
  for (std::size_t wait = 0; wait < steps.size(); ++wait) {
    if (steps[wait].kind == StepKind::trigger) triggers.push_back(wait);
    if (steps[wait].kind != StepKind::wait) continue;
    std::set<const Element*> set_before;
    for (const std::size_t trigger : triggers) {
      Path path;
      std::set<const Process*> seen{&task};
      if (!find_path(steps[trigger].target, steps[wait], path, seen)) continue;
      for (const Step& step : model_->steps.at(path.back())) {
        if (step.kind == StepKind::set_event) set_before.insert(step.events.begin(), step.events.end());
      }
      // A later wait may be for the same work.
      if (!paths_.contains({&task, trigger})) note_path(task, trigger, std::move(path));
    }
    const auto is_set = [&](const Element* event) { return set_before.contains(event); };
    const std::vector<const Element*>& events = steps[wait].events;
    if (steps[wait].needs_all ? !events.empty() && std::all_of(events.begin(), events.end(), is_set)
                              : std::any_of(events.begin(), events.end(), is_set)) {
      caused_waits_.insert({&task, wait});
    }
  }
}

void Offloads::note_path(const Process& task, std::size_t step, Path path) {
  const Step& trigger = model_->steps.at(&task)[step];
  const auto arrivals = model_->arrivals.find(trigger.target);
  const bool is_every =
      trigger.every == 1 && (arrivals == model_->arrivals.end() || arrivals->second.every == 1);
  if (!is_every || trigger.is_conditional || goes_on(path)) loose_.insert(&task);
  direct_.insert({&task, path.front()});
  for (std::size_t k = 0; k < path.size(); ++k) {
    ++users_[path[k]][&task];
    if (k > 0) inner_.insert({path[k - 1], path[k]});
  }
  paths_.emplace(Steps{&task, step}, std::move(path));
}

/// Whether a task of the path works on when it has triggered the next, or has set the event.
bool Offloads::goes_on(const Path& path) const {
  return std::any_of(path.begin(), path.end(), [&](const Process* one) {
    const Activity& steps = model_->steps.at(one);
    const StepKind last = one == path.back() ? StepKind::set_event : StepKind::trigger;
    const auto found =
        std::find_if(steps.begin(), steps.end(), [&](const Step& step) { return step.kind == last; });
    return std::any_of(found, steps.end(), [](const Step& step) { return takes_time(step); });
  });
}

/// From a stimulus to a task that sets an event of the wait.
bool Offloads::find_path(const Element* stimulus, const Step& wait, Path& path,
                         std::set<const Process*>& seen) {
  const auto activated = activated_by_.find(stimulus);
  if (path.size() > limits::calls || activated == activated_by_.end()) return false;
  for (const Process* other : activated->second) {
    if (++looked_at_ > limits::steps)
      throw OverflowError{"the tasks of the model wait for each other in too many ways"};
    if (!seen.insert(other).second) continue;
    path.push_back(other);
    const Activity& steps = model_->steps.at(other);
    if (sets_event_of(steps, wait)) return true;
    for (const Step& step : steps) {
      if (step.kind == StepKind::trigger && find_path(step.target, wait, path, seen)) return true;
    }
    path.pop_back();
  }
  return false;
}

/// Whether the jobs of a task that another one triggers are waited for.
bool Offloads::is_covered(const Process& by, const Process& task) const {
  return direct_.contains({&by, &task}) || (inner_.contains({&by, &task}) && offloaded_.contains(&by));
}

void Offloads::find_offloaded() {
  for (const auto& [task, users] : users_) offloaded_.insert(task);
  const auto is_all_waited_for = [this](const Process& task) {
    return std::all_of(task.stimuli.begin(), task.stimuli.end(), [&](const Element* stimulus) {
      const auto triggers = model_->triggers.find(stimulus);
      return triggers != model_->triggers.end() &&
             std::all_of(triggers->second.begin(), triggers->second.end(),
                         [&](const Trigger& one) { return is_covered(*one.from, task); });
    });
  };
  while (std::erase_if(offloaded_, [&](const Process* task) { return !is_all_waited_for(*task); }) > 0) {
  }
}

}  // namespace tactus::import
