#include "tactus/import/offload.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/exact.hpp"
#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

namespace {

bool has_event(const Step& step, const Element* event) {
  return std::find(step.events.begin(), step.events.end(), event) != step.events.end();
}

/// Of this task, where the step says whose event it is.
bool sets_events_of(const Step& step, const Process& task) {
  return step.kind == StepKind::set_event && (step.target == nullptr || step.target == task.element);
}

bool sets(const Activity& steps, const Element* event, const Process& task) {
  return std::any_of(steps.begin(), steps.end(),
                     [&](const Step& step) { return sets_events_of(step, task) && has_event(step, event); });
}

}  // namespace

/// The tasks that a trigger causes and that set events for which a later step waits.
struct Offloads::Search {
  const Process* task = nullptr;
  std::size_t trigger = 0;
  Events wanted{};
  Events found{};
  Events sure{};                                                  // that are set whenever the trigger comes
  std::vector<std::pair<const Process*, const Process*>> path{};  // each with what triggers it
  std::set<const Process*> seen{};
  bool has_branches = false;
};

/// A wait, and what happened before it in the job.
struct Offloads::Place {
  const Process* task = nullptr;
  std::size_t wait = 0;
  std::vector<std::size_t> triggers{};
  std::map<const Element*, std::size_t> waited{};   // the last wait for an event
  std::map<const Element*, std::size_t> cleared{};  // the last step that clears it
  std::map<const Element*, std::size_t> spent{};    // the last wait before that
};

Offloads::Offloads(const Model& model, Notes& notes) : model_{&model}, notes_{&notes} {
  for (const Process& task : model.software.tasks) {
    for (const Element* stimulus : task.stimuli) activated_by_[stimulus].push_back(&task);
    Events events;
    for (const Step& step : steps_of(task)) {
      if (step.kind == StepKind::set_event) events.insert(step.events.begin(), step.events.end());
    }
    for (const Element* event : events) set_by_[event].push_back(&task);
  }
  for (const Process& task : model.software.tasks) find_work(task);
  find_offloaded();
  look_for_early_events();
}

const std::vector<Caused>& Offloads::caused_by(const Process& task, std::size_t step) const {
  static const std::vector<Caused> none;
  const auto found = work_.find({&task, step});
  return found == work_.end() ? none : found->second;
}

const std::map<const Process*, std::int64_t>& Offloads::users_of(const Process& task) const {
  static const Jobs none;
  const auto found = users_.find(&task);
  return found == users_.end() ? none : found->second;
}

void Offloads::count(std::size_t steps) {
  if ((looked_at_ += steps) > limits::looked_at)
    throw TooLarge{"the tasks of the model wait for each other in too many ways",
                   "let fewer tasks wait for others"};
}

void Offloads::find_work(const Process& task) {
  const Activity& steps = steps_of(task);
  Place place{.task = &task};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (step.kind == StepKind::trigger) place.triggers.push_back(i);
    if (step.kind == StepKind::wait) {
      place.wait = i;
      find_work(place);
      for (const Element* event : step.events) place.waited[event] = i;
    }
    if (step.kind != StepKind::clear_event) continue;
    for (const Element* event : step.events) {
      place.cleared[event] = i;
      const auto waited = place.waited.find(event);
      if (waited != place.waited.end()) place.spent[event] = waited->second;
    }
  }
}

void Offloads::find_work(const Place& place) {
  const Activity& steps = steps_of(*place.task);
  const Step& wait = steps[place.wait];
  std::vector<Search> searches;
  std::map<const Element*, std::size_t> found;  // how many triggers cause it
  Events sure;
  for (const std::size_t trigger : place.triggers) {
    count(1);
    Search search{.task = place.task, .trigger = trigger};
    search.seen.insert(place.task);
    for (const Element* event : wait.events) {
      const auto spent = place.spent.find(event);
      if (spent == place.spent.end() || spent->second < trigger) search.wanted.insert(event);
    }
    if (search.wanted.empty()) continue;
    search.has_branches = follow(steps[trigger].target, nullptr, search, is_every(steps[trigger])) > 1;
    for (const Element* event : search.found) {
      ++found[event];
      const auto cleared = place.cleared.find(event);
      if (cleared == place.cleared.end() || cleared->second < trigger) continue;
      notes_->warn("early-event", steps[cleared->second].element,
                   fmt::format("{} clears event {} when the work that sets it may be done already: it may "
                               "then wait longer than this says",
                               in_backticks(place.task->name), in_backticks(name_of(*event))),
                   "clear it behind the wait");
    }
    if (is_sure(steps[trigger], place.wait)) sure.merge(Events{search.sure});
    if (!search.path.empty()) searches.push_back(std::move(search));
  }
  const auto is_found = [&](const Element* event) { return found.contains(event); };
  const auto is_certain = [&](const Element* event) { return sure.contains(event); };
  const auto holds = [&](const auto& is_it) {
    return wait.needs_all ? !wait.events.empty() && std::ranges::all_of(wait.events, is_it)
                          : std::ranges::any_of(wait.events, is_it);
  };
  if (holds(is_found)) {
    caused_waits_.insert({place.task, place.wait});
    if (!holds(is_certain)) {
      notes_->warn("wait", wait.element,
                   fmt::format("{} waits here also where what sets the event does not come for certain: how "
                               "long it takes then is not counted",
                               in_backticks(place.task->name)),
                   "trigger and wait under the same condition, as often as each other");
    }
  }
  const bool has_doubles = std::ranges::any_of(found, [](const auto& one) { return one.second > 1; });
  const bool is_for_all = !has_doubles && (!wait.needs_one || found.size() < 2);
  for (const Search& search : searches) note_work(place, search, is_for_all && is_sure(wait, search.trigger));
}

void Offloads::note_work(const Place& place, const Search& search, bool is_awaited) {
  const Step& trigger = steps_of(*place.task)[search.trigger];
  const auto [at, is_new] = work_.try_emplace(Steps{place.task, search.trigger});
  std::vector<Caused>& work = at->second;
  bool is_loose = !is_awaited || trigger.is_conditional || search.has_branches || search.sure != search.found;
  for (const auto& [task, by] : search.path) {
    const bool is_done = is_awaited && !goes_on(*task);
    is_loose = is_loose || !is_done;
    const std::size_t until = is_done ? place.wait : steps_of(*place.task).size();
    const auto known = std::ranges::find(work, task, &Caused::task);
    if (known != work.end()) {
      known->until = std::min(known->until, until);  // this wait may be for the same work
      continue;
    }
    is_loose = is_loose || !is_new;  // an earlier wait was for other work of the trigger
    work.push_back({.task = task, .by = by, .until = until});
    ++users_[task][place.task];
    if (by != nullptr) ++inner_[{by, task}][place.task];
  }
  if (is_loose) loose_.insert(place.task);
}

/// Whether the stimulus comes each time.
bool Offloads::is_every(const Step& trigger) const {
  const auto arrivals = model_->arrivals.find(trigger.target);
  return trigger.every == 1 && (arrivals == model_->arrivals.end() || arrivals->second.every == 1);
}

/// Whether a task works on when it has triggered another, or has set an event.
bool Offloads::goes_on(const Process& task) const {
  const Activity& steps = steps_of(task);
  const auto first = std::ranges::find_if(steps, [](const Step& step) {
    return step.kind == StepKind::set_event || step.kind == StepKind::trigger;
  });
  return std::any_of(first, steps.end(), [](const Step& step) { return takes_time(step); });
}

/// From a stimulus to all tasks that set wanted events. How many tasks that lead there it activates.
std::size_t Offloads::follow(const Element* stimulus, const Process* by, Search& search, bool is_sure) {
  const auto activated = activated_by_.find(stimulus);
  if (search.path.size() > limits::calls || activated == activated_by_.end()) return 0;
  std::size_t leading = 0;
  for (const Process* other : activated->second) {
    count(1);
    if (!search.seen.insert(other).second) continue;
    count(steps_of(*other).size());
    const std::size_t place = search.path.size();
    search.path.emplace_back(other, by);
    bool leads = false;
    std::size_t triggered = 0;
    for (const Step& step : steps_of(*other)) {
      if (!sets_events_of(step, *search.task)) continue;
      for (const Element* event : step.events) {
        if (!search.wanted.contains(event)) continue;
        leads = search.found.insert(event).second || leads;
        if (is_sure && !step.is_conditional) search.sure.insert(event);
      }
    }
    for (const Step& step : steps_of(*other)) {
      if (step.kind == StepKind::trigger && search.found.size() < search.wanted.size())
        triggered += follow(step.target, other, search, is_sure && !step.is_conditional && is_every(step));
    }
    search.has_branches = search.has_branches || triggered > 1;
    if (leads || triggered > 0) {
      ++leading;
    } else {
      search.path.resize(place);
    }
  }
  return leading;
}

/// Whether the jobs of a task that another one triggers are waited for.
bool Offloads::is_covered(const Process& by, const Process& task, const Element* stimulus) const {
  const Activity& steps = steps_of(by);
  std::size_t triggers = 0;
  bool is_direct = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind != StepKind::trigger || steps[i].target != stimulus) continue;
    ++triggers;
    is_direct = is_direct && std::ranges::any_of(caused_by(by, i), [&task](const Caused& one) {
                  return one.task == &task && one.by == nullptr;
                });
  }
  if (is_direct) return true;
  const auto inner = inner_.find({&by, &task});
  return triggers == 1 && inner != inner_.end() && offloaded_.contains(&by) && inner->second == users_of(by);
}

void Offloads::find_offloaded() {
  for (const auto& [task, users] : users_) offloaded_.insert(task);
  const auto is_all_waited_for = [this](const Process& task) {
    return std::all_of(task.stimuli.begin(), task.stimuli.end(), [&](const Element* stimulus) {
      const auto triggers = model_->triggers.find(stimulus);
      return triggers != model_->triggers.end() &&
             std::all_of(triggers->second.begin(), triggers->second.end(),
                         [&](const Trigger& one) { return is_covered(*one.from, task, stimulus); });
    });
  };
  while (std::erase_if(offloaded_, [&](const Process* task) { return !is_all_waited_for(*task); }) > 0) {
  }
}

/// Whether the work is done for this task alone.
bool Offloads::is_own(const Process& work, const Process& task) const {
  return is_offloaded(work) && users_of(work).size() == 1 && users_of(work).contains(&task);
}

bool Offloads::causes(const Process& task, std::size_t step, const Element* event) const {
  return std::ranges::any_of(caused_by(task, step),
                             [&](const Caused& one) { return sets(steps_of(*one.task), event, task); });
}

/// Whether the event that a step waits for is cleared before what the task triggers next sets it again.
bool Offloads::is_cleared(const Process& task, std::size_t wait, const Element* event) {
  const Activity& steps = steps_of(task);
  const auto comes_with_triggers = [&](const Step& clear) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      count(1);
      if (steps[i].kind == StepKind::trigger && causes(task, i, event) && !is_sure(clear, i)) return false;
    }
    return true;
  };
  for (std::size_t k = 1; k < steps.size(); ++k) {
    count(1);
    const std::size_t i = (wait + k) % steps.size();
    if (steps[i].kind == StepKind::trigger && causes(task, i, event)) return false;
    if (steps[i].kind != StepKind::clear_event || !has_event(steps[i], event)) continue;
    if (i > wait ? is_sure(steps[i], wait) : comes_with_triggers(steps[i])) return true;
  }
  return false;
}

/// Events that may be set when a task begins to wait for them, though its work is not done.
void Offloads::look_for_early_events() {
  constexpr std::string_view effect =
      ": the task may go on, and end, before the work that it causes is done, and use its results a job "
      "later";
  for (const auto& [task, wait] : caused_waits_) {
    const Step& step = steps_of(*task)[wait];
    for (const Element* event : step.events) {
      const auto setters = set_by_.find(event);
      if (setters == set_by_.end()) continue;
      const std::string name = in_backticks(name_of(*event));
      const std::string who = in_backticks(task->name);
      if (!is_cleared(*task, wait, event)) {
        loose_.insert(task);
        notes_->warn("early-event", step.element,
                     fmt::format("{} waits for event {}, which nothing clears before it is set again{}", who,
                                 name, effect),
                     "put a ClearEvent behind the wait");
      }
      for (const Process* other : setters->second) {
        if (!sets(steps_of(*other), event, *task) || is_own(*other, *task)) continue;
        loose_.insert(task);
        notes_->warn(
            "early-event", step.element,
            fmt::format("event {}, for which {} waits, is set by {} also when {} has not triggered that{}",
                        name, who, in_backticks(other->name), who, effect),
            "let it wait for an event of its own");
      }
    }
  }
}

}  // namespace tactus::import
