// Federated systems of chains in a few words, in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tactus/analysis/analysis.hpp"
#include "tactus/model/system.hpp"

namespace tactus::test {

inline Interval times(std::int64_t best, std::int64_t worst) {
  return {nanoseconds(best), nanoseconds(worst)};
}

inline Segment cpu(std::int64_t best, std::int64_t worst) { return CpuSegment{times(best, worst)}; }
inline Segment cpu(std::int64_t time) { return cpu(time, time); }
inline Segment copy(std::int64_t best, std::int64_t worst) {
  return CopySegment{times(best, worst), std::nullopt, CopyDirection::unspecified};
}
inline Segment copy(std::int64_t time) { return copy(time, time); }
/// GPU work that takes as long on any number of SMs.
inline Segment gpu(std::int64_t best, std::int64_t worst) { return ExclusiveSegment{times(best, worst)}; }
inline Segment gpu(std::int64_t time) { return gpu(time, time); }
/// GPU work that is shared by the virtual SMs.
inline Segment shared_gpu(std::int64_t best, std::int64_t worst) {
  return GpuSegment{times(best, worst), {}, Rational{1}};
}

struct Chain {
  std::int64_t deadline = 1;
  std::int64_t period = 1;
  std::vector<Segment> segments;
  std::optional<std::int64_t> virtual_sms;
  std::int32_t core = 0;
  std::int64_t jitter = 0;
};

inline Task chain_task(const std::string& name, const std::vector<Segment>& segments) {
  Task task;
  task.name = name;
  task.work.form = WorkForm::chain;
  for (const Segment& segment : segments) task.work.nodes.push_back({"", segment});
  return task;
}

/// Sporadic tasks task1, task2, ... from most to least urgent, on eight SMs of one virtual SM each.
inline System federated(const std::vector<Chain>& chains) {
  System system;
  system.name = "test";
  system.platform.clusters = {4};
  system.platform.gpu.sms = 8;
  system.platform.gpu.virtual_sms_per_sm = 1;
  system.policy.strategy = strategy_named("federated");
  system.policy.order = Order::fp;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const Chain& chain = chains[i];
    Task task = chain_task("task" + std::to_string(i + 1), chain.segments);
    task.arrival = Arrival::sporadic;
    task.deadline = nanoseconds(chain.deadline);
    task.period = nanoseconds(chain.period);
    task.jitter = nanoseconds(chain.jitter);
    task.core = chain.core;
    task.priority = static_cast<std::int64_t>(chains.size() - i);
    system.virtual_sms.push_back(uses_gpu(task.work) && !chain.virtual_sms ? 1 : chain.virtual_sms);
    system.tasks.push_back(std::move(task));
  }
  return system;
}

/// Nobody has SMs yet: the analysis is to find them.
inline System without_sms(System system) {
  system.virtual_sms.clear();
  return system;
}

/// -1 for no bound.
inline std::vector<std::int64_t> bounds(const analysis::Result& result) {
  std::vector<std::int64_t> all;
  for (const analysis::TaskResult& task : result.tasks) all.push_back(task.bound ? task.bound->count() : -1);
  return all;
}

}  // namespace tactus::test
