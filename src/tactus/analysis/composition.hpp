// Response times of jobs that are chains of nodes on servers of several kinds: cores, copy engines and a GPU
// that is shared in any way. Spec composition.md; the proof is docs/proofs/composition.md.
//
// This is the mathematics alone: tasks, nodes and servers as numbers. What makes them of a system file adds
// the machine's overheads to the times first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/interval.hpp"
#include "tactus/model/strategy.hpp"

namespace tactus::analysis {

/// How a server serves the nodes that are ready on it.
enum class ServiceKind : std::uint8_t {
  preemptive,      // a core: the most urgent node runs (pfp, pedf)
  non_preemptive,  // a core, a copy engine, a GPU with one stream: a node runs to its end (npfp, npedf)
  fifo,            // in the order in which nodes become ready, each to its end
  levels,          // a GPU with streams of rising urgency (ms)
  own,             // SMs of the task's own: never a wait
  window,  // the most urgent node runs, block by block, in windows of `budget` every `period`; always, if
           // the window covers its period
};

struct ChainServer {
  ServiceKind service = ServiceKind::preemptive;
  Order order = Order::fp;  // of no meaning for `fifo` and `own`
  std::int32_t levels = 1;  // PL of `levels`; with one level it is non-preemptive
  /// Copy engines that take from one queue, or the cores of a cluster that share their work. `levels`, `own`
  /// and windows that close have one.
  std::int32_t engines = 1;
  Duration budget{};  // Q of `window`, less what the machine takes of it
  Duration period{};  // P of `window`
  /// By task: its place in the server's own order, best-effort tasks last. Empty: as they are listed. Of no
  /// meaning for `fifo` and `own`.
  std::vector<std::size_t> ranks{};
};

/// One node of a chain. Nodes that take no time even at worst are left out by the caller.
struct ChainNode {
  std::size_t server = 0;
  Interval time;  // [b, w]: w with the machine's overheads, b without
  /// o: how much of the overheads lies before the node reaches its server, which may serve others meanwhile.
  /// An overhead for which the server is kept is not meant.
  Duration ahead{};
  /// On `levels`: how long it runs on once something more urgent waits, with the completion overhead; the
  /// whole node where it cannot be interrupted. On `window`: the longest block, which is not interrupted and
  /// is begun only if it fits the window; 0 where the node stops anywhere.
  Duration longest_block{};
  /// On `fifo`, where a node is served in several turns (time slices): how many, and the longest of them; it
  /// queues again for each. Nothing: one turn of all of it.
  std::int64_t turns = 1;
  std::optional<Duration> longest_turn{};
};

/// Who a task is to others, and what it needs. Tasks are listed most urgent first, where a server has no
/// order of its own; best-effort ones last. A job is a chain of its nodes, or a graph: then nodes are listed
/// so that each comes behind those it waits for.
struct ChainTask {
  std::vector<ChainNode> nodes{};    // at least one, unless best-effort
  std::optional<Duration> period{};  // T; nothing: one job only
  Duration deadline{};               // D, from the nominal release; any relation to T
  Duration jitter{};                 // J: how late the scheduler may see a release
  /// By node: the nodes that it waits for. Empty: each waits for the one before it.
  std::vector<std::vector<std::size_t>> predecessors{};
  /// The priority point after the nominal release, for servers with fair lateness; else D is.
  std::optional<Duration> priority_point{};
  /// While it waits for copies and GPU it keeps this core, at its priority. The core is preemptive.
  std::optional<std::size_t> held_core{};
  /// No period, no deadline, no bound. The times of its nodes are those of one slice.
  bool best_effort = false;
};

struct ChainSystem {
  std::vector<ChainServer> servers;
  std::vector<ChainTask> tasks;
};

enum class ChainForm : std::uint8_t {
  chain,  // interference over a job's whole window: chain-fp, chain-edf
  plain,  // node by node, as independent streams with jitter: plain-fp, plain-edf
};

/// Times count from the job's nominal release.
struct NodeBound {
  std::optional<Duration> ready;     // S: no later
  std::optional<Duration> end;       // F: no later
  std::optional<Duration> response;  // r: from ready to end; may be missing where the others are known
};

enum class NoBound : std::uint8_t {
  none,         // it has a bound
  best_effort,  // it needs none
  deadline,     // its search passed the deadline
  other_task,   // it needs the bound of a task that has none: `because_of`
  gave_up,      // a search had too many rounds
};

/// How long a job may stay at one server, own work included.
struct ServerStay {
  std::size_t server = 0;
  Duration own{};
  Duration longest{};
};

struct ChainBound {
  std::optional<Duration> response;  // R, with J, at most D
  bool calm = false;                 // its jobs never wait for the one before
  std::vector<NodeBound> nodes;
  NoBound why = NoBound::none;
  std::size_t because_of = 0;
  /// Where its search passed the deadline: what the job may take by then, server by server.
  std::vector<ServerStay> stays{};
};

struct ChainBounds {
  std::vector<ChainBound> tasks;
  int sweeps = 0;
  /// The fixed point was not reached: no task has a bound.
  bool gave_up = false;
};

/// Throws OverflowError where limits of searches leave 64 bits, TooManySteps beyond the effort allowed.
ChainBounds bound_chains(const ChainSystem& system, ChainForm form);

}  // namespace tactus::analysis
