// Shared by the tests of other ways to use one GPU (gpu-lock, gpu-server, gpu-preemptive, gpu-round-robin,
// gpu-as-cpu, mpcp): what a job needs of its core and of the GPU, and how the responses are found.
//
// A request is a run of copies and GPU work between CPU work, as in baseline_results.hpp; GPU work has all
// SMs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tactus/analysis/baseline_results.hpp"
#include "tactus/analysis/interference.hpp"

namespace tactus::analysis {

/// The needs of a job, in worst cases with overheads. No period and deadline: a best-effort task.
struct GpuUser {
  std::int32_t core = 0;
  bool is_busy = false;            // it keeps its core while it waits
  Duration cpu{};                  // C
  Duration requests{};             // X
  Duration longest{};              // request
  std::int64_t count = 0;          // n
  std::int64_t launches = 0;       // of kernels and other GPU work, in all requests
  Duration slice{};                // its turn where the GPU is shared by turns
  std::vector<Duration> single{};  // the requests one by one
  Duration period{};
  Duration deadline{};
  Duration jitter{};

  [[nodiscard]] bool uses_gpu() const { return count > 0; }
};

struct GpuUsers {
  std::string why_not;           // empty where there is something to judge
  FederatedTasks tasks{};        // most urgent first
  std::vector<GpuUser> users{};  // of these
  std::vector<GpuUser> best_effort{};
  Duration switching{};  // launch + completion: what it takes the GPU to go on with other work

  /// Whether a task that is less urgent uses the GPU.
  [[nodiscard]] bool has_user_below(std::size_t place) const;
  /// The longest request of a less urgent task.
  [[nodiscard]] Duration longest_below(std::size_t place) const;
};

/// The users of any system of chains.
GpuUsers gpu_users(const System& system);

/// The same where every node goes to a server of its own, and every core serves its own tasks by preemptive
/// fixed priority; else why the tests do not apply.
GpuUsers gpu_users_by_node(const System& system);

/// The response of one task, from when it is seen, as far as it is within the limit. `bounds`: R' of the more
/// urgent tasks.
using FindResponse =
    std::function<FixedPoint(std::size_t place, const std::vector<Duration>& bounds, Duration limit)>;

/// How a job that has no bound can be blocked.
struct BlockedBy {
  Duration longest{};
  std::int64_t times = 0;
};
using FindBlocking = std::function<BlockedBy(std::size_t place)>;

/// All tasks in their order, up to the first without a bound.
Responses find_responses(const GpuUsers& users, const FindResponse& find, const FindBlocking& blocked);

/// Adds jobs of `cost` that are done within `within` of their nominal releases: in an interval of length t
/// they work for at most ceil((t + within - cost)/T) cost, since what the first loses in front is missing
/// behind. Nothing for a cost of 0.
void add_load(Interference& load, Duration cost, Duration period, Duration within);

/// The least length that holds the work and the load, within the limit.
FixedPoint min_response(const Interference& load, Int128 work, Duration limit);

/// The time of every core, where a job needs it so long, and of the GPU.
std::vector<ResourceUse> cores_and_gpu(const System& system, Duration (*of_core)(const GpuUser& user));
/// The same where jobs need their cores for their CPU time.
std::vector<ResourceUse> cores_and_gpu(const System& system);

}  // namespace tactus::analysis
