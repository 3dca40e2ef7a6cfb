// Shared by the response-time tests for fixed priorities: the result of each task, in words and numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/interference.hpp"
#include "tactus/analysis/server_results.hpp"

namespace tactus::analysis {

/// Blocking by the best-effort tasks of a server.
Blocking best_effort_blocking(const GpuServer& server);

/// The longest block, or whole job, of a less urgent task, best-effort tasks included, by task of the server.
std::vector<Blocking> less_urgent(const GpuServer& server, Duration GpuTask::*length);

/// Blocks of less urgent tasks that can delay jobs while they are served, in addition to the blocking
/// before: once for each job.
struct BlocksInTheWay {
  Duration of_own{};
  Duration of_blocker{};
  std::vector<Duration> of_more_urgent{};  // by task of the server; missing entries are 0
};

/// The sum that exceeds a deadline.
struct ResponseTerms {
  Blocking blocking;  // including the block that delays the blocker
  Duration own{};     // all jobs of the task in it, without blocks that delay them
  BlocksInTheWay blocks{};
  Duration below{};         // what the engine does once, and for less urgent units under way
  std::int64_t job = 0;     // which job of the busy period
  std::int64_t length = 0;  // the interval whose more urgent jobs are counted
  End end = End::open;
  /// A response time that is proven although it exceeds the deadline; then the terms are those of it. Else
  /// they are those of an interval that ends with the deadline, into which they do not fit.
  std::optional<Duration> bound{};
};

/// How far beyond a deadline a bound is searched.
Duration far_beyond(const GpuTask& task);

/// Adds a task whose response may exceed its deadline. `supply` is that of the fixed point.
void fails_response(const System& system, const GpuServer& server, const GpuTask& task,
                    const Interference& more_urgent, const ResponseTerms& terms, const SupplyBound& supply,
                    ServerResults& results);

/// The longest response of a task that nothing interrupts once it runs, or why it is not known.
struct NonPreemptiveResponse {
  enum class Outcome : std::uint8_t { found, passes, gave_up };
  Outcome outcome = Outcome::found;
  Duration response{};
  std::int64_t job = 0;     // found: the slowest; passes: the first that passes the limit
  std::int64_t length = 0;  // found: until it starts; passes: until it would have to
  std::string limit{};
};

/// The most jobs of a busy period that are looked at.
inline constexpr std::int64_t max_busy_jobs = 1'000'000;

/// A task below others that nothing interrupts once it runs (np-fp).
struct NonPreemptiveTask {
  const GpuTask& task;
  Duration blocking{};
  const Interference& more_urgent;
  const Interference& with_own;  // the same and the task itself; no more than all of the time
  /// From its start until its end is known, where that is not its cost.
  std::optional<Duration> finish{};

  /// As far as it is no longer than `limit`, with so many jobs in the busy period at most.
  [[nodiscard]] NonPreemptiveResponse response(Duration limit, std::int64_t jobs_at_most) const;

  [[nodiscard]] Duration time_to_finish() const { return finish.value_or(task.cost); }

 private:
  [[nodiscard]] NonPreemptiveResponse start_of(std::int64_t job, std::int64_t from, Duration limit) const;
  [[nodiscard]] NonPreemptiveResponse count_jobs(std::int64_t from, std::int64_t at_most) const;
};

/// By task of the server: the cost of a job, and its blocking by less urgent work.
struct PreemptiveTerms {
  std::vector<Duration> costs;  // with the blocks that can delay it meanwhile
  std::vector<Blocking> blocking;
  /// The part of these costs and of the blocking that is such blocks; empty: nothing.
  std::vector<Duration> blocks_in_costs{};
  std::vector<Duration> blocks_in_blocking{};
};

/// One task after the other, most urgent first: the least R with
///   supply(R) >= blocking_i + cost_i + sum over more urgent j of ceil((R + J_j)/T_j) cost_j,
/// and what a counted engine does meanwhile; R + J_i is the bound if it is within the deadline. A failure
/// leaves nothing proven for the rest. Beyond the deadline it is still one as long as it is within the
/// period: then no job waits for the one before.
void judge_preemptive(const System& system, const GpuServer& server, const PreemptiveTerms& terms,
                      const SupplyBound& supply, ServerResults& results);

/// Adds a limit that was reached.
void gives_up_response(const System& system, const GpuServer& server, const GpuTask& task,
                       const std::string& limit, ServerResults& results);

}  // namespace tactus::analysis
