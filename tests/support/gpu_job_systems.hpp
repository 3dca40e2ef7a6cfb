// Systems of whole GPU jobs in a few words, for tests of analyses and strategies.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/model/system.hpp"

namespace tactus::test {

/// A sporadic task of exclusive work, in nanoseconds: (C, D, T) and its longest block (C when it is -1).
struct Job {
  std::int64_t cost = 1;
  std::int64_t deadline = 1;
  std::int64_t period = 1;
  std::int64_t block = -1;
};

inline std::string job_name(std::size_t index) { return "task" + std::to_string(index + 1); }

inline Task exclusive_task(const std::string& name, Arrival arrival, std::int64_t cost, std::int64_t block) {
  Task task;
  task.name = name;
  task.arrival = arrival;
  if (block >= 0) task.longest_block = nanoseconds(block);
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(nanoseconds(cost))}});
  return task;
}

/// Named task1, task2, ... with falling priorities, so that the first is the most urgent under fp.
inline System gpu_jobs(StrategyRef strategy, Order order, const std::vector<Job>& jobs,
                       Arrival arrival = Arrival::sporadic) {
  System system;
  system.name = "test";
  system.platform.gpu.sms = 4;
  system.platform.gpu.priority_levels = 8;
  system.policy.strategy = strategy;
  system.policy.order = order;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Task task = exclusive_task(job_name(i), arrival, jobs[i].cost, jobs[i].block);
    task.deadline = nanoseconds(jobs[i].deadline);
    task.period = nanoseconds(jobs[i].period);
    task.priority = static_cast<std::int64_t>(jobs.size() - i);
    system.tasks.push_back(task);
  }
  return system;
}

inline System one_stream(Order order, const std::vector<Job>& jobs) {
  return gpu_jobs(strategy_named("single-stream"), order, jobs);
}

inline System streams(std::int32_t levels, Order order, const std::vector<Job>& jobs,
                      Refill refill = Refill::lazy) {
  System system = gpu_jobs(strategy_named("multi-stream"), order, jobs);
  system.policy.levels = levels;
  system.policy.refill = refill;
  return system;
}

/// Ideal tasks (longest block 0 unless given) on core 0, in local windows of `budget` from `offset` on.
inline System one_core(std::int64_t offset, std::int64_t budget, std::int64_t period, Order order,
                       std::vector<Job> jobs) {
  for (Job& job : jobs) {
    if (job.block < 0) job.block = 0;
  }
  System system = gpu_jobs(strategy_named("sm-cores"), order, jobs);
  for (Task& task : system.tasks) task.sm = {SmAffinity::Kind::one, 0};
  system.policy.reservations =
      Reservations{nanoseconds(period), Window{nanoseconds(offset), nanoseconds(budget)}, std::nullopt};
  return system;
}

inline void add_best_effort(System& system, std::int64_t cost, std::int64_t block = -1) {
  Task task =
      exclusive_task("background" + std::to_string(system.tasks.size()), Arrival::best_effort, cost, block);
  if (system.policy.strategy == strategy_named("sm-cores")) task.sm = {SmAffinity::Kind::one, 0};
  system.tasks.push_back(task);
}

/// Bounds in nanoseconds, -1 where there is none.
inline std::vector<std::int64_t> bounds_of(const analysis::Result& result) {
  std::vector<std::int64_t> bounds;
  for (const analysis::TaskResult& task : result.tasks)
    bounds.push_back(task.bound ? task.bound->count() : -1);
  return bounds;
}

}  // namespace tactus::test
