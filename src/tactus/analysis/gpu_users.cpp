#include "tactus/analysis/gpu_users.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "tactus/analysis/effort.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

namespace {

GpuUser user_of(const System& system, TaskIndex index) {
  const Task& task = system.tasks[index];
  GpuUser user;
  user.core = task.core;
  user.is_busy = task.wait == Waiting::busy;
  const Stages stages = with_requests(stages_on(system, task, system.platform.gpu.sms));
  user.cpu = worst_time(stages, ServerKind::cpu);
  user.requests = worst_time(stages, ServerKind::gpu);
  user.longest = longest_request(stages);
  user.count = count_requests(stages);
  user.launches = std::count_if(task.work.nodes.begin(), task.work.nodes.end(),
                                [](const Node& node) { return server_of(node.segment) == ServerKind::gpu; });
  user.slice = time_slice_of(system, index);
  for (const Stage& stage : stages) {
    if (stage.server == ServerKind::gpu && stage.is_issued()) user.single.push_back(stage.time.worst);
  }
  return user;
}

std::string why_not_by_node(const System& system) {
  if (!is_by_node(system)) return "needs segments that go to servers of their own";
  const CpuPolicy cores = cpu_policy(system.policy);
  if (cores.order != Order::fp) return "needs cores that serve by fixed priority";
  if (cores.scope != CpuScope::partitioned) return "needs cores that serve their own tasks alone";
  if (!cores.preemptive) return "needs preemptive cores";
  for (const Task& task : system.tasks) {
    for (const Node& node : task.work.nodes) {
      if (core_of(task, node) == task.core) continue;
      return "task '" + task.name + "' has segments on several cores; needs one core a task";
    }
  }
  return {};
}

/// Work that stays on SMs of its own does not share the GPU.
std::string find_waiting_work(const System& system) {
  for (const Task& task : system.tasks) {
    if (dispatch_of(system, task) == Dispatch::launch) continue;
    return "work of task '" + task.name + "' waits on SMs of its own; needs jobs that are launched";
  }
  return {};
}

}  // namespace

bool GpuUsers::has_user_below(std::size_t place) const { return longest_below(place) > Duration{}; }

Duration GpuUsers::longest_below(std::size_t place) const {
  spend_steps(users.size() - place);
  Duration longest{};
  for (std::size_t i = place + 1; i < users.size(); ++i) longest = std::max(longest, users[i].longest);
  for (const GpuUser& user : best_effort) longest = std::max(longest, user.longest);
  return longest;
}

GpuUsers gpu_users(const System& system) {
  GpuUsers result;
  result.tasks = federated_tasks(system, StageTable::as_given);
  result.why_not = result.tasks.why_not;
  if (result.why_not.empty()) result.why_not = find_waiting_work(system);
  if (!result.why_not.empty()) return result;
  for (const FederatedTask& task : result.tasks.tasks) {
    GpuUser& user = result.users.emplace_back(user_of(system, task.task));
    user.period = task.period;
    user.deadline = task.deadline;
    user.jitter = task.jitter;
  }
  for (TaskIndex index = 0; index < system.tasks.size(); ++index) {
    if (system.tasks[index].arrival == Arrival::best_effort)
      result.best_effort.push_back(user_of(system, index));
  }
  const Overheads& overheads = system.platform.overheads;
  result.switching = checked_add(longest_launch(system), overheads.completion);
  return result;
}

GpuUsers gpu_users_by_node(const System& system) {
  std::string why_not = why_not_by_node(system);
  if (why_not.empty()) return gpu_users(system);
  return {.why_not = std::move(why_not)};
}

Responses find_responses(const GpuUsers& users, const FindResponse& find, const FindBlocking& blocked) {
  foresee_pairs(users.users.size());
  Responses responses;
  for (std::size_t i = 0; i < users.users.size(); ++i) {
    const GpuUser& user = users.users[i];
    spend_steps(i);
    FixedPoint response{FixedPoint::Outcome::passes, 0};
    if (user.jitter <= user.deadline) response = find(i, responses.bounds, user.deadline - user.jitter);
    if (!response.found()) {
      const BlockedBy by = blocked(i);
      responses.failure = {checked_add(user.cpu, user.requests),
                           by.longest,
                           by.times,
                           response.outcome == FixedPoint::Outcome::gave_up,
                           {}};
      return responses;
    }
    responses.bounds.push_back(Duration{response.length} + user.jitter);
  }
  return responses;
}

void add_load(Interference& load, Duration cost, Duration period, Duration within) {
  if (cost > Duration{}) load.add(cost, period, std::max(within - cost, Duration{}));
}

FixedPoint min_response(const Interference& load, Int128 work, Duration limit) {
  if (work == 0) return {};
  if (work > limit.count()) return {FixedPoint::Outcome::passes, 0};
  return load.min_length(work, End::open, SupplyBound::always(), limit.count());
}

std::vector<ResourceUse> cores_and_gpu(const System& system) {
  return cores_and_gpu(system, [](const GpuUser& user) { return user.cpu; });
}

std::vector<ResourceUse> cores_and_gpu(const System& system, Duration (*of_core)(const GpuUser& user)) {
  std::map<std::int32_t, ResourceUse> cores;
  ResourceUse gpu{"the GPU", {}};
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (!repeats(system.tasks[task])) continue;
    const GpuUser user = user_of(system, task);
    const std::int64_t period = system.tasks[task].period->count();
    ResourceUse& core = cores[user.core];
    core.name = "core " + std::to_string(user.core);
    core.shares.push_back({of_core(user).count(), period});
    gpu.shares.push_back({user.requests.count(), period});
  }
  std::vector<ResourceUse> uses;
  uses.reserve(cores.size() + 1);
  for (auto& [number, core] : cores) uses.push_back(std::move(core));
  uses.push_back(std::move(gpu));
  return uses;
}

}  // namespace tactus::analysis
