// What an engine can enforce. A system that needs more is refused before the run starts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tactus::sched {

struct Capabilities {
  std::string engine;                // its name in messages: "the simulator"
  std::int32_t priority_levels = 1;  // stream priorities
  std::int32_t sm_set_granularity =
      0;                            // SM sets come in multiples of this; 0: work cannot be restricted to SMs
  bool stops_kernels = false;       // RequestStop takes effect before a kernel has ended
  bool immediate_refill = false;    // a submission made at a completion precedes the device's next dispatch
  bool slices_time = false;         // GPU work gives way at the end of a time slice, also inside a kernel
  bool preemptive_cpu = false;      // CPU segments run under preemptive priorities
  bool preempts_functions = false;  // also functions that are bound to them
  bool releases_jobs = false;       // jobs of resident tasks, without the engine
  /// Chunk size in bytes of best-effort copies that a more urgent copy could not overtake otherwise; nothing:
  /// such copies are not cut.
  std::optional<std::int64_t> copy_slice{};
};

}  // namespace tactus::sched
