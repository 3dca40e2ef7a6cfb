// The tasks of a federated system for its tests: chains of stages, each on one server, with the
// machine's overheads included.
//
// Adjacent segments of one kind are one stage. CPU and copy stages that always take no time are not
// issued: they wait for no server and have no overhead. They still separate their neighbours.
// Overheads: every kernel, gpu or exclusive segment + launch + completion, every chunk of an issued copy +
// copy, in its worst case; release + jitter is the task's J.
//
// Chunks: without `copy_chunk` a copy stage is one chunk, which nothing interrupts. With it every copy is at
// least one, and a copy of more bytes than the chunk is several. When a chunk is over, the engine goes to the
// most urgent request. The next chunk of the same job is there at that instant, so nothing less urgent comes
// between; something more urgent may.
//
// Where the engine needs time, every segment is a stage: the next one is submitted when the end of the one
// before has been handled. Copies in several chunks are not looked at then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/base/time.hpp"
#include "tactus/model/system.hpp"

namespace tactus::analysis {

struct Stage {
  ServerKind server = ServerKind::cpu;
  Interval time;
  // Of copies:
  std::int64_t chunks = 1;
  Duration longest_chunk{};  // the longest that others may have to wait for
  Duration last_chunk{};     // in its worst case: once it runs, the stage waits no more
  Duration submission{};     // e_s: what the engine needs to submit it

  static Stage whole(ServerKind server, Interval time) { return {server, time, 1, time.worst, time.worst}; }

  /// Only a stage that can take time waits for its server.
  [[nodiscard]] bool is_issued() const { return time.worst > Duration{}; }
  /// Whether the engine submits it. GPU work always is.
  [[nodiscard]] bool is_submitted() const { return server == ServerKind::gpu || is_issued(); }
  friend bool operator==(const Stage&, const Stage&) = default;
};

using Stages = std::vector<Stage>;

/// The sum of all stages in their worst case.
Duration longest_job(const Stages& stages);
/// The longest chunk of a request to the copy engine.
Duration longest_copy(const Stages& stages);

/// Whether neighbouring segments of one kind are one stage.
enum class Neighbours : std::uint8_t { joined, apart };

/// The stages of a job on so many physical SMs (at least one with GPU work).
Stages stages_on(const System& system, const Task& task, std::int64_t sms,
                 Neighbours neighbours = Neighbours::joined);

/// A periodic or sporadic task.
struct FederatedTask {
  TaskIndex task = 0;
  std::int32_t core = 0;
  Duration deadline{};  // D, from the nominal release
  Duration period{};    // T
  Duration jitter{};    // J: how late the scheduler may see a release
  bool uses_gpu = false;
  bool never_leaves_cpu = false;    // nothing but CPU stages takes time
  bool among_such = false;          // and the same holds for every task with a deadline
  std::optional<std::int64_t> sms;  // physical SMs, where the system gives them; 0 without GPU work
  std::optional<Duration> event;    // e_h, what the engine needs for an event, where it needs time
  std::int64_t watched = 0;         // events of a job beside its release and its stages: deadline, budget
  /// Its stages on so many physical SMs, by number of SMs; `stages[0]` counts where it needs none.
  std::vector<Stages> stages;
};

struct FederatedTasks {
  std::string why_not;               // empty where there is something to judge
  std::vector<FederatedTask> tasks;  // most urgent first
  /// The longest chunk of a copy of a best-effort task, which can block every task.
  Duration background_copy{};
  /// The stages of best-effort tasks, each on its given SMs; on one where none are given.
  std::vector<Stages> background;
  std::int64_t sms = 0;           // available SMs, without those of best-effort tasks
  std::optional<Duration> event;  // e_h, where the engine needs time
  bool complete = true;           // the system gives every task its SMs
};

/// Which stages are kept: those for the SMs that the system gives, or (`every_number`) for all that a search
/// may try.
enum class StageTable : std::uint8_t { as_given, every_number };

FederatedTasks federated_tasks(const System& system, StageTable table);

}  // namespace tactus::analysis
