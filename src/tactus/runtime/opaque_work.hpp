// Opaque work: bound work that the scheduler cannot preempt, and its effect on what can be proven.
//
// A function that does a whole GPU segment, and GPU work that a function enqueues itself, are opaque: they
// cannot be preempted, so the longest block is the whole segment. Not opaque are kernels bound block by
// block, tasks that say `preemptible` (their kernels take blocks from a loop), and kernels under `sm-cores`
// that launch only the requested part, which captured work cannot. A copy made by a function is not cut into
// chunks, whatever `copy_chunk` says. Where nodes are timed (strategy `graph`), kernels are never preempted,
// and what a function enqueues for a kernel node is taken to be the kernel that the node declares.
#pragma once

#include <string>
#include <vector>

#include "tactus/device/job.hpp"
#include "tactus/model/system.hpp"
#include "tactus/sched/capabilities.hpp"

namespace tactus::runtime {

bool is_opaque(const System& system, TaskIndex task, std::size_t segment, const device::Binding& binding);

/// The system as it is run. Where nodes are timed, their releases follow from the bounds, so these must be
/// those of what the machine does: CPU nodes run to their end if functions are bound and not preempted.
System as_enforced(System system, const device::Bindings& bindings, const sched::Capabilities& engine);

/// The system as the analyses must see it, given its bindings.
struct BoundSystem {
  /// For the analyses, not for the scheduler: opaque work is `exclusive` and not preemptible.
  System system;
  /// A message for each task with opaque work.
  std::vector<std::string> opaque;
  /// False if the scheduler may start opaque work that does not end within its window (`sm-cores`). Nothing
  /// is proven then. It cannot happen if the file declares the work as exclusive and not preemptible.
  bool keeps_windows = true;
};

BoundSystem as_bound(const System& system, const device::Bindings& bindings);

/// The engine launches captured work itself, which nobody counts of a task with a launcher. InputError.
void refuse_captured_with_launcher(const System& system, const device::Bindings& bindings);

/// How long work continues after more urgent work has arrived, by task and segment, as declared: the time of
/// a block or of a slice of exclusive work; the whole time of opaque work. 0 for copies and CPU work.
std::vector<std::vector<Duration>> longest_blocks(const System& system, const device::Bindings* bindings);

}  // namespace tactus::runtime
