// Systems of one core or one GPU, in the short notation of the papers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/model/presets.hpp"
#include "tactus/model/system.hpp"

namespace tactus::test {

/// (C, D, T) and, where it matters, PC: exclusive work that can be preempted anywhere unless `block` is
/// given.
struct ShortTask {
  std::int64_t cost = 0;
  std::int64_t deadline = 0;
  std::int64_t period = 0;
  std::int64_t block = 0;
  std::int64_t offset = 0;
};

struct ShortWindow {
  std::int64_t offset = 0;
  std::int64_t budget = 0;
  std::int64_t period = 0;
};

inline void add_task(System& system, const ShortTask& from, Arrival arrival = Arrival::periodic) {
  Task task;
  task.name = std::to_string(system.tasks.size() + 1).insert(0, 1, 't');
  task.arrival = arrival;
  task.period = nanoseconds(from.period);
  task.deadline = nanoseconds(from.deadline);
  task.offset = nanoseconds(from.offset);
  task.longest_block = nanoseconds(from.block);
  task.sm = {SmAffinity::Kind::one, 0};
  task.work.nodes.push_back({"", ExclusiveSegment{Interval::exactly(nanoseconds(from.cost))}});
  system.tasks.push_back(task);
}

inline System system_of(StrategyKind strategy, const std::vector<ShortTask>& tasks,
                        Arrival arrival = Arrival::periodic) {
  System system;
  system.name = "test";
  system.platform = *find_preset("jetson-tx2");
  system.policy.strategy = strategy;
  for (const ShortTask& task : tasks) add_task(system, task, arrival);
  return system;
}

/// All tasks on core 0, inside `window`.
inline System in_window(const ShortWindow& window, const std::vector<ShortTask>& tasks,
                        Arrival arrival = Arrival::periodic) {
  System system = system_of(StrategyKind::sm_cores, tasks, arrival);
  Reservations reservations;
  reservations.period = nanoseconds(window.period);
  reservations.local = Window{nanoseconds(window.offset), nanoseconds(window.budget)};
  system.policy.reservations = reservations;
  return system;
}

inline void add_best_effort(System& system, std::int64_t time, std::int64_t block) {
  add_task(system, {time, 1, 1, block}, Arrival::best_effort);
  system.tasks.back().name = "background";
  system.tasks.back().period.reset();
  system.tasks.back().deadline.reset();
}

}  // namespace tactus::test
