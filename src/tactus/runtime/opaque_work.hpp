// Bound work that nobody can look into, and what it takes from the guarantees of a system.
//
// A function that stands for all of a segment on the GPU, and GPU work that a function enqueues by itself,
// are opaque: such work cannot be interrupted, so its longest block is all of it. Not opaque are blocks that
// are called one by one, tasks that say `preemptible` (their calls take the blocks from a loop), and kernels
// under `sm-cores` whose calls enqueue the part they are asked for. A copy that a function makes is not cut
// into pieces, whatever `copy_chunk` says.
#pragma once

#include <string>
#include <vector>

#include "tactus/device/job.hpp"
#include "tactus/model/system.hpp"

namespace tactus::runtime {

bool is_opaque(const System& system, TaskIndex task, std::size_t segment, const device::Binding& binding);

/// What may be proven of a system with its bindings.
struct BoundSystem {
  /// For the analyses, not for the scheduler: opaque work is `exclusive` and has no yield point.
  System system;
  /// One line for each task with opaque work, for people.
  std::vector<std::string> opaque;
  /// Under `sm-cores` the scheduler may start opaque work that does not end within its window. Then nothing
  /// is proven; if the system says itself that the work is exclusive and cannot be interrupted, it does not.
  bool keeps_windows = true;
};

BoundSystem as_bound(const System& system, const device::Bindings& bindings);

}  // namespace tactus::runtime
