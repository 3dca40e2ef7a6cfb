// How late tasks come that others trigger, and the deadlines that follow from it.
//
// A job of such a task is activated when a job of the other gets to its trigger: not before that one's
// release, and not after its end. In the system it is released together with that one and seen later, by a
// jitter of at most the time until that end. Limits count from the activation, deadlines of the system from
// the release.
#pragma once

#include <optional>
#include <vector>

#include "tactus/model/system.hpp"

namespace tactus::import {

/// A task of the system with what it has to keep, from its activation on.
struct Limited {
  std::optional<Duration> limit;  // nothing: it comes once, and nothing limits it
  bool is_required = false;       // the model says so; else it is the period
  Duration blocking{};            // how long it may wait at first for tasks that nobody preempts
  std::optional<TaskIndex> by{};  // the task that triggers it
};

enum class TriggerDelay : std::uint8_t {
  none,      // nothing is triggered
  bound,     // a task's jobs have ended when their proven response time is over: then they are late
  deadline,  // they have ended at their deadlines, which must then be kept
};

/// Sets jitters and deadlines of the tasks; `tasks` are those of the system. Every task that triggers others
/// gets a deadline until which it has triggered them, whatever is said of the others: so it can be checked by
/// itself. `may_prove`: the system is complete, so that response times can be proven; else deadlines
/// that the model does not give divide the period.
TriggerDelay set_trigger_delays(System& system, const std::vector<Limited>& tasks, bool may_prove);

/// By task: its proven response time; nothing where there is none, or the system is too large to ask.
std::vector<std::optional<Duration>> response_bounds(const System& system);

}  // namespace tactus::import
