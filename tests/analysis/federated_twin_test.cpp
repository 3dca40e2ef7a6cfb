// Every test of federated SMs against a slow, obvious twin that brings all chains into the form of the
// formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/effort.hpp"
#include "support/federated_systems.hpp"
#include "support/first_seed.hpp"
#include "support/plain_federated_analysis.hpp"
#include "support/random_systems.hpp"
#include "tactus/analysis/json.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/model/validate.hpp"

namespace tactus::test {
namespace {

using Bounds = std::vector<std::int64_t>;  // -1 where there is none

Bounds bounds_of(const PlainVerdict& verdict) {
  Bounds bounds;
  for (const std::optional<Duration>& bound : verdict.bounds) bounds.push_back(bound ? bound->count() : -1);
  return bounds;
}

Bounds twin_bounds(FederatedTest test, const System& system) {
  return bounds_of(judge_plainly(test, system));
}

// --- The small systems of the text
// ---------------------------------------------------------------------------

Segment cpu(std::int64_t best, std::int64_t worst) {
  return CpuSegment{{nanoseconds(best), nanoseconds(worst)}};
}
Segment cpu(std::int64_t time) { return cpu(time, time); }
Segment copy(std::int64_t best, std::int64_t worst) {
  return CopySegment{.time = {nanoseconds(best), nanoseconds(worst)}, .bytes = {}};
}
Segment copy(std::int64_t time) { return copy(time, time); }
Segment gpu(std::int64_t best, std::int64_t worst) {
  return GpuSegment{.work = {nanoseconds(best), nanoseconds(worst)}, .overhead = {}};
}
Segment gpu(std::int64_t time) { return gpu(time, time); }

TEST(FederatedTwin, CarryInOfTheFirstWrap) {
  const System system =
      federated_chains({{{cpu(2, 3), copy(1), gpu(1, 2), copy(3), cpu(1)}, 10, 14}, {{cpu(5)}, 20, 20}});
  EXPECT_EQ(twin_bounds(FederatedTest::rtgpu_paper, system)[1], 9);
}

TEST(FederatedTwin, JitterOfTheSecondSegment) {
  const System system = federated_chains({{{cpu(1), gpu(0, 2), cpu(1, 2)}, 5, 8}, {{cpu(4)}, 20, 20}});
  for (const FederatedTest test : {FederatedTest::rtgpu, FederatedTest::rtgpu_paper}) {
    EXPECT_EQ(twin_bounds(test, system), (Bounds{5, 10})) << "8 is what happens; a count of periods says 7";
  }
}

TEST(FederatedTwin, PlainCpuTasks) {
  const System system = federated_chains({{{cpu(2)}, 6, 6}, {{cpu(3)}, 20, 20}});
  EXPECT_EQ(twin_bounds(FederatedTest::rtgpu, system), (Bounds{2, 5}));
  EXPECT_EQ(twin_bounds(FederatedTest::rtgpu_paper, system), (Bounds{2, 7}));
}

TEST(FederatedTwin, TwiceTheVirtualSmsAsPublished) {
  const System system = federated_chains({{{cpu(1), copy(1), gpu(4), copy(1), cpu(1)}, 20, 20}});
  EXPECT_EQ(twin_bounds(FederatedTest::rtgpu_as_published, system), Bounds{6});
  EXPECT_EQ(twin_bounds(FederatedTest::rtgpu_paper, system), Bounds{8});
}

// --- Random systems
// ------------------------------------------------------------------------------------------

Bounds bounds_of(const analysis::Result& result) {
  Bounds bounds;
  for (const analysis::TaskResult& task : result.tasks)
    bounds.push_back(task.bound ? task.bound->count() : -1);
  return bounds;
}

std::vector<bool> in_order(const analysis::Result& result) {
  std::vector<bool> ok;
  for (const analysis::TaskResult& task : result.tasks) ok.push_back(task.ok);
  return ok;
}

bool has_several_cores(const System& system) {
  return std::any_of(system.tasks.begin(), system.tasks.end(),
                     [&](const Task& task) { return task.core != system.tasks.front().core; });
}

/// What the printed formulas do not know.
bool is_beyond_the_paper(const System& system) {
  return system.platform.overheads != Overheads{} ||
         std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
           return task.jitter > Duration{} || task.arrival == Arrival::best_effort;
         });
}

bool applies(FederatedTest test, const System& system) {
  if (test == FederatedTest::rtgpu_as_published) return !is_beyond_the_paper(system);
  if (test == FederatedTest::stgm || test == FederatedTest::mpcp) return !has_several_cores(system);
  return true;
}

struct Tally {
  int holds = 0;
  int fails = 0;
};

void compare(const char* id, FederatedTest test, const System& system, Tally& tally) {
  const std::vector<Violation> violations = validate(system);
  ASSERT_TRUE(violations.empty()) << violations.front().path << ": " << violations.front().message;
  const analysis::Result result = analysis::find(id)->run(system);
  ASSERT_EQ(result.applies(), applies(test, system)) << result.why_not;
  if (!result.applies()) return;
  const PlainVerdict twin = judge_plainly(test, system);
  EXPECT_EQ(bounds_of(result), bounds_of(twin));
  EXPECT_EQ(in_order(result), twin.ok);
  EXPECT_EQ(result.verdict == analysis::Verdict::schedulable, twin.holds);
  ++(twin.holds ? tally.holds : tally.fails);
}

constexpr std::uint64_t systems_a_shard = tries(1000);

void compare_many(const char* id, FederatedTest test, std::uint64_t shard, const FederatedShape& shape) {
  ASSERT_NE(analysis::find(id), nullptr) << id;
  Tally tally;
  const std::uint64_t first = first_seed() + shard * systems_a_shard;
  for (std::uint64_t seed = first; seed < first + systems_a_shard; ++seed) {
    const System system = federated_system(seed, shape);
    compare(id, test, system, tally);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << id << ", seed " << seed << ":\n" << describe(system);
      return;
    }
  }
  EXPECT_GT(tally.holds, systems_a_shard / 5);
  EXPECT_GT(tally.fails, systems_a_shard / 5);
}

TEST(FederatedTwin, BusyWaitingAndLocksNeedOneCore) {
  int several = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 100; ++seed) {
    const System system = federated_system(seed, {});
    several += has_several_cores(system) ? 1 : 0;
    for (const char* id : {"stgm", "mpcp"}) {
      EXPECT_EQ(analysis::find(id)->run(system).applies(), !has_several_cores(system)) << describe(system);
    }
  }
  EXPECT_GT(several, 10);
}

// Shards, so that several can run at once.
class FederatedTwins : public testing::TestWithParam<std::uint64_t> {};

TEST_P(FederatedTwins, Rtgpu) { compare_many("rtgpu", FederatedTest::rtgpu, GetParam(), {}); }

TEST_P(FederatedTwins, RtgpuPaper) {
  compare_many("rtgpu-paper", FederatedTest::rtgpu_paper, GetParam(), {});
}

TEST_P(FederatedTwins, RtgpuAsPublished) {
  compare_many("rtgpu-as-published", FederatedTest::rtgpu_as_published, GetParam(),
               {.best_effort = false, .jitter_and_overheads = false, .copies_in_pieces = false});
}

TEST_P(FederatedTwins, SelfSuspension) {
  compare_many("self-suspension", FederatedTest::self_suspension, GetParam(), {});
}

TEST_P(FederatedTwins, Stgm) {
  compare_many("stgm", FederatedTest::stgm, GetParam(), {.several_cores = false});
}

TEST_P(FederatedTwins, Mpcp) {
  compare_many("mpcp", FederatedTest::mpcp, GetParam(), {.several_cores = false});
}

// --- The division of the SMs, against trying all
// -------------------------------------------------------------

using Allocation = std::map<std::string, std::int64_t>;

/// Virtual SMs of the tasks that have GPU work and deadlines; nothing where none was found.
std::optional<Allocation> found_allocation(const analysis::Result& result, const System& system) {
  if (result.verdict != analysis::Verdict::schedulable) return std::nullopt;
  Allocation allocation;
  for (const Task& task : system.tasks) {
    if (task.arrival == Arrival::best_effort || !uses_gpu(task.work)) continue;
    allocation[task.name] = to_json(result.detail).at("virtual_sms").at(task.name).get<std::int64_t>();
  }
  return allocation;
}

std::optional<Allocation> tried_allocation(FederatedTest test, const System& system) {
  const std::optional<std::vector<std::int64_t>> found = first_allocation(test, system);
  if (!found) return std::nullopt;
  Allocation allocation;
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.arrival == Arrival::best_effort || !uses_gpu(task.work)) continue;
    allocation[task.name] = (*found)[i];
  }
  return allocation;
}

void compare_allocations(const char* id, FederatedTest test, std::uint64_t shard, FederatedShape shape) {
  shape.virtual_sms = false;
  shape.max_sms = 6;
  shape.gpu_factor = 6;
  constexpr std::uint64_t systems = tries(500);
  int found = 0;
  int more_than_least = 0;
  const std::uint64_t first = first_seed() + shard * systems;
  for (std::uint64_t seed = first; seed < first + systems; ++seed) {
    const System system = federated_system(seed, shape);
    if (!find_missing_parameters(system).empty()) {
      const auto expected = tried_allocation(test, system);
      const auto actual = found_allocation(analysis::find(id)->run(system), system);
      ASSERT_EQ(actual, expected) << id << ", seed " << seed << ":\n" << describe(system);
      found += expected ? 1 : 0;
      const auto is_more = [&](const auto& entry) {
        return entry.second > system.platform.gpu.virtual_sms_per_sm;
      };
      more_than_least += expected && std::any_of(expected->begin(), expected->end(), is_more) ? 1 : 0;
    }
  }
  EXPECT_GT(found, static_cast<int>(systems) / 10);
  EXPECT_GT(more_than_least, static_cast<int>(systems) / 20);
}

TEST_P(FederatedTwins, AllocationOfRtgpu) {
  compare_allocations("rtgpu", FederatedTest::rtgpu, GetParam(), {});
}

TEST_P(FederatedTwins, AllocationOfRtgpuPaper) {
  compare_allocations("rtgpu-paper", FederatedTest::rtgpu_paper, GetParam(), {});
}

TEST_P(FederatedTwins, AllocationOfSelfSuspension) {
  compare_allocations("self-suspension", FederatedTest::self_suspension, GetParam(), {});
}

TEST_P(FederatedTwins, AllocationOfStgm) {
  compare_allocations("stgm", FederatedTest::stgm, GetParam(), {.several_cores = false});
}

INSTANTIATE_TEST_SUITE_P(Shard, FederatedTwins, testing::Range<std::uint64_t>(0, 4));

}  // namespace
}  // namespace tactus::test
