// rtgpu-tight: what it gains over rtgpu, and that it never loses.
#include "tactus/analysis/analyses.hpp"

#include <gtest/gtest.h>

#include "support/chain_bounds.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/plain_tight.hpp"
#include "tactus/analysis/chain_groups.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/falsify/borderline_systems.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::test {
namespace {

using analysis::ChainAbove;
using analysis::FederatedTasks;
using analysis::Result;
using analysis::Verdict;

/// The twins do not count the time of the engine.
falsify::Family chains() {
  falsify::Family family = *falsify::family_of("rtgpu");
  family.engine = falsify::EngineNeeds::no_time;
  return family;
}

System read(const std::string& text) {
  const ReadResult result = read_system(text, "test.yaml");
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.message;
  return result.system.value();
}

class RandomChains : public testing::TestWithParam<int> {};

TEST_P(RandomChains, TightBoundsAreNeverLonger) {
  int shorter = 0;
  int proven = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    falsify::Dice dice{first_seed() + static_cast<std::uint64_t>(GetParam()), i};
    const System system = falsify::random_system(chains(), dice);
    const Result wide = analysis::find("rtgpu")->run(system);
    const Result tight = analysis::rtgpu_tight(system);
    ASSERT_EQ(wide.applies(), tight.applies());
    for (std::size_t task = 0; task < system.tasks.size(); ++task) {
      if (!wide.tasks[task].bound) continue;
      ++proven;
      ASSERT_TRUE(tight.tasks[task].bound) << "system " << i << ", task " << task;
      ASSERT_LE(*tight.tasks[task].bound, *wide.tasks[task].bound) << "system " << i << ", task " << task;
      shorter += *tight.tasks[task].bound < *wide.tasks[task].bound ? 1 : 0;
    }
  }
  EXPECT_GT(proven, 300);
  EXPECT_GT(shorter, 5);
}

TEST_P(RandomChains, ReasonsNameNoTermsOfNothing) {
  int told = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    falsify::Dice dice{first_seed() + 300 + static_cast<std::uint64_t>(GetParam()), i};
    const System system = falsify::random_system(chains(), dice);
    for (const Result& result : {analysis::find("rtgpu")->run(system), analysis::rtgpu_tight(system)}) {
      EXPECT_EQ(result.reason.find(" 0ns "), std::string::npos) << result.reason;
      told += result.reason.find(" + ") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_GT(told, 10);
}

// The mutants are this with one switch on: without any it must be the test itself.
TEST_P(RandomChains, TheBoundsBehindTheMutantsAreThoseOfRtgpu) {
  for (std::uint64_t i = 0; i < 400; ++i) {
    falsify::Dice dice{first_seed() + 100 + static_cast<std::uint64_t>(GetParam()), i};
    const System system = falsify::random_system(chains(), dice);
    const FederatedTasks tasks = analysis::federated_tasks(system, analysis::StageTable::as_given);
    if (tasks.tasks.front().among_such) continue;  // there rtgpu is the textbook
    const Result result = analysis::find("rtgpu")->run(system);
    const std::vector<std::optional<Duration>> bounds = chain_bounds(system, {});
    for (std::size_t task = 0; task < system.tasks.size(); ++task) {
      const std::optional<Duration>& deadline = system.tasks[task].deadline;
      const std::optional<Duration>& bound = result.tasks[task].bound;
      const bool within = bound && *bound <= *deadline;
      EXPECT_EQ(within ? bound : std::nullopt, bounds[task]) << "system " << i << ", task " << task;
    }
  }
}

// The plain one tries all divisions, with groups that begin and end anywhere.
TEST_P(RandomChains, TightBoundsAreThoseOfThePlainTwin) {
  int compared = 0;
  int failed = 0;
  for (std::uint64_t i = 0; i < tries<std::uint64_t>(400); ++i) {
    falsify::Dice dice{first_seed() + 300 + static_cast<std::uint64_t>(GetParam()), i};
    const System system = falsify::random_system(chains(), dice);
    const Result result = analysis::rtgpu_tight(system);
    const std::vector<std::optional<Duration>> plain = tight_bounds_plainly(system);
    for (std::size_t task = 0; task < system.tasks.size(); ++task) {
      const std::optional<Duration>& bound = result.tasks[task].bound;
      const bool within = bound && *bound <= *system.tasks[task].deadline;
      EXPECT_EQ(within ? bound : std::nullopt, plain[task]) << "system " << i << ", task " << task;
      ++compared;
    }
    failed += result.verdict == Verdict::schedulable ? 0 : 1;
  }
  EXPECT_GT(compared, tries(600));
  EXPECT_GT(failed, tries(50));
}

TEST_P(RandomChains, CpuAndCopiesTogetherAreNoMoreThanApart) {
  for (std::uint64_t i = 0; i < 400; ++i) {
    falsify::Dice dice{first_seed() + 200 + static_cast<std::uint64_t>(GetParam()), i};
    const System system = falsify::random_system(chains(), dice);
    const FederatedTasks tasks = analysis::federated_tasks(system, analysis::StageTable::as_given);
    for (const analysis::FederatedTask& task : tasks.tasks) {
      const analysis::Stages& stages = task.stages[static_cast<std::size_t>(*task.sms)];
      Duration sum{};
      for (const analysis::Stage& stage : stages) sum += stage.time.worst;
      if (sum + task.jitter > task.period) continue;
      const ChainAbove above{task, stages, std::max(sum, Duration{dice.between(1, in_ns(task.period))})};
      for (int j = 0; j < 20; ++j) {
        const Duration length{dice.between(0, 3 * in_ns(task.period))};
        EXPECT_LE(above.both.at(length).work, above.cpu.at(length).work + above.copies.at(length).work);
        EXPECT_LE(above.both.at(length).work, length);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shard, RandomChains, testing::Range(0, 5));

// Copies of a less urgent task block each once. The long one can be in the way of one of the three copies of
// `urgent` only, if `less` keeps its deadline.
TEST(RtgpuTight, ALongCopyIsInTheWayOnce) {
  const System system = read(
      "tactus: 1\nplatform: {cpus: 1, gpu: {sms: 2, virtual_sms_per_sm: 1}}\n"
      "policy: {strategy: federated, virtual_sms: {urgent: 1}}\ntasks:\n"
      "  - {name: urgent, period: 40ns, segments: [{copy: 1ns}, {gpu: {work: 1ns}}, {copy: 1ns}, "
      "{gpu: {work: 1ns}}, {copy: 1ns}]}\n"
      "  - {name: less, period: 100ns, segments: [{copy: 9ns}, {cpu: 1ns}, {copy: 2ns}]}\n");
  const Result wide = analysis::find("rtgpu")->run(system);
  const Result tight = analysis::rtgpu_tight(system);
  ASSERT_EQ(tight.verdict, Verdict::schedulable);
  EXPECT_EQ(wide.tasks[0].bound, Duration{32}) << "5 + 3 * 9";
  // Two jobs of `less` can be there in 40 + 100: 9 + 9 + 2 would be possible.
  EXPECT_EQ(tight.tasks[0].bound, Duration{25}) << "5 + 9 + 9 + 2";
}

// Where a less urgent task fails, nothing may be concluded from its keeping its deadline.
TEST(RtgpuTight, PresumesNothingOfATaskThatFails) {
  const System system = read(
      "tactus: 1\nplatform: {cpus: 1, gpu: {sms: 2, virtual_sms_per_sm: 1}}\n"
      "policy: {strategy: federated, virtual_sms: {urgent: 1}}\ntasks:\n"
      "  - {name: urgent, period: 40ns, segments: [{copy: 1ns}, {gpu: {work: 1ns}}, {copy: 1ns}, "
      "{gpu: {work: 1ns}}, {copy: 1ns}]}\n"
      "  - {name: less, period: 100ns, deadline: 50ns, segments: [{copy: 9ns}, {cpu: 40ns}, {copy: 2ns}]}\n");
  const Result tight = analysis::rtgpu_tight(system);
  ASSERT_EQ(tight.verdict, Verdict::unproven);
  EXPECT_EQ(tight.tasks[0].bound, Duration{32});
  EXPECT_FALSE(tight.tasks[1].ok);
}

}  // namespace
}  // namespace tactus::test
