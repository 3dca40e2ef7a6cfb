// The interface of strategies: which work is submitted where, and when. Each strategy has a file of its own
// and one line in strategies.cpp.
#pragma once

#include <array>
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
#include "tactus/sched/pass.hpp"

namespace tactus::sched {

/// Where copies or GPU work may be submitted: a stream (or a stream of the job's own), a level, and an SM
/// set.
struct Lane {
  StreamId stream = own_stream;
  std::uint32_t level = 0;
  SmSetId sms = 0;
  friend auto operator<=>(const Lane&, const Lane&) = default;
};

/// Where CPU work may be submitted: a set of cores, and the largest number of submissions in flight there.
struct CpuLane {
  Cores cores;
  std::uint32_t width = 1;
};

/// Deterministic, without clock, thread or device. The core calls the hooks for all events of an instant,
/// then `schedule`.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  /// The segments of the job that have no predecessors are ready. Not called where GPU nodes are handed over
  /// one by one (by_node.hpp).
  virtual void on_released(JobId /*id*/, const JobRow& /*job*/) noexcept {}
  /// A segment has finished, or a submission of a job that is given up has ended in any way. `job_done`: it
  /// was the last of the job.
  virtual void on_finished(SubmissionId /*submission*/, const JobRow& /*job*/, bool /*job_done*/) noexcept {}
  /// All predecessors of a segment have finished, and it was not submitted before; by node: GPU work alone,
  /// also without predecessors.
  virtual void on_ready(SubmissionId /*submission*/, const JobRow& /*job*/) noexcept {}
  /// A slice has ended, or a stop has taken effect, and the segment is not finished.
  virtual void on_stopped(SubmissionId /*submission*/, const JobRow& /*job*/) noexcept {}
  /// The job is given up: nothing more of it may be submitted. `on_finished` follows for each submission in
  /// flight.
  virtual void forget(JobId /*id*/, const JobRow& /*job*/) noexcept {}
  /// From now on the job is less urgent than all jobs that were not demoted.
  virtual void on_demoted(JobId /*id*/, const JobRow& /*job*/) noexcept {}
  /// Whether demotion affects work that has been submitted already.
  [[nodiscard]] virtual bool demotes() const { return false; }

  /// The scheduling pass of an instant. Before each submission and stop request `pass` is asked.
  virtual void schedule(Time now, const JobTable& jobs, Pass& pass, Commands& commands) noexcept = 0;

  /// Whether a segment is never submitted. Such a segment finishes together with its last predecessor.
  [[nodiscard]] virtual bool skips(TaskIndex /*task*/, std::uint32_t /*segment*/) const { return false; }

  /// The number of streams that outlive jobs, and the SM sets other than "all SMs", by id - 1.
  [[nodiscard]] virtual std::uint32_t streams() const { return 0; }
  [[nodiscard]] virtual std::vector<std::vector<std::int32_t>> sm_sets() const { return {}; }

  /// Allocates memory for this many jobs in progress now, so that nothing is allocated later.
  virtual void reserve(std::size_t jobs) = 0;

  /// All lanes that it may submit to, so that a device can prepare them before the run.
  [[nodiscard]] virtual std::vector<Lane> lanes() const = 0;
  /// The SM sets on which a segment may run: those of the lanes, unless the strategy knows better.
  [[nodiscard]] virtual std::vector<SmSetId> sm_sets_of(TaskIndex task, std::uint32_t segment) const;
  /// The same for CPU work. Two sets of cores are equal or have no core in common.
  [[nodiscard]] virtual std::vector<CpuLane> cpu_lanes() const { return {}; }

  /// Whether every SM set acts as a separate GPU: work on one set never waits for work on another.
  [[nodiscard]] virtual bool has_dedicated_sms() const { return false; }

  /// Whether the device may dispatch work it already has between a completion and the submissions that follow
  /// from it.
  [[nodiscard]] virtual bool refills_lazily() const { return false; }
};

/// The facts of a strategy, the condition under which it can run a system, and its factory.
struct StrategyEntry {
  StrategyFacts facts;
  /// What the system needs and the engine or strategy does not offer; empty when it can run.
  std::vector<std::string> (*refusals)(const System& system, const Capabilities& capabilities) = nullptr;
  std::unique_ptr<Strategy> (*make)(const System& system) = nullptr;
};

/// The usual `orders` of a strategy.
inline constexpr std::array edf_or_fp{Order::edf, Order::fp};

/// The usual `make`.
template <class Kind>
std::unique_ptr<Strategy> make_strategy(const System& system) {
  return std::make_unique<Kind>(system);
}

/// Null for a strategy that is planned but not built.
const StrategyEntry* find_strategy(StrategyRef strategy);

/// Registers a strategy that is not part of Tactus; files may name it from now on. The entry and its name
/// must outlive all uses. Must not be called while other threads look up strategies. InputError: its name is
/// taken, or its facts contradict each other.
void add_strategy(const StrategyEntry& entry);

}  // namespace tactus::sched
