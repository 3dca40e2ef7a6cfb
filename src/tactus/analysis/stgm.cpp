// stgm: every job waits for the GPU by spinning on the CPU.
//
// Claim: R_k + J_k bounds the response time of task k, where
//   R_k  = least R with R = C'_k + B_k + sum over more urgent i of ceil((R + J_i)/T_i) C'_i
//   C'   = all of a job: CPU + copies + GPU work on its SMs
//   B_k  = sum over less urgent tasks of the most copying within one run of copies and GPU work;
//          0 if neither k nor a more urgent task copies
// as long as R_k + J_k <= D_k. Without `virtual_sms` it takes the first split of the SMs that holds.
//
// Source: the baseline STGM (spatio-temporal GPU management) of the RTGPU paper, in our own form.
//
// Run-time model (not that of `federated`): one CPU core with preemptive fixed priorities. A job hands a run
// of copies and GPU work to the machine while it holds the CPU, and then keeps the CPU, spinning, until the
// run is over; a more urgent job may preempt it while its run goes on. This holds behind a CPU segment of no
// length, too. One copy engine, not preemptive, most urgent first; GPU work has SMs of its own. Periodic or
// sporadic chains, D <= T; a best-effort task is less urgent than all others.
//
// Kind: sufficient.
//
// Soundness: sound in its run-time model; never part of a verdict. Take a time in which jobs of k or more
// urgent ones are always there. One of them holds the CPU at every instant, and one of three things happens:
// it goes on itself (its CPU code, its copy, its GPU work); or it waits for the copy engine, which does a
// copy of another such job; or the engine does a copy of a less urgent task. Each instant is charged to one
// piece of work, and no piece is charged more than its length, so the first two are covered by the C' of the
// jobs involved. A less urgent task cannot get the CPU, so all it copies belongs to the one run that was
// under way: that is B_k. Hence the busy time ends after R_k, and it holds one job of k. With several cores
// less urgent tasks go on copying, and more urgent ones copy without taking this CPU, so it does not apply.
//
// Search: R_k falls with its own SMs and with those of more urgent tasks, and does not depend on the others.
// So a prefix that fails although every remaining task gets the most it can, fails for all completions.
#include "tactus/analysis/analyses.hpp"

#include <utility>
#include <vector>

#include "tactus/analysis/allocation_search.hpp"
#include "tactus/analysis/baseline_results.hpp"
#include "tactus/analysis/interference.hpp"

namespace tactus::analysis {

namespace {

/// B_k by task. Copies do not depend on the SMs.
std::vector<Duration> blocking_by_copies(const FederatedTasks& tasks, const SmCounts& some_split) {
  const std::size_t size = tasks.tasks.size();
  Duration less_urgent{};
  for (const Stages& stages : tasks.background) {
    less_urgent = checked_add(less_urgent, longest_copying(stages));
  }
  std::vector<Duration> copying(size);
  for (std::size_t i = 0; i < size; ++i) copying[i] = longest_copying(stages_under(tasks, some_split, i));
  std::vector<Duration> blocking(size);
  for (std::size_t i = size; i > 0; --i) {
    blocking[i - 1] = less_urgent;
    less_urgent = checked_add(less_urgent, copying[i - 1]);
  }
  // Tasks that never use the copy engine do not wait for it.
  for (std::size_t i = 0; i < size && copying[i] == Duration{}; ++i) blocking[i] = Duration{};
  return blocking;
}

Responses responses_of(const FederatedTasks& tasks, const SmCounts& split,
                       const std::vector<Duration>& blocking) {
  Responses responses;
  Interference more_urgent{tasks.tasks.size()};
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const FederatedTask& task = tasks.tasks[i];
    const Duration cost = longest_job(stages_under(tasks, split, i));  // C'
    const Duration work = checked_add(cost, blocking[i]);
    const Duration limit = task.deadline - task.jitter;
    FixedPoint response;
    if (work > limit) {
      response.outcome = FixedPoint::Outcome::passes;
    } else if (work > Duration{}) {
      response = more_urgent.min_length(work.count(), End::open, SupplyBound::always(), limit.count());
    }
    if (!response.found()) {
      responses.failure = {cost, blocking[i], 1, response.outcome == FixedPoint::Outcome::gave_up, {}};
      return responses;
    }
    responses.bounds.push_back(Duration{response.length} + task.jitter);
    if (cost > Duration{}) more_urgent.add(cost, task.period, task.jitter);
  }
  return responses;
}

/// The certain demand. Waiting is left out: the GPU works on while a job that
/// waits is preempted.
std::vector<ResourceUse> find_use(const System& system) {
  return cpu_and_other_use(system, "the copy engine",
                           [](const Stages& stages) { return worst_time(stages, ServerKind::copy); });
}

}  // namespace

Result stgm(const System& system) {
  FederatedTasks tasks = tasks_to_split(system);
  if (tasks.why_not.empty()) tasks.why_not = find_second_core(system);
  if (!tasks.why_not.empty()) return does_not_apply(std::move(tasks.why_not));
  const SmCounts most = max_sms(tasks);
  if (most.empty()) return no_allocation_result(system, tasks, AllocationFound::Outcome::none, find_use);
  const std::vector<Duration> blocking = blocking_by_copies(tasks, most);
  AllocationFound found{AllocationFound::Outcome::found, most};
  if (!tasks.complete) {
    found = find_first_allocation(tasks, [&](const SmCounts& split, std::size_t) {
      return responses_of(tasks, split, blocking).hold();
    });
  }
  if (found.outcome != AllocationFound::Outcome::found) {
    return no_allocation_result(system, tasks, found.outcome, find_use);
  }
  Result result = baseline_result(system, tasks, responses_of(tasks, found.split, blocking), find_use);
  show_allocation(system, tasks, found.split, result);
  return result;
}

}  // namespace tactus::analysis
