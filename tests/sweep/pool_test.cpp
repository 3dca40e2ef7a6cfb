#include "tactus/sweep/pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <vector>

#include "support/no_threads.hpp"
#include "tactus/base/error.hpp"
#include "tactus/sweep/read_experiment.hpp"

namespace tactus::sweep {
namespace {

Experiment small_experiment() {
  const ReadExperimentResult read = read_experiment(
      "tactus-experiment: 1\ngenerator: {kind: gpu-jobs, periods: [1ms], tasks: 2}\n"
      "vary: {parameter: utilisation, values: [0.5]}\nanalyses: [np-edf]\nsystems: 20\n",
      "test.yaml");
  if (!read.experiment) throw InputError{read.problems};
  return *read.experiment;
}

std::int64_t judged_systems(Pool& pool) {
  std::int64_t sum = 0;
  while (pool.in_flight() > 0) {
    for (const Judged& judged : pool.take(std::chrono::milliseconds{100})) {
      EXPECT_FALSE(judged.error);
      sum += judged.batch.systems.count();
    }
  }
  return sum;
}

TEST(Pool, JudgesOnItsThreads) {
  const Experiment experiment = small_experiment();
  Pool pool{experiment, 2, {}};
  EXPECT_EQ(pool.threads(), 2U);
  EXPECT_FALSE(pool.refusal());
  for (std::int64_t i = 0; i < 4; ++i) pool.submit({0, {5 * i, 5 * i + 5}});
  EXPECT_EQ(judged_systems(pool), 20);
}

TEST(Pool, WithoutThreadsTheCallerJudges) {
  const Experiment experiment = small_experiment();
  const test::NoThreads limit;
  Pool pool{experiment, 16, {}};
  EXPECT_EQ(pool.threads(), 1U);
  EXPECT_TRUE(pool.refusal());
  for (std::int64_t i = 0; i < 4; ++i) pool.submit({0, {5 * i, 5 * i + 5}});
  EXPECT_EQ(judged_systems(pool), 20);
}

TEST(Pool, WithoutThreadsAStopIsHeeded) {
  const Experiment experiment = small_experiment();
  const test::NoThreads limit;
  const std::atomic<bool> stop{true};
  Pool pool{experiment, 16, {.stop = &stop}};
  pool.submit({0, {0, 20}});
  EXPECT_EQ(judged_systems(pool), 0);
}

}  // namespace
}  // namespace tactus::sweep
