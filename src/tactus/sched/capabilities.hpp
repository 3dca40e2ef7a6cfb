// What an engine can enforce. A system that needs more is refused before it starts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tactus::sched {

struct Capabilities {
  std::string engine;                // how messages name it: "the simulator"
  std::int32_t priority_levels = 1;  // stream priorities
  std::int32_t sm_set_granularity =
      0;                          // SM sets come in multiples of this; 0: work cannot be restricted to SMs
  bool stops_kernels = false;     // RequestStop takes effect before the end of a kernel
  bool immediate_refill = false;  // a submission can precede the device's next dispatch
  bool preemptive_cpu = false;    // CPU segments run under preemptive priorities
  /// Bytes of a best-effort copy that go to the engine at once where others must wait for their end; nothing:
  /// all of them.
  std::optional<std::int64_t> copy_slice{};
};

}  // namespace tactus::sched
