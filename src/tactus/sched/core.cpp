#include "tactus/sched/core.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tactus::sched {

std::string_view strategy_name(StrategyKind kind) {
  constexpr std::array<std::string_view, 6> names{"as-submitted", "single-stream", "multi-stream",
                                                  "sm-cores",     "federated",     "graph"};
  return names.at(static_cast<std::size_t>(kind));
}

std::vector<std::string> refusals(const System& system, const Capabilities& capabilities) {
  const StrategyEntry* entry = find_strategy(system.policy.strategy);
  if (entry != nullptr) return entry->refusals(system, capabilities);
  std::string known;
  for (const StrategyEntry& strategy : strategies()) {
    known += (known.empty() ? "" : ", ") + std::string{strategy.name};
  }
  return {capabilities.engine + " does not have the strategy " +
          std::string{strategy_name(system.policy.strategy)} + " yet; it has: " + known};
}

namespace {

std::uint32_t most_segments(const System& system) {
  std::size_t most = 1;
  for (const Task& task : system.tasks) most = std::max(most, task.work.nodes.size());
  return static_cast<std::uint32_t>(most);
}

}  // namespace

Core::Core(const System& system, std::uint32_t capacity)
    : jobs_{capacity, most_segments(system)}, strategy_{find_strategy(system.policy.strategy)->make(system)} {
  for (const Task& task : system.tasks) {
    const auto index = static_cast<TaskIndex>(tasks_.size());
    std::vector<std::uint32_t> skipped;
    for (std::uint32_t segment = 0; segment < task.work.nodes.size(); ++segment) {
      if (strategy_->skips(index, segment)) skipped.push_back(segment);
    }
    tasks_.push_back({.deadline = task.deadline.value_or(Duration{}),
                      .segments = static_cast<std::uint32_t>(task.work.nodes.size()),
                      .skipped = std::move(skipped),
                      .has_deadline = task.deadline.has_value(),
                      .best_effort = task.arrival == Arrival::best_effort});
  }
  arrivals_.reserve(system.tasks.size());
}

void Core::step(Time now, std::span<const Event> events, Commands& commands) {
  bool repeats = false;
  for (const Event& event : events) {
    if (const auto* finished = std::get_if<Finished>(&event)) {
      const std::size_t before = arrivals_.size();
      handle(*finished, now, commands);
      repeats = repeats || arrivals_.size() != before;
    } else if (const auto* released = std::get_if<Released>(&event)) {
      arrivals_.push_back({*released, false});
    } else if (const auto* timer = std::get_if<TimerFired>(&event)) {
      strategy_->on_timer(timer->timer, now);
    } else if (const auto* stopped = std::get_if<Stopped>(&event)) {
      if (const Job* job = jobs_.find(stopped->operation.job)) {
        strategy_->on_stopped(stopped->operation, *job, stopped->progress);
      }
    } else if (const auto* failed = std::get_if<Failed>(&event)) {
      handle(*failed, commands);
    } else if (const auto* budget = std::get_if<BudgetUsedUp>(&event)) {
      if (jobs_.find(budget->job) != nullptr) strategy_->on_budget_used_up(budget->job);
    } else {
      stopping_ = true;
    }
  }
  if (repeats) {
    std::stable_sort(
        arrivals_.begin(), arrivals_.end(),
        [](const PendingRelease& a, const PendingRelease& b) { return a.released.task < b.released.task; });
  }
  release_all(commands);
  strategy_->schedule(now, jobs_, commands);
}

void Core::handle(const Finished& event, Time now, Commands& commands) {
  const JobTable::Mark mark = jobs_.mark_finished(event.operation);
  if (mark == JobTable::Mark::ignored) return;
  const JobId id = event.operation.job;
  const Job& job = *jobs_.find(id);
  const bool done = mark == JobTable::Mark::job_done;
  strategy_->on_finished(event.operation, job, done);
  if (!done) return;
  finish(id, commands);
  if (tasks_[job.task].best_effort && !stopping_) {
    arrivals_.push_back({Released{.task = job.task, .number = job.number + 1, .nominal = now}, true});
  }
  jobs_.close(id);
}

void Core::finish(JobId id, Commands& commands) {
  const Job& job = *jobs_.find(id);
  commands.emplace_back(Done{
      .job = id, .task = job.task, .number = job.number, .release = job.release, .deadline = job.deadline});
}

void Core::handle(const Failed& event, Commands& commands) {
  const Job* job = jobs_.find(event.operation.job);
  if (job == nullptr) return;
  commands.emplace_back(DropJob{.task = job->task, .number = job->number, .release = job->release});
  strategy_->on_finished(event.operation, *job, true);
  jobs_.close(event.operation.job);
}

void Core::release_all(Commands& commands) {
  for (const PendingRelease& arrival : arrivals_) {
    const Released& released = arrival.released;
    release(released.task, released.number, released.nominal, commands, arrival.repeated);
  }
  arrivals_.clear();
}

void Core::release(TaskIndex task, std::uint64_t number, Time nominal, Commands& commands, bool repeated) {
  const TaskFacts& facts = tasks_[task];
  const Time deadline = facts.has_deadline ? saturating_add(nominal, facts.deadline) : never;
  const std::optional<JobId> id = jobs_.open(task, number, nominal, deadline, facts.segments);
  if (!id) {
    commands.emplace_back(DropJob{.task = task, .number = number, .release = nominal});
    return;
  }
  if (repeated) commands.emplace_back(Repeat{*id});
  for (const std::uint32_t segment : facts.skipped) {
    if (jobs_.mark_finished({*id, segment}) != JobTable::Mark::job_done) continue;
    finish(*id, commands);  // there is nothing in it
    jobs_.close(*id);
    return;
  }
  strategy_->on_released(*id, *jobs_.find(*id));
}

}  // namespace tactus::sched
