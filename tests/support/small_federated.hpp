// Random federated systems without priorities, small enough to try every division and every order.
#pragma once

#include <cstdint>
#include <vector>

#include "support/chains.hpp"
#include "support/dice.hpp"

namespace tactus::test {

/// 2 or 3 tasks on 3 to 6 SMs of two virtual SMs. Chains of 1 or 2 subtasks CPU, copy, GPU, copy, each part
/// left out one time in six; CPU 1 to 12, copies 0 to 6, GPU work 1 to 60 us; best cases are 0, half or all
/// of the worst ones. Deadlines are 0.7 to 1.7 times the time that all of a job takes on one virtual SM,
/// periods up to twice that. One task in ten has its SMs already, one in twelve is best-effort; jitter in one
/// system of five; one or two cores. `tasks` overrides how many.
inline System small_federated_system(std::uint64_t seed, std::int64_t tasks = 0) {
  constexpr std::int64_t unit = 1000;
  Dice dice{seed};
  std::vector<Chain> chains;
  const std::int64_t count = tasks > 0 ? tasks : dice.between(2, 3);
  const bool jitter = dice.between(0, 4) == 0;
  const std::int32_t cores = dice.small(1, 2);
  const auto best = [&](std::int64_t worst) { return worst * dice.between(0, 2) / 2; };
  for (std::int64_t i = 0; i < count; ++i) {
    Chain chain;
    std::int64_t length = 1;
    const std::int64_t subtasks = dice.between(1, 2);
    for (std::int64_t j = 0; j < 4 * subtasks; ++j) {
      if (dice.between(0, 5) == 0) continue;
      const std::int64_t most = j % 4 == 2 ? 60 : j % 4 == 0 ? 12 : 6;
      const std::int64_t time = unit * dice.between(j % 4 % 2 == 0 ? 1 : 0, most);
      const std::int64_t least = best(time);
      length += time;
      if (j % 4 == 2) {
        chain.segments.push_back(shared_gpu(least, time));
      } else {
        chain.segments.push_back(j % 4 == 0 ? cpu(least, time) : copy(least, time));
      }
    }
    if (chain.segments.empty()) chain.segments.push_back(cpu(unit));
    chain.deadline = length * dice.between(70, 170) / 100;
    chain.period = chain.deadline + dice.between(0, chain.deadline);
    chain.core = dice.small(0, cores - 1);
    if (jitter) chain.jitter = dice.between(0, length / 4);
    chains.push_back(chain);
  }
  System system = without_sms(federated(chains));
  system.platform.gpu.sms = dice.small(3, 6);
  system.platform.gpu.virtual_sms_per_sm = 2;
  for (Task& task : system.tasks) {
    task.priority.reset();
    const bool gives = dice.between(0, 9) == 0;
    const auto index = static_cast<std::size_t>(&task - system.tasks.data());
    if (gives && uses_gpu(task.work)) {
      system.virtual_sms.resize(system.tasks.size());
      system.virtual_sms[index] = 2;
    }
    if (index > 0 && dice.between(0, 11) == 0) {
      task.arrival = Arrival::best_effort;
      task.period.reset();
      task.deadline.reset();
      task.jitter = {};
      task.work.nodes.push_back({"", cpu(unit)});  // it must take time
    }
  }
  return system;
}

}  // namespace tactus::test
