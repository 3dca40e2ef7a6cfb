// The tasks of a system for the tests of whole GPU jobs, with the machine's overheads included.
//
// Under `single-stream` and `multi-stream` there is one server, the GPU. Under `sm-cores` there is one for
// each core that has tasks, inside the `local` windows, and one for the gang tasks, inside the `all` windows:
// the windows are disjoint, so each server is judged alone.
//
// Overheads (l launch, c completion, o copy, r release):
// - single-stream: a job keeps the stream for the sum of its segments, each kernel or exclusive segment
//   with l + c, each copy with o.
// - multi-stream: a job keeps its stream for time + l + c. While the scheduler learns of a completion the
//   device may start low blocks, so a block that stands in the way counts with c.
// - sm-cores: a slice or wave at a time, each with l + c. Work that can be stopped anywhere is one slice;
//   what interrupts it pays l + c more, because the stop must become known and the work start again.
//   A window starts late by r, by c if the SMs may still be held by work of the other kind of window, and by
//   l + c if work that was stopped at the end of the last window has to start again.
// - A best-effort task keeps its server for one slice with l + c; if it can be stopped anywhere, for l + c.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/analysis/engine_delays.hpp"
#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

/// A periodic or sporadic task. Times of the machine are part of `cost` and `longest_block`; `jitter` is the
/// task's own plus the platform's release overhead.
struct GpuTask {
  TaskIndex task = 0;
  Duration work{};            // time of a job without overheads
  Duration cost{};            // C: how long a job keeps its server
  Duration deadline{};        // D, from the nominal release
  Duration period{};          // T
  Duration longest_block{};   // PC: how long it runs on before it can be preempted; 0: not at all
  Duration jitter{};          // J: how late the scheduler may see a release
  bool blocks_apart = false;  // a kernel of several blocks at a time: they need not start together
  std::int64_t slices = 1;    // sm-cores: how often a job goes to its server
};

/// How long one slice of a best-effort task occupies its server.
struct BestEffortBlock {
  TaskIndex task = 0;
  Duration length{};
};

/// The windows of a server: [k period + offset, k period + offset + budget) for every k. A window that covers
/// its period counts as always open.
struct Supply {
  Duration offset{};
  Duration budget{};
  Duration period{};
};

/// What the engine does beside the jobs, where its actions are counted one by one (engine_charges.hpp).
struct CountedEngine {
  EngineLoad load;
  Duration earlier{};              // V: events that are visible so long before an interval are handled in it
  std::vector<Duration> below{};   // by task of the server: what it does once (once_below)
  std::vector<Duration> finish{};  // by task: from its decision until its end is known
};

struct GpuServer {
  std::string name;            // "the GPU", "core 3", "all SMs": for reasons and details
  std::vector<GpuTask> tasks;  // most urgent first, in the strict order of `urgency_order`
  std::vector<BestEffortBlock> best_effort_blocks;
  bool is_gang = false;               // sm-cores: it takes all SMs
  bool other_kind_has_tasks = false;  // sm-cores: those of the other kind of window may still hold SMs
  std::optional<Supply> supply;       // sm-cores: reduced by overheads; nothing: always
  std::optional<Supply> window;       // sm-cores: the same as the file gives it
  std::optional<CountedEngine> engine{};
};

struct GpuServers {
  std::string why_not;  // empty where there are servers to judge
  std::vector<GpuServer> servers{};
  /// Costs and blocks can really take as long as they are counted: no upper bound of an overhead is
  /// charged where it may not occur.
  bool costs_are_tight = true;
  bool share_engine = false;  // sm-cores: several servers wait for the same engine

  /// One more reason why a test does not apply, or none; the first is told.
  void refuse(std::string reason) {
    if (why_not.empty()) why_not = std::move(reason);
  }
};

/// The GPU under `single-stream`: chains of copies, kernels and exclusive segments.
GpuServers single_stream_servers(const System& system);

/// The GPU under `multi-stream`: tasks of one kernel or one exclusive segment.
GpuServers multi_stream_servers(const System& system);

/// Cores and gang under `sm-cores`, those with periodic or sporadic tasks. Where a window is missing, or lost
/// to overheads, the budget is 0. Tasks of one kernel or one exclusive segment.
GpuServers sm_core_servers(const System& system);

/// The same for a system that may lack reservations; then no server has a window.
GpuServers sm_core_tasks(const System& system);

/// Whether the tasks, without overheads, need more than the server supplies.
bool is_overloaded(const GpuServer& server);

/// No job is seen late: no jitter, no release overhead.
bool sees_releases_at_once(const GpuServer& server);

}  // namespace tactus::analysis
