// The baselines against plain simulators of the run-time models in which they hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/baseline_simulators.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "support/small_chains.hpp"
#include "tactus/analysis/analyses.hpp"

namespace tactus::analysis {
namespace {

using test::SharingModel;

struct Baseline {
  const char* name;
  Result (*test)(const System&);
  SharingModel model;
  bool several_cores;
};

struct Tally {
  std::int64_t bounds = 0;   // that were held against a simulation
  std::int64_t met = 0;      // exactly
  std::int64_t blocked = 0;  // most urgent tasks that took longer than they can alone
};

System alone(const System& system, TaskIndex task) {
  System result = system;
  result.tasks = {system.tasks[task]};
  result.virtual_sms = {system.virtual_sms[task]};
  return result;
}

/// Every bound of the system against some runs.
void attack(const Baseline& baseline, std::uint64_t seed, Tally& tally) {
  const System blank = test::small_chain_system(seed, baseline.several_cores);
  const auto sms = test::draw_sms(blank, seed);
  if (!sms) return;
  const System system = test::with_sms(blank, *sms);
  const Result result = baseline.test(system);
  ASSERT_TRUE(result.applies()) << result.why_not;
  std::vector<Duration> longest(system.tasks.size());
  constexpr std::uint64_t runs = 6;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto seen = test::play(system, baseline.model, *sms, seed * runs + run, nanoseconds(600));
    for (std::size_t i = 0; i < seen.size(); ++i)
      longest[i] = std::max(longest[i], seen[i].value_or(Duration{}));
  }
  const TaskIndex first = urgency_order(system)[0];
  const std::optional<Duration> alone_bound = baseline.test(alone(system, first)).tasks[0].bound;
  if (alone_bound && longest[first] > *alone_bound) ++tally.blocked;
  for (std::size_t i = 0; i < longest.size(); ++i) {
    const std::optional<Duration>& bound = result.tasks[i].bound;
    if (!bound) continue;
    ++tally.bounds;
    if (longest[i] == *bound) ++tally.met;
    ASSERT_LE(longest[i], *bound) << baseline.name << ", seed " << seed << ", " << system.tasks[i].name
                                  << "\n"
                                  << test::describe(system);
  }
}

class BaselineSoundness : public testing::TestWithParam<Baseline> {};

TEST_P(BaselineSoundness, NoJobIsLaterThanItsBound) {
  Tally tally;
  constexpr std::uint64_t systems = test::tries(4000);
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + systems; ++seed) {
    attack(GetParam(), seed, tally);
    if (HasFatalFailure()) return;
  }
  // Many bounds are tested, and many are tight: a simulator that does too little would not reach them.
  RecordProperty("bounds", std::to_string(tally.bounds));
  RecordProperty("met", std::to_string(tally.met));
  RecordProperty("blocked", std::to_string(tally.blocked));
  EXPECT_GT(tally.bounds, test::tries(2000));
  EXPECT_GT(tally.met, test::tries(1000));
  EXPECT_GT(tally.blocked, test::tries(100));
}

INSTANTIATE_TEST_SUITE_P(
    Baselines, BaselineSoundness,
    testing::Values(Baseline{"self_suspension", self_suspension, SharingModel::shared_device, true},
                    Baseline{"stgm", stgm, SharingModel::busy_waiting, false},
                    Baseline{"mpcp", mpcp, SharingModel::gpu_lock, false}),
    [](const testing::TestParamInfo<Baseline>& param) { return std::string{param.param.name}; });

}  // namespace
}  // namespace tactus::analysis
