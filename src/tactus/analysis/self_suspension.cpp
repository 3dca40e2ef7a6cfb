// self-suspension: copies and GPU work are requests to one device that all tasks share.
//
// Claim: R_k + J_k bounds the response time of task k, where R_k is the lesser of R1 and R2:
//   B    = longest request of a less urgent task
//   MR_j = least r with r = X_j + B + sum over more urgent i of Wmax_i(r) of their requests (X_j: request j)
//   CR_j = least r with r = CL_j + sum over more urgent i of the core of Wmax_i(r) of their CPU time
//   R1   = sum MR + sum CR
//   R2   = least r with r = sum MR + sum CL + sum over more urgent i of the core of Wmax_i(r) of their
//          CPU time
// as long as R_k + J_k <= D_k. Wmax is that of chain_workload.hpp with X = D. A failure leaves nothing proven
// for less urgent tasks. Without `virtual_sms` it takes the first split of the SMs that holds.
//
// Source: the self-suspension baseline of the RTGPU paper, in our own form.
//
// Run-time model (not that of `federated`): CPU cores with preemptive fixed priorities. A request, a run of
// copies and GPU work between CPU stages, cannot be interrupted and has the device to itself, though it only
// uses the SMs of its task. The most urgent waiting request is next. A waiting job is suspended. Periodic or
// sporadic chains, D <= T; a best-effort task is less urgent than all others; without SMs given it has one.
//
// Kind: sufficient.
//
// Soundness: sound in its run-time model; never part of a verdict. A request of k waits for at most one of
// a less urgent task, which was there before, and for more urgent ones. As long as it is not done, the device
// works all the time; so it is done after MR_j. CPU stages likewise. Wmax needs more urgent tasks to keep
// their deadlines, which was proven before, and nothing of less urgent ones. Several cores share the device
// alone, and its terms count the tasks of all cores.
//
// Search: B_k falls with the SMs of less urgent tasks, R_k falls with B_k and with its own SMs, and can rise
// with those of more urgent tasks. So a prefix of a split is abandoned when a task in it, or the next task
// with the most SMs it can get, fails although each less urgent task gets the most it can.
#include "tactus/analysis/analyses.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tactus/analysis/allocation_search.hpp"
#include "tactus/analysis/baseline_results.hpp"
#include "tactus/analysis/chain_workload.hpp"

namespace tactus::analysis {

namespace {

using Chains = std::vector<const ChainWorkload*>;

/// The stages of one task on so many SMs, prepared once for all splits.
struct Candidate {
  Stages stages;  // with requests
  Duration own{};
  Duration longest{};  // request
  ChainWorkload cpu;   // empty where the task cannot hold
  ChainWorkload requests;
};

Candidate make_candidate(const FederatedTask& task, const Stages& stages) {
  Candidate result;
  result.stages = with_requests(stages);
  result.own =
      checked_add(worst_time(result.stages, ServerKind::cpu), worst_time(result.stages, ServerKind::gpu));
  result.longest = longest_request(result.stages);
  if (result.own <= task.deadline) {
    result.cpu = ChainWorkload{result.stages, ServerKind::cpu, task.period, task.deadline};
    result.requests = ChainWorkload{result.stages, ServerKind::gpu, task.period, task.deadline};
  }
  return result;
}

/// The sum of the least lengths of all stages of one server; nothing where one of them passes the limit.
std::optional<Duration> sum_of_lengths(const Stages& stages, ServerKind server, Duration before,
                                       const Chains& more_urgent, Duration limit, bool& gave_up) {
  Duration sum{};
  for (const Stage& stage : stages) {
    if (stage.server != server || !stage.is_issued()) continue;
    const FixedPoint length = min_length(more_urgent, checked_add(stage.time.worst, before), limit);
    if (length.outcome == FixedPoint::Outcome::gave_up) gave_up = true;
    if (!length.found()) return std::nullopt;
    sum = checked_add(sum, Duration{length.length});
  }
  return sum;
}

class SelfSuspension {
 public:
  explicit SelfSuspension(const FederatedTasks& tasks) : tasks_{tasks}, candidates_(tasks.tasks.size()) {
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      for (const Stages& stages : tasks.tasks[i].stages) {
        candidates_[i].push_back(make_candidate(tasks.tasks[i], stages));
      }
    }
    for (const Stages& stages : tasks.background) {
      background_ = std::max(background_, longest_request(with_requests(stages)));
    }
  }

  /// The first `judged` tasks under the split.
  [[nodiscard]] Responses responses(const SmCounts& split, std::size_t judged) const {
    Responses responses;
    const std::vector<Duration> blocking = longest_below(split);
    for (std::size_t i = 0; i < judged; ++i) {
      const FederatedTask& task = tasks_.tasks[i];
      bool gave_up = false;
      std::optional<Duration> bound = response_of(split, i, blocking[i], gave_up);
      if (bound) bound = checked_add(*bound, task.jitter);
      // Beyond the period the next job would start late.
      if (bound && *bound > task.period) bound.reset();
      if (!bound || *bound > task.deadline) {
        const Candidate& failed = under(split, i);
        responses.failure = {failed.own, blocking[i], count_requests(failed.stages), gave_up, bound};
        return responses;
      }
      responses.bounds.push_back(*bound);
    }
    return responses;
  }

  [[nodiscard]] bool may_hold(const SmCounts& split, std::size_t chosen) const {
    for (std::size_t i = chosen; i < split.size(); ++i) {
      if (under(split, i).own > tasks_.tasks[i].deadline - tasks_.tasks[i].jitter) return false;
    }
    return responses(split, std::min(chosen + 1, split.size())).hold();
  }

 private:
  [[nodiscard]] const Candidate& under(const SmCounts& split, std::size_t index) const {
    return candidates_[index][static_cast<std::size_t>(split[index])];
  }

  /// B by task.
  [[nodiscard]] std::vector<Duration> longest_below(const SmCounts& split) const {
    std::vector<Duration> below(split.size());
    Duration longest = background_;
    for (std::size_t i = split.size(); i > 0; --i) {
      below[i - 1] = longest;
      longest = std::max(longest, under(split, i - 1).longest);
    }
    return below;
  }

  /// R, where its fixed points are within the deadline.
  [[nodiscard]] std::optional<Duration> response_of(const SmCounts& split, std::size_t index,
                                                    Duration blocking, bool& gave_up) const {
    const FederatedTask& task = tasks_.tasks[index];
    const Candidate& own = under(split, index);
    const Duration limit = task.deadline - task.jitter;
    if (limit < Duration{}) return std::nullopt;
    Chains cpu;
    Chains requests;
    for (std::size_t i = 0; i < index; ++i) {
      const Candidate& other = under(split, i);
      if (!other.requests.is_empty()) requests.push_back(&other.requests);
      if (tasks_.tasks[i].core == task.core && !other.cpu.is_empty()) cpu.push_back(&other.cpu);
    }
    const std::optional<Duration> on_device =
        sum_of_lengths(own.stages, ServerKind::gpu, blocking, requests, limit, gave_up);
    if (!on_device) return std::nullopt;
    // R1 and R2.
    std::optional<Duration> response =
        sum_of_lengths(own.stages, ServerKind::cpu, Duration{}, cpu, limit, gave_up);
    if (response) response = checked_add(*response, *on_device);
    const Duration at_once = checked_add(*on_device, worst_time(own.stages, ServerKind::cpu));
    const FixedPoint together = at_once == Duration{} ? FixedPoint{} : min_length(cpu, at_once, limit);
    if (together.outcome == FixedPoint::Outcome::gave_up) gave_up = true;
    if (together.found() && (!response || Duration{together.length} < *response)) {
      response = Duration{together.length};
    }
    return response;
  }

  const FederatedTasks& tasks_;
  std::vector<std::vector<Candidate>> candidates_;  // by task and SMs
  Duration background_{};
};

std::vector<ResourceUse> find_use(const System& system) {
  return cpu_and_other_use(system, "the shared device", [](const Stages& stages) {
    return worst_time(with_requests(stages), ServerKind::gpu);
  });
}

}  // namespace

Result self_suspension(const System& system) {
  FederatedTasks tasks = tasks_to_split(system);
  if (!tasks.why_not.empty()) return does_not_apply(std::move(tasks.why_not));
  const SmCounts most = max_sms(tasks);
  if (most.empty()) return no_allocation_result(system, tasks, AllocationFound::Outcome::none, find_use);
  const SelfSuspension test{tasks};
  AllocationFound found{AllocationFound::Outcome::found, most};
  if (!tasks.complete) {
    found = find_first_allocation(
        tasks, [&](const SmCounts& split, std::size_t chosen) { return test.may_hold(split, chosen); });
  }
  if (found.outcome != AllocationFound::Outcome::found) {
    return no_allocation_result(system, tasks, found.outcome, find_use);
  }
  Result result = baseline_result(system, tasks, test.responses(found.split, found.split.size()), find_use);
  show_allocation(system, tasks, found.split, result);
  return result;
}

}  // namespace tactus::analysis
