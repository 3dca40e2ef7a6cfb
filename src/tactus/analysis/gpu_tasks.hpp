// The tasks of a system as the tests for whole GPU jobs see them, with the machine's overheads counted in.
//
// Under `single-stream` and `multi-stream` there is one server, the GPU. Under `sm-cores` there is one for
// each core that has tasks, inside the `local` windows, and one for the gang tasks, inside the `all` windows:
// the windows are disjoint, so each server is judged alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

/// A periodic or sporadic task. Times of the machine are part of `cost` and `longest_block`; `jitter` is the
/// task's own plus the platform's release overhead.
struct GpuTask {
  TaskIndex task = 0;
  Duration cost{};            // C: how long a job keeps its server
  Duration deadline{};        // D, from the nominal release
  Duration period{};          // T
  Duration longest_block{};   // PC: how long it runs on before it can be preempted; 0: not at all
  Duration jitter{};          // J: how late the scheduler may see a release
  bool blocks_apart = false;  // a kernel of several blocks at a time: they need not start together
};

/// When a server serves: [k period + offset, k period + offset + budget) for every k. A window that covers
/// its period is no window at all.
struct Supply {
  Duration offset{};
  Duration budget{};
  Duration period{};
};

struct GpuServer {
  std::string name;                          // "the GPU", "core 3", "all SMs": for reasons and details
  std::vector<GpuTask> tasks;                // most urgent first, in the strict order of `urgency_order`
  std::vector<Duration> best_effort_blocks;  // what one slice of each best-effort task keeps the server
  std::optional<Supply> supply;              // sm-cores: shrunk by what the machine adds; nothing: always
};

}  // namespace tactus::analysis
