// How the jobs of a task get to the GPU, and what that adds to them.
#pragma once

#include <string_view>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// The word of system files.
std::string_view to_string(Dispatch dispatch);

/// What the task asks for, where it has SMs of its own; elsewhere every job is launched.
Dispatch dispatch_of(const System& system, const Task& task);

/// Whether the GPU releases its jobs, so that none of its events and submissions takes the engine's time.
inline bool is_resident(const System& system, const Task& task) {
  return dispatch_of(system, task) == Dispatch::resident;
}

/// The overheads of the platform, with those of the task's dispatch in place of release, launch and
/// completion.
Overheads dispatch_overheads(const System& system, const Task& task);

/// The largest `launch` of any task.
Duration longest_launch(const System& system);

/// The system on a machine that adds nothing.
System without_overheads(System system);

}  // namespace tactus
