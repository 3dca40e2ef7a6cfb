// block-rta against the simulator, on 10,000 random systems with equal blocks.
#include <gtest/gtest.h>

#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "support/recording.hpp"
#include "tactus/analysis/analyses.hpp"
#include "tactus/analysis/block_rta.hpp"
#include "tactus/sim/simulate.hpp"

namespace tactus::test {
namespace {

constexpr std::uint64_t shards = 10;
constexpr std::uint64_t systems_per_shard = tries<std::uint64_t>(1000);

std::vector<trace::JobEnded> simulate(const System& system, Execution execution, std::uint64_t seed) {
  Recorder recorder{Recorder::Blocks::unwanted};
  trace::Observer* observers[] = {&recorder};
  sim::SimulationOptions options;
  options.execution = execution;
  options.seed = seed;
  // Random times need more than two periods to meet badly.
  const std::optional<Duration>& period = system.tasks.front().period;
  if (period && execution == Execution::random) options.horizon = *period * 20;
  sim::simulate(system, options, observers);
  return recorder.recording.ends;
}

/// What the recurrence itself says of one job of each task, whether it proves anything or not.
std::vector<Time> synchronous_completions(const System& system) {
  std::vector<analysis::EqualBlockKernel> kernels;
  std::int64_t slots = 0;
  for (const Task& task : system.tasks) {
    const auto& kernel = std::get<KernelSegment>(task.work.nodes.front().segment);
    kernels.push_back({time_at(task.offset), kernel.block_time.worst, kernel.blocks()});
    slots = system.platform.gpu.sms *
            blocks_per_sm(block_demand(kernel, system.platform.gpu), system.platform.gpu);
  }
  return analysis::equal_block_completions(kernels, slots);
}

void expect_never_exceeded(const System& system, const analysis::Result& result, std::uint64_t seed) {
  for (const trace::JobEnded& job : simulate(system, Execution::random, seed)) {
    const auto& bound = result.tasks[job.job.task].bound;
    if (!bound || job.completion == never) continue;
    ASSERT_LE(job.completion - job.release, *bound) << "seed " << seed << "\n" << describe(system);
  }
}

class BlockRtaAgainstSimulation : public testing::TestWithParam<std::uint64_t> {};

TEST_P(BlockRtaAgainstSimulation, IsExactInTheWorstCaseAndNeverExceeded) {
  std::size_t proven = 0;
  std::size_t refuted = 0;
  for (std::uint64_t i = 0; i < systems_per_shard; ++i) {
    const std::uint64_t seed = first_seed() + GetParam() * systems_per_shard + i;
    const System system = equal_block_system(seed);
    const analysis::Result result = analysis::block_rta(system);
    ASSERT_TRUE(result.applies()) << result.why_not << "\n" << describe(system);
    const bool schedulable = result.verdict == analysis::Verdict::schedulable;
    (schedulable ? proven : refuted) += 1;

    const std::vector<Time> completions = synchronous_completions(system);
    bool missed = false;
    for (const trace::JobEnded& job : simulate(system, Execution::worst, seed)) {
      missed = missed || job.missed;
      if (job.job.number == 0 && job.completion != never) {
        ASSERT_EQ(job.completion, completions[job.job.task]) << "seed " << seed << "\n" << describe(system);
      }
      if (const auto& bound = result.tasks[job.job.task].bound; bound && job.completion != never) {
        ASSERT_EQ(job.completion - job.release, *bound) << "seed " << seed << "\n" << describe(system);
      }
    }
    if (schedulable) {
      ASSERT_FALSE(missed) << "seed " << seed << "\n" << describe(system);
    }
    if (result.verdict == analysis::Verdict::unschedulable && system.tasks.front().arrival == Arrival::once) {
      ASSERT_TRUE(missed) << "seed " << seed << "\n" << describe(system);
    }

    expect_never_exceeded(system, result, seed);
    // What the machine adds: either the analysis does not apply, or its bound still holds.
    System slower = system;
    slower.platform.overheads.completion = nanoseconds(static_cast<std::int64_t>(seed % 9));
    if (seed % 3 == 0) {
      slower.tasks.resize(1);
      slower.platform.overheads.launch = nanoseconds(static_cast<std::int64_t>(seed % 200));
    }
    if (const analysis::Result bounds = analysis::block_rta(slower); bounds.applies()) {
      expect_never_exceeded(slower, bounds, seed);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  // The generator must give both answers, or the test shows little.
  EXPECT_GT(proven, systems_per_shard / 20);
  EXPECT_GT(refuted, systems_per_shard / 20);
}

INSTANTIATE_TEST_SUITE_P(Shard, BlockRtaAgainstSimulation, testing::Range(std::uint64_t{0}, shards));

}  // namespace
}  // namespace tactus::test
