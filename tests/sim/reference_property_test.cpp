// The fast simulator gives, event by event, what the plain reference gives: block by block, and in bulk.
#include <cstdint>
#include <functional>
#include <string>

#include "support/against_reference.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/plain_simulator.hpp"

namespace tactus::test {
namespace {

void expect_no_mismatch(std::uint64_t first, std::uint64_t number,
                        const std::function<Scenario(std::uint64_t)>& generate,
                        Mismatch mismatch_of = mismatch) {
  EXPECT_EQ(find_mismatch(first, tries(number), generate, simulate_plainly, mismatch_of).value_or(""), "");
}

/// Equal blocks are simulated with the options of their seed, up to the default horizon.
Scenario equal_block_scenario(std::uint64_t seed) {
  Scenario scenario;
  scenario.system = equal_block_system(seed);
  scenario.options.seed = seed;
  scenario.options.execution = seed % 2 == 0 ? Execution::worst : Execution::random;
  return scenario;
}

// Shards, so that several can run at once.
class AgainstReference : public testing::TestWithParam<std::uint64_t> {};

TEST_P(AgainstReference, MixedSystems) {
  expect_no_mismatch(first_seed() + GetParam() * 1000, 1000, mixed_scenario);
}

TEST_P(AgainstReference, GridsOfManyWaves) {
  expect_no_mismatch(first_seed() + GetParam() * 300, 300, bulk_scenario);
}

TEST_P(AgainstReference, GridsThatStartInPieces) {
  expect_no_mismatch(first_seed() + GetParam() * 1000, 1000, pieces_scenario);
}

TEST_P(AgainstReference, FewJobsPending) {
  const auto with_few_pending = [](std::uint64_t seed) {
    Scenario scenario = seed % 4 == 0 ? bulk_scenario(seed) : mixed_scenario(seed);
    scenario.options.max_pending = static_cast<std::uint32_t>(1 + seed % 7);
    return scenario;
  };
  expect_no_mismatch(first_seed() + GetParam() * 300, 300, with_few_pending, mismatch_with_few_pending);
}

TEST_P(AgainstReference, EqualBlocks) {
  expect_no_mismatch(first_seed() + GetParam() * 300, 300, equal_block_scenario);
}

INSTANTIATE_TEST_SUITE_P(Shard, AgainstReference, testing::Range<std::uint64_t>(0, 10));

}  // namespace
}  // namespace tactus::test
