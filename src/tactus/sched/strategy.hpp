// A strategy: which work goes where, and when. One file each, and one line in strategies.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/sched/capabilities.hpp"
#include "tactus/sched/command.hpp"
#include "tactus/sched/job_table.hpp"

namespace tactus::sched {

/// A kind of submission of copies or GPU work: to a stream (or one of the job's own) of a level, on an SM
/// set.
struct Lane {
  StreamId stream = own_stream;
  std::uint32_t level = 0;
  SmSetId sms = 0;
  friend auto operator<=>(const Lane&, const Lane&) = default;
};

/// A kind of submission of CPU work: to these cores, so many of them at a time.
struct CpuLane {
  Cores cores;
  std::uint32_t width = 1;
};

/// Deterministic and without clock, thread or device. The core calls the hooks for everything that happened
/// at an instant, then `schedule` once.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  Strategy(Strategy&&) = delete;
  Strategy& operator=(Strategy&&) = delete;
  virtual ~Strategy() = default;

  /// Its segments without predecessors are ready.
  virtual void on_released(JobId id, const JobRow& job) noexcept = 0;
  /// A segment finished; `job_done` when it was the job's last.
  virtual void on_finished(SubmissionId /*operation*/, const JobRow& /*job*/, bool /*job_done*/) noexcept {}
  /// All predecessors of a segment have finished, and it was not submitted before.
  virtual void on_ready(SubmissionId /*operation*/, const JobRow& /*job*/) noexcept {}
  /// A slice is over, or a stop took effect; the segment is not finished.
  virtual void on_stopped(SubmissionId /*operation*/, const JobRow& /*job*/) noexcept {}
  virtual void on_timer(TimerId /*timer*/, Time /*now*/) noexcept {}
  /// A job is given up while nothing of it is on a server.
  virtual void forget(JobId /*id*/, const JobRow& /*job*/) noexcept {}
  /// From now on a job is less urgent than all that were not demoted.
  virtual void on_demoted(JobId /*id*/, const JobRow& /*job*/) noexcept {}
  /// Whether that changes anything for a job that is on the device already.
  [[nodiscard]] virtual bool demotes() const { return false; }

  /// The one scheduling pass of an instant.
  virtual void schedule(Time now, const JobTable& jobs, Commands& commands) noexcept = 0;

  /// Whether a segment is never submitted: it finishes when its predecessors have.
  [[nodiscard]] virtual bool skips(TaskIndex /*task*/, std::uint32_t /*segment*/) const { return false; }

  /// How many streams outlive jobs; the SM sets it submits to besides all SMs, by id - 1.
  [[nodiscard]] virtual std::uint32_t streams() const { return 0; }
  [[nodiscard]] virtual std::vector<std::vector<std::int32_t>> sm_sets() const { return {}; }

  /// Takes the memory for so many jobs in progress now, so that nothing is allocated later.
  virtual void reserve(std::size_t jobs) = 0;

  /// Where it submits to, so that a device can have everything at hand.
  [[nodiscard]] virtual std::vector<Lane> lanes() const = 0;
  /// The same for CPU work. Two sets of cores are equal or have no core in common.
  [[nodiscard]] virtual std::vector<CpuLane> cpu_lanes() const { return {}; }

  /// Whether every SM set is a GPU of its own: work for one never waits for work for another.
  [[nodiscard]] virtual bool has_dedicated_sms() const { return false; }

  /// Whether the device goes on by itself between a completion and what is submitted because of it.
  [[nodiscard]] virtual bool refills_lazily() const { return false; }
};

/// What is true of a strategy, when it can run a system, and how it is made.
struct StrategyEntry {
  StrategyFacts facts;
  /// What the system needs and the engine or the strategy lacks; empty when it can run.
  std::vector<std::string> (*refusals)(const System& system, const Capabilities& capabilities) = nullptr;
  std::unique_ptr<Strategy> (*make)(const System& system) = nullptr;
};

/// Null for one that is only planned.
const StrategyEntry* find_strategy(StrategyRef strategy);

/// One more beside those of Tactus: from now on files may name it. Neither it nor its name may go away. Not
/// while other threads look for strategies.
void add_strategy(const StrategyEntry& entry);

}  // namespace tactus::sched
