// Other ways to share a GPU against a plain simulator of the run-time models in which they hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/dice.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/gpu_sharing_simulator.hpp"
#include "support/random_systems.hpp"
#include "support/small_chains.hpp"
#include "tactus/analysis/analyses.hpp"

namespace tactus::analysis {
namespace {

using test::GpuSharing;

enum class Waits : std::uint8_t { suspended, busy, mixed };

struct Way {
  const char* name;
  Result (*test)(const System&);
  GpuSharing sharing;
  Waits waits;
};

/// Small chains on two cores, with waiting and turns of all lengths.
System draw_system(std::uint64_t seed, Waits waits) {
  System system = test::small_chain_system(seed, true);
  test::Dice dice{seed ^ 0x5eedU};
  system.policy.time_slice = dice.duration(1, 5);
  if (dice.percent(40)) {
    system.platform.overheads.launch = dice.duration(0, 2);
    system.platform.overheads.completion = dice.duration(0, 2);
  }
  for (Task& task : system.tasks) {
    const bool is_busy = waits == Waits::busy || (waits == Waits::mixed && dice.percent(50));
    task.wait = is_busy ? Waiting::busy : Waiting::suspend;
    if (dice.percent(30)) task.time_slice = dice.duration(1, 5);
  }
  return system;
}

struct Tally {
  std::int64_t bounds = 0;  // that were held against a simulation
  std::int64_t met = 0;     // exactly
  std::int64_t below = 0;   // most urgent tasks that took longer than they can alone
};

System alone(const System& system, TaskIndex task) {
  System result = system;
  result.tasks = {system.tasks[task]};
  return result;
}

/// Every bound of the system against some runs.
void attack(const Way& way, std::uint64_t seed, Tally& tally) {
  const System system = draw_system(seed, way.waits);
  const Result result = way.test(system);
  if (!result.applies()) return;
  std::vector<Duration> longest(system.tasks.size());
  constexpr std::uint64_t runs = 6;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto seen = test::play(system, way.sharing, seed * runs + run, nanoseconds(600));
    for (std::size_t i = 0; i < seen.size(); ++i)
      longest[i] = std::max(longest[i], seen[i].value_or(Duration{}));
  }
  const TaskIndex first = urgency_order(system)[0];
  const std::optional<Duration> alone_bound = way.test(alone(system, first)).tasks[0].bound;
  if (alone_bound && longest[first] > *alone_bound) ++tally.below;
  for (std::size_t i = 0; i < longest.size(); ++i) {
    const std::optional<Duration>& bound = result.tasks[i].bound;
    if (!bound) continue;
    ++tally.bounds;
    if (longest[i] == *bound) ++tally.met;
    ASSERT_LE(longest[i], *bound) << way.name << ", seed " << seed << ", " << system.tasks[i].name << "\n"
                                  << test::describe(system);
  }
}

class GpuSharingSoundness : public testing::TestWithParam<Way> {};

TEST_P(GpuSharingSoundness, NoJobIsLaterThanItsBound) {
  Tally tally;
  constexpr std::uint64_t systems = test::tries(3000);
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + systems; ++seed) {
    attack(GetParam(), seed, tally);
    if (HasFatalFailure()) return;
  }
  // Many bounds are tested, and many are tight: a simulator that does too little would not reach them.
  RecordProperty("bounds", std::to_string(tally.bounds));
  RecordProperty("met", std::to_string(tally.met));
  RecordProperty("below", std::to_string(tally.below));
  EXPECT_GT(tally.bounds, test::tries(1500));
  EXPECT_GT(tally.met, test::tries(500));
  EXPECT_GT(tally.below, test::tries(20));
}

INSTANTIATE_TEST_SUITE_P(
    GpuSharing, GpuSharingSoundness,
    testing::Values(Way{"gpu_lock", gpu_lock, GpuSharing::lock, Waits::suspended},
                    Way{"gpu_lock_mixed", gpu_lock, GpuSharing::lock, Waits::mixed},
                    Way{"gpu_lock_busy", gpu_lock, GpuSharing::lock, Waits::busy},
                    Way{"gpu_server", gpu_server, GpuSharing::server, Waits::mixed},
                    Way{"gpu_preemptive", gpu_preemptive, GpuSharing::preemptive, Waits::suspended},
                    Way{"gpu_preemptive_mixed", gpu_preemptive, GpuSharing::preemptive, Waits::mixed},
                    Way{"gpu_preemptive_busy", gpu_preemptive, GpuSharing::preemptive, Waits::busy},
                    Way{"gpu_round_robin", gpu_round_robin, GpuSharing::round_robin, Waits::suspended},
                    Way{"gpu_round_robin_busy", gpu_round_robin, GpuSharing::round_robin, Waits::mixed},
                    Way{"gpu_as_cpu", gpu_as_cpu, GpuSharing::spin, Waits::mixed}),
    [](const testing::TestParamInfo<Way>& param) { return std::string{param.param.name}; });

}  // namespace
}  // namespace tactus::analysis
