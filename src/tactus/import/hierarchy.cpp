#include "tactus/import/hierarchy.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "tactus/base/utf8.hpp"
#include "tactus/import/limits.hpp"

namespace tactus::import {

namespace {

void cut_circle(TaskSchedulerFacts& scheduler, Notes& notes) {
  std::size_t levels = 0;
  for (const TaskSchedulerFacts* above = scheduler.parent; above != nullptr; above = above->parent) {
    if (above != &scheduler && ++levels <= limits::calls) continue;
    scheduler.parent = nullptr;
    notes.warn("scheduler-circle", scheduler.element,
               fmt::format("the schedulers above {} stand above each other in a circle, or are more than {}: "
                           "here nothing stands above it",
                           in_backticks(scheduler.name), limits::calls),
               "remove one `parentAssociation`");
    return;
  }
}

void inherit(TaskSchedulerFacts& scheduler, Notes& notes) {
  const TaskSchedulerFacts* above = scheduler.parent;
  while (above != nullptr && above->serves.empty()) above = above->parent;
  if (above == nullptr || !scheduler.serves.empty()) return;
  scheduler.serves = above->serves;
  std::string units;
  for (const ProcessingUnit* one : scheduler.serves) units += (units.empty() ? "" : ", ") + one->name;
  notes.assume(
      "child-scheduler", scheduler.element,
      fmt::format("scheduler {} is responsible for nothing itself: its tasks run where {} above it is "
                  "responsible ({})",
                  in_backticks(scheduler.name), in_backticks(above->name), units));
}

void note_competition(const TaskSchedulerFacts& scheduler, Notes& notes) {
  if (scheduler.parent == nullptr) return;
  const std::string name = in_backticks(scheduler.name);
  const std::string parent = in_backticks(scheduler.parent->name);
  notes.assume("child-scheduler", scheduler.element,
               scheduler.priority
                   ? fmt::format("the tasks of {} have its priority ({}) among those of {}, and "
                                 "their own among themselves",
                                 name, *scheduler.priority, parent)
                   : fmt::format("the tasks of {} compete with those of {} above it, each with "
                                 "its own priority",
                                 name, parent));
  if (!scheduler.has_share) return;
  notes.warn("child-scheduler", scheduler.element,
             fmt::format("what {} gives {}, such as a budget, is not followed: its tasks may have the whole "
                         "core here, so they may be done earlier here than in the model",
                         parent, name));
}

}  // namespace

void inherit_responsibility(std::map<const Element*, TaskSchedulerFacts>& schedulers, Notes& notes) {
  for (auto& [element, scheduler] : schedulers) cut_circle(scheduler, notes);
  for (auto& [element, scheduler] : schedulers) inherit(scheduler, notes);
  for (const auto& [element, scheduler] : schedulers) note_competition(scheduler, notes);
}

const TaskSchedulerFacts* top_of(const TaskSchedulerFacts* scheduler) {
  while (scheduler != nullptr && scheduler->parent != nullptr) scheduler = scheduler->parent;
  return scheduler;
}

}  // namespace tactus::import
