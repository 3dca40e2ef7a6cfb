#include "tactus/model/dispatch.hpp"

namespace tactus {

Dispatch dispatch_of(const System& system, const Task& task) {
  return system.policy.strategy->sms == SmSharing::owned ? task.dispatch : Dispatch::launch;
}

Overheads dispatch_overheads(const System& system, const Task& task) {
  return dispatch_of(system, task) == Dispatch::launch ? system.platform.overheads
                                                       : dispatch_overheads(system.platform, task);
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
  }
  return overheads;
}

}  // namespace tactus
