// The strategies in the simulator give, event by event, what their plain reference gives: block by block, and
// in bulk.
#include <cstdint>
#include <functional>
#include <string>

#include "support/against_reference.hpp"
#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/plain_strategies.hpp"

namespace tactus::test {
namespace {

void expect_no_mismatch(std::uint64_t first, std::uint64_t number,
                        const std::function<Scenario(std::uint64_t)>& generate,
                        Mismatch mismatch_of = mismatch) {
  EXPECT_EQ(
      find_mismatch(first, tries(number), generate, simulate_strategy_plainly, mismatch_of).value_or(""), "");
}

// Shards, so that several can run at once.
class StrategiesAgainstReference : public testing::TestWithParam<std::uint64_t> {};

TEST_P(StrategiesAgainstReference, RandomSystems) {
  expect_no_mismatch(first_seed() + GetParam() * 2000, 2000, strategy_scenario, mismatch);
}

TEST_P(StrategiesAgainstReference, FewJobsPending) {
  const auto with_few_pending = [](std::uint64_t seed) {
    Scenario scenario = strategy_scenario(seed);
    scenario.options.max_pending = static_cast<std::uint32_t>(1 + seed % 7);
    return scenario;
  };
  expect_no_mismatch(first_seed() + GetParam() * 500, 500, with_few_pending, mismatch_with_few_pending);
}

INSTANTIATE_TEST_SUITE_P(Shard, StrategiesAgainstReference, testing::Range<std::uint64_t>(0, 10));

}  // namespace
}  // namespace tactus::test
