#include "tactus/model/dispatch.hpp"

#include <algorithm>
#include <array>

namespace tactus {

std::string_view to_string(Dispatch dispatch) {
  constexpr std::array<std::string_view, 3> words{"launch", "doorbell", "resident"};
  return words.at(static_cast<std::size_t>(dispatch));
}

Dispatch dispatch_of(const System& system, const Task& task) {
  return system.policy.strategy->sms == SmSharing::owned ? task.dispatch : Dispatch::launch;
}

namespace {

/// A launcher enqueues after the engine has handed the work over. Saturates: sums with it are checked.
Duration with_launcher(Duration launch, const Task& task) {
  if (!task.launcher || !task.enqueue) return launch;
  return saturating_add(time_at(launch), *task.enqueue).time_since_epoch();
}

}  // namespace

Overheads dispatch_overheads(const System& system, const Task& task) {
  Overheads overheads = system.platform.overheads;
  const Dispatch dispatch = dispatch_of(system, task);
  if (dispatch == Dispatch::resident && overheads.resident) {
    overheads.release = overheads.resident->release;
    overheads.launch = {};
    overheads.completion = overheads.resident->completion;
  } else if (dispatch == Dispatch::doorbell && overheads.doorbell) {
    overheads.launch = overheads.doorbell->launch;
    overheads.completion = overheads.doorbell->completion;
  } else if (dispatch == Dispatch::launch) {
    overheads.launch = with_launcher(overheads.launch, task);
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
