// Periodic tasks inside windows, and systems with offsets, in the short notation of the papers.
#pragma once

#include <cstdint>
#include <vector>

#include "support/gpu_job_systems.hpp"

namespace tactus::test {

/// (C, D, T) and, where they matter, PC and the offset. It can be preempted anywhere unless `block` is given.
struct ShortTask {
  std::int64_t cost = 0;
  std::int64_t deadline = 0;
  std::int64_t period = 0;
  std::int64_t block = 0;
  std::int64_t offset = 0;
};

/// R(O, Q, P).
struct ShortWindow {
  std::int64_t offset = 0;
  std::int64_t budget = 0;
  std::int64_t period = 0;
};

inline System system_of(StrategyRef strategy, const std::vector<ShortTask>& tasks,
                        Arrival arrival = Arrival::periodic) {
  std::vector<Job> jobs;
  jobs.reserve(tasks.size());
  for (const ShortTask& task : tasks) jobs.push_back({task.cost, task.deadline, task.period, task.block});
  System system = gpu_jobs(strategy, Order::edf, jobs, arrival);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    system.tasks[i].offset = nanoseconds(tasks[i].offset);
    system.tasks[i].sm = {SmAffinity::Kind::one, 0};
  }
  return system;
}

/// All tasks on core 0, inside local windows.
inline System in_window(const ShortWindow& window, const std::vector<ShortTask>& tasks,
                        Arrival arrival = Arrival::periodic) {
  System system = system_of(strategy_named("sm-cores"), tasks, arrival);
  system.policy.reservations =
      Reservations{nanoseconds(window.period), Window{nanoseconds(window.offset), nanoseconds(window.budget)},
                   std::nullopt};
  return system;
}

}  // namespace tactus::test
