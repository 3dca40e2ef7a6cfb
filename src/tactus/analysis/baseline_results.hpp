// Shared by the baselines for federated systems: chains of requests, and how results are reported.
//
// The baselines treat the GPU and its copies as one device. A request is a maximal run of copies and GPU work
// between CPU stages. Copies that always take no time are not issued. A run that always takes no time is no
// request. A CPU stage of length 0 still separates two requests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/analysis/allocation_search.hpp"
#include "tactus/analysis/analysis.hpp"
#include "tactus/base/ratio_sum.hpp"

namespace tactus::analysis {

/// The chain with each request as one stage of the GPU: nothing but CPU stages and requests.
Stages with_requests(const Stages& stages);

/// The worst-case time of a job on one server.
Duration worst_time(const Stages& stages, ServerKind server);

/// The number of requests issued.
std::int64_t count_requests(const Stages& requests);

/// The longest of them.
Duration longest_request(const Stages& requests);

/// The most copying that a job can do within one request.
Duration longest_copying(const Stages& stages);

/// A task whose response may exceed its deadline: the known terms of the sum.
struct FailedResponse {
  Duration own{};
  Duration blocking{};            // by less urgent tasks, each time
  std::int64_t times = 1;         // how often a job can be blocked
  bool gave_up = false;           // a fixed point was not found
  std::optional<Duration> bound;  // R + J where it is beyond the deadline, but known
};

/// Tasks in order of urgency, as far as they hold.
struct Responses {
  std::vector<Duration> bounds;           // R + J
  std::optional<FailedResponse> failure;  // of the task after the last bound

  [[nodiscard]] bool hold() const { return !failure.has_value(); }
};

/// The share of one resource that the jobs of all tasks can need.
struct ResourceUse {
  std::string name;
  std::vector<Ratio> shares;
};

/// The certain demand on every single resource. It is computed for the system without
/// overheads, which are only upper bounds.
using FindUse = std::vector<ResourceUse> (*)(const System& without_overheads);

/// The demand on the CPU cores, one entry for each, and that of each job on one more resource; every task has
/// the most SMs it can get.
std::vector<ResourceUse> cpu_and_other_use(const System& system, const std::string& other,
                                           Duration (*demand)(const Stages& stages));

/// Why a test for one core does not apply; empty when all tasks have the same.
std::string find_second_core(const System& system);

/// The tasks with the stages that a test needs: those for the SMs given, or all that a search may try.
FederatedTasks tasks_to_split(const System& system);

/// The result from the responses; `unschedulable` where a resource is needed for more than all of its time.
Result baseline_result(const System& system, const FederatedTasks& tasks, const Responses& responses,
                       FindUse find_use);

/// Adds the split of the SMs to the detail; if it was searched, to the reason, too.
void show_allocation(const System& system, const FederatedTasks& tasks, const SmCounts& split,
                     Result& result);

/// The answer where no split was found.
Result no_allocation_result(const System& system, const FederatedTasks& tasks,
                            AllocationFound::Outcome outcome, FindUse find_use);

}  // namespace tactus::analysis
