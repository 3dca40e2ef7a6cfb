#include "tactus/analysis/stgm.hpp"

#include <utility>
#include <vector>

#include "tactus/analysis/allocation_search.hpp"
#include "tactus/analysis/baseline_results.hpp"
#include "tactus/analysis/device_requests.hpp"
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

/// C'_k.
Duration cost_of(const Stages& stages) {
  Duration cost{};
  for (const Stage& stage : stages) cost = checked_add(cost, stage.time.worst);
  return cost;
}

Responses responses_of(const FederatedTasks& tasks, const SmCounts& split,
                       const std::vector<Duration>& blocking) {
  Responses responses;
  Interference more_urgent{tasks.tasks.size()};
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const FederatedTask& task = tasks.tasks[i];
    const Duration cost = cost_of(stages_under(tasks, split, i));
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
  const FederatedTasks tasks = tasks_to_split(system);
  const SmCounts split = max_sms(tasks);
  if (split.empty()) return {};
  std::vector<ResourceUse> uses = cpu_use(tasks, split);
  ResourceUse copies{"the copy engine", {}};
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const Duration copying = worst_time(stages_under(tasks, split, i), ServerKind::copy);
    copies.shares.push_back({copying.count(), tasks.tasks[i].period.count()});
  }
  uses.push_back(std::move(copies));
  return uses;
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

Analysis stgm_analysis() {
  return {.id = "stgm",
          .title = "Busy waiting for the GPU, SMs of one's own",
          .source = "RTGPU's baseline STGM, in our own form",
          .strategy = "federated",
          .needs =
              "federated, one CPU core; periodic or sporadic chains, deadlines no longer than periods; finds "
              "virtual_sms if not given",
          .kind = Kind::sufficient,
          .sound = true,
          .run = stgm,
          .run_time_model = "jobs wait for copies and GPU busily on the CPU",
          .searches_sms = true};
}

}  // namespace tactus::analysis
