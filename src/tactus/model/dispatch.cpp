#include "tactus/model/dispatch.hpp"

#include <algorithm>

namespace tactus {

Dispatch dispatch_of(const System& system, const Task& task) {
  return system.policy.strategy->sms == SmSharing::owned ? task.dispatch : Dispatch::launch;
}

namespace {

/// A launcher enqueues after the engine has handed the work over.
Duration launcher_time(const Task& task) {
  return task.launcher ? task.enqueue.value_or(Duration{}) : Duration{};
}

}  // namespace

Overheads dispatch_overheads(const System& system, const Task& task) {
  if (dispatch_of(system, task) != Dispatch::launch) return dispatch_overheads(system.platform, task);
  Overheads overheads = system.platform.overheads;
  overheads.launch = checked_add(overheads.launch, launcher_time(task));
  return overheads;
}

Overheads dispatch_overheads(const Platform& platform, const Task& task) {
  Overheads overheads = platform.overheads;
  if (task.dispatch == Dispatch::resident && overheads.resident) {
    overheads.release = overheads.resident->release;
    overheads.launch = {};
    overheads.completion = overheads.resident->completion;
  } else if (task.dispatch == Dispatch::doorbell && overheads.doorbell) {
    overheads.launch = overheads.doorbell->launch;
    overheads.completion = overheads.doorbell->completion;
  } else if (task.dispatch == Dispatch::launch) {
    overheads.launch = checked_add(overheads.launch, launcher_time(task));
  }
  return overheads;
}

Duration longest_launch(const System& system) {
  Duration longest = system.platform.overheads.launch;
  for (const Task& task : system.tasks) longest = std::max(longest, dispatch_overheads(system, task).launch);
  return longest;
}

System without_overheads(System system) {
  system.platform.overheads = {};
  for (Task& task : system.tasks) task.enqueue.reset();
  return system;
}

}  // namespace tactus
