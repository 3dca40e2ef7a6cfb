// A task: when its jobs arrive, when they must be done, and what they do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/scripted_job.hpp"
#include "tactus/model/segment.hpp"

namespace tactus {

enum class Arrival : std::uint8_t { periodic, sporadic, once, best_effort };

enum class OnOverrun : std::uint8_t { proceed, skip_next, abort, demote };
enum class OnMiss : std::uint8_t { proceed, skip_next, stop };
/// What happens to a release when `max_jobs` of the task are in progress.
enum class OnFull : std::uint8_t {
  drop_newest,  // this job is dropped
  drop_oldest,  // the oldest job that has not begun is dropped; if all have begun, this one
  block,        // who releases it waits
};

/// What a job does with its core while a copy or GPU work of it is waited for.
enum class Waiting : std::uint8_t { suspend, busy };

/// How GPU work gets to the device, where the task has SMs of its own; elsewhere every job is launched.
enum class Dispatch : std::uint8_t {
  launch,    // the engine launches it
  doorbell,  // it waits on its SMs, and the engine starts it through a word in memory
  resident,  // it waits on its SMs, and the GPU's own clock releases it, without the engine
};

/// The core of a task under `sm-cores`.
struct SmAffinity {
  enum class Kind : std::uint8_t { all, any, one };
  Kind kind = Kind::all;
  std::int32_t core = 0;  // for `one`
  friend bool operator==(const SmAffinity&, const SmAffinity&) = default;
};

struct Node {
  std::string name;  // only nodes of a graph have names
  Segment segment;
  std::optional<std::int32_t> core{};         // of CPU work, if another than the task's
  std::optional<std::int64_t> virtual_sms{};  // of GPU work, if others than the task's
  /// The coarse node that it is a part of; empty: of none. Parts stand together, run one after the other
  /// (with edges), and are called "COARSE.PART", where PART has no dot.
  std::string part_of{};
  friend bool operator==(const Node&, const Node&) = default;
};

/// A predecessor and a successor, as indices into the nodes.
struct Edge {
  std::size_t from = 0;
  std::size_t to = 0;
  /// Of a history edge: `to` waits for `from` of the job that is so many before. Such edges may form cycles.
  std::int64_t delay = 0;
  friend bool operator==(const Edge&, const Edge&) = default;
};

/// How the file wrote a job's work.
enum class WorkForm : std::uint8_t { single, chain, graph };

/// What one job does. A chain runs its nodes in order; only a graph has explicit edges.
struct Work {
  WorkForm form = WorkForm::single;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  friend bool operator==(const Work&, const Work&) = default;
};

/// A part of the work with several variants, of which `plan` chooses one. Until then the work has the first.
struct WorkChoice {
  std::size_t node = 0;  // of the work, where the first variant begins
  /// Two or more. Each is one segment or more; of a graph's node it is one.
  std::vector<std::vector<Segment>> variants;
  friend bool operator==(const WorkChoice&, const WorkChoice&) = default;
};

struct Task {
  std::string name;
  Arrival arrival = Arrival::periodic;
  std::optional<Duration> period;  // minimum separation; present for periodic and sporadic tasks alone
  std::optional<Duration>
      deadline;  // relative; always present for periodic and sporadic, never for best-effort
  Duration offset{};
  Duration jitter{};
  std::optional<std::int64_t> priority;  // larger = more urgent
  std::optional<Duration> enqueue;  // what a submission of its GPU work takes, if not `EngineTime::submit`
  Dispatch dispatch = Dispatch::launch;
  bool launcher = false;  // a thread of its own makes the calls of its GPU work, not the engine's
  std::optional<std::int64_t> gpu_priority;  // of its GPU work, if another; only where nodes are served alone
  std::int32_t core = 0;
  bool any_core = false;  // `core: any`: `plan` chooses the core
  Waiting wait = Waiting::suspend;
  SmAffinity sm;
  std::optional<Duration> longest_block;  // exclusive work: time until it can be preempted; 0 = anywhere
  bool preemptible = false;               // best-effort work that can be asked to stop between its blocks
  std::optional<Duration> time_slice;     // time-sliced: of its process, if another than the policy's
  std::optional<std::string> stream;      // as-submitted: the stream its jobs share
  std::int32_t stream_priority = 0;       // as-submitted: CUDA's numbers, smaller = more urgent
  std::optional<Duration> budget;
  OnOverrun on_overrun = OnOverrun::proceed;
  OnMiss on_miss = OnMiss::proceed;
  std::optional<std::int64_t> max_jobs;  // in progress at once; nothing: as many as come
  OnFull on_full = OnFull::drop_newest;
  Work work;
  std::vector<WorkChoice> choices;  // in the order of the work
  /// sim: its first jobs, by number. A sporadic task with a script has no other jobs.
  std::vector<ScriptedJob> jobs;

  friend bool operator==(const Task&, const Task&) = default;
};

/// Tasks are named by their place in the file.
using TaskIndex = std::uint32_t;

/// Whether the task releases jobs again and again, independently of their completion.
constexpr bool repeats(const Task& task) {
  return task.arrival == Arrival::periodic || task.arrival == Arrival::sporadic;
}

/// Of jobs that are released a period apart, so many are in progress at once if none takes longer.
constexpr std::int64_t jobs_at_once(Duration longest, Duration period) { return longest / period + 1; }

/// Whether `max_jobs` may turn jobs away, whose response times are at most this; nothing: it is not known.
inline bool may_turn_away(const Task& task, const std::optional<Duration>& response) {
  if (!task.max_jobs || !repeats(task)) return false;
  return !response || jobs_at_once(*response, *task.period) > *task.max_jobs;
}

/// Whether the script alone says when its jobs arrive.
inline bool has_scripted_releases(const Task& task) {
  return task.arrival == Arrival::sporadic && !task.jobs.empty();
}

/// The CPU core of a node.
inline std::int32_t core_of(const Task& task, const Node& node) { return node.core.value_or(task.core); }

/// The name of a part within its coarse node.
inline std::string_view part_name(const Node& node) {
  return std::string_view{node.name}.substr(node.part_of.size() + 1);
}

/// Nodes that are the parts of one coarse node, or one node that is no part.
struct NodeGroup {
  std::size_t first = 0;
  std::size_t count = 1;
};

/// The coarse nodes of the work, in its order.
std::vector<NodeGroup> node_groups(const Work& work);

/// Whether a job needs SMs.
bool uses_gpu(const Work& work);

/// The edges between nodes of one job.
std::vector<Edge> edges_within_job(const Work& work);
/// Those to nodes of later jobs.
std::vector<Edge> history_edges(const Work& work);

/// Node indices with every predecessor before its successors, file order where the edges leave a choice.
/// Empty when the edges form a cycle.
std::vector<std::size_t> topological_order(const Work& work);

/// The least time of a job that never waits: the sum of its segments, each in its best case.
/// Kernels count one block. Saturates at the largest duration.
Duration min_time(const Work& work);

}  // namespace tactus
