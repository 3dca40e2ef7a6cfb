#include "tactus/analysis/baseline_results.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "tactus/analysis/server_results.hpp"
#include "tactus/base/text.hpp"
#include "tactus/model/dispatch.hpp"

namespace tactus::analysis {

namespace {

bool is_request(const Stage& stage) { return stage.server == ServerKind::gpu && stage.is_issued(); }

/// Whether something is needed for more than all of its time, and if so the answer that follows.
bool is_overloaded(const System& system, FindUse find_use, Result& result) {
  const System bare = without_overheads(system);
  for (const ResourceUse& use : find_use(bare)) {
    std::optional<Witness> overload = find_overload(use.name, use.shares);
    if (!overload) continue;
    set_answer(result, Verdict::unschedulable, *std::move(overload));
    return true;
  }
  return false;
}

void tell_failure(const System& system, const FederatedTask& task, const FailedResponse& failure,
                  Result& result) {
  const std::string& name = system.tasks[task.task].name;
  if (failure.gave_up) {
    const std::string limit = "its fixed point was not found in a million rounds";
    result.verdict = Verdict::gave_up;
    result.detail = {{"task", name}, {"limit", limit}};
    result.reason = "'" + name + "': " + limit;
    return;
  }
  result.verdict = Verdict::unproven;
  result.detail = {
      {"task", name},          {"deadline_ns", task.deadline},    {"jitter_ns", task.jitter},
      {"own_ns", failure.own}, {"blocking_ns", failure.blocking}, {"times_blocked", failure.times}};
  result.reason = "the response of '" + name + "' may pass its deadline of " + to_text(task.deadline) + ": " +
                  to_text(failure.own) + " of its own";
  if (failure.blocking > Duration{} && failure.times > 0) {
    result.reason += " + " + to_text(failure.blocking) + " blocking by less urgent tasks";
    if (failure.times > 1) result.reason += ", up to " + std::to_string(failure.times) + " times,";
  }
  result.reason += " + more urgent tasks";
  if (task.jitter > Duration{}) result.reason += " + " + to_text(task.jitter) + " until it is seen";
  if (failure.bound) result.reason += "; its bound is " + to_text(*failure.bound);
}

}  // namespace

Stages with_requests(const Stages& stages) {
  Stages merged;
  for (const Stage& stage : stages) {
    const ServerKind server = stage.server == ServerKind::cpu ? ServerKind::cpu : ServerKind::gpu;
    if (merged.empty() || merged.back().server != server) merged.push_back({server, {}});
    Interval& time = merged.back().time;
    time = {checked_add(time.best, stage.time.best), checked_add(time.worst, stage.time.worst)};
  }
  return merged;
}

Duration worst_time(const Stages& stages, ServerKind server) {
  Duration sum{};
  for (const Stage& stage : stages) {
    if (stage.server == server) sum = checked_add(sum, stage.time.worst);
  }
  return sum;
}

std::int64_t count_requests(const Stages& requests) {
  return std::count_if(requests.begin(), requests.end(), is_request);
}

Duration longest_request(const Stages& requests) {
  Duration longest{};
  for (const Stage& stage : requests) {
    if (is_request(stage)) longest = std::max(longest, stage.time.worst);
  }
  return longest;
}

Duration longest_copying(const Stages& stages) {
  Duration longest{};
  Duration copying{};
  for (const Stage& stage : stages) {
    if (stage.server == ServerKind::cpu) copying = Duration{};
    if (stage.server == ServerKind::copy) copying = checked_add(copying, stage.time.worst);
    longest = std::max(longest, copying);
  }
  return longest;
}

std::vector<ResourceUse> cpu_and_other_use(const System& system, const std::string& other,
                                           Duration (*demand)(const Stages& stages)) {
  const FederatedTasks tasks = tasks_to_split(system);
  const SmCounts split = max_sms(tasks);
  if (split.empty()) return {};
  std::map<std::int32_t, ResourceUse> cores;
  ResourceUse shared{other, {}};
  for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
    const FederatedTask& task = tasks.tasks[i];
    const Stages& stages = stages_under(tasks, split, i);
    ResourceUse& core = cores[task.core];
    core.name = "core " + std::to_string(task.core);
    core.shares.push_back({worst_time(stages, ServerKind::cpu).count(), task.period.count()});
    shared.shares.push_back({demand(stages).count(), task.period.count()});
  }
  std::vector<ResourceUse> uses;
  uses.reserve(cores.size() + 1);
  for (auto& [number, core] : cores) uses.push_back(std::move(core));
  uses.push_back(std::move(shared));
  return uses;
}

std::string find_second_core(const System& system) {
  const Task& first = system.tasks.front();
  const auto other = std::find_if(system.tasks.begin(), system.tasks.end(),
                                  [&](const Task& task) { return task.core != first.core; });
  if (other == system.tasks.end()) return {};
  return "tasks '" + first.name + "' and '" + other->name + "' have different CPU cores; needs one core";
}

FederatedTasks tasks_to_split(const System& system) {
  FederatedTasks tasks = federated_tasks(system, StageTable::as_given);
  return tasks.complete ? tasks : federated_tasks(system, StageTable::every_number);
}

Result baseline_result(const System& system, const FederatedTasks& tasks, const Responses& responses,
                       FindUse find_use) {
  Result result = unjudged(system);
  for (std::size_t i = 0; i < responses.bounds.size(); ++i) {
    TaskResult& task = result.tasks[tasks.tasks[i].task];
    task.bound = responses.bounds[i];
    task.ok = true;
  }
  if (responses.hold()) {
    result.verdict = Verdict::schedulable;
    result.reason = "every response time stays within its deadline";
    return result;
  }
  const FederatedTask& failing = tasks.tasks[responses.bounds.size()];
  result.tasks[failing.task].bound = responses.failure->bound;
  if (!is_overloaded(system, find_use, result)) tell_failure(system, failing, *responses.failure, result);
  return result;
}

void show_allocation(const System& system, const FederatedTasks& tasks, const SmCounts& split,
                     Result& result) {
  Detail shown;
  std::string text;
  result.virtual_sms.assign(system.tasks.size(), std::nullopt);
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (!tasks.tasks[i].uses_gpu) continue;
    const std::string& name = system.tasks[tasks.tasks[i].task].name;
    const std::int64_t virtual_sms = split[i] * system.platform.gpu.virtual_sms_per_sm;
    shown.push_back({name, virtual_sms});
    result.virtual_sms[tasks.tasks[i].task] = virtual_sms;
    text += (text.empty() ? "" : ", ") + name + ": " + std::to_string(virtual_sms);
  }
  result.detail.push_back({"virtual_sms", std::move(shown)});
  if (!tasks.complete) result.reason += " with virtual_sms {" + text + "}";
}

Result no_allocation_result(const System& system, const FederatedTasks& tasks,
                            AllocationFound::Outcome outcome, FindUse find_use) {
  Result result = unjudged(system);
  if (is_overloaded(system, find_use, result)) return result;
  result.detail.push_back({"sms", std::max<std::int64_t>(tasks.sms, 0)});
  if (outcome == AllocationFound::Outcome::gave_up) {
    result.verdict = Verdict::gave_up;
    result.detail.push_back({"limit", "the splits of the SMs were too many to try"});
    result.reason = "the splits of the SMs were too many to try";
    return result;
  }
  result.verdict = Verdict::unproven;
  result.reason = "no split of " + std::to_string(std::max<std::int64_t>(tasks.sms, 0)) +
                  " SMs keeps every response time within its deadline";
  return result;
}

}  // namespace tactus::analysis
