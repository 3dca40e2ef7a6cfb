// What the generators of the property tests promise: valid systems whose description is a system file.
#include "support/random_systems.hpp"

#include <vector>

#include "support/first_seed.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::test {
namespace {

void expect_to_be_a_system_file(const System& system) {
  const ReadResult result = read_system(describe(system), "description.yaml");
  ASSERT_TRUE(result.system) << to_string(result.problems.front()) << "\n" << describe(system);
  ASSERT_EQ(*result.system, system) << describe(system);
}

TEST(RandomSystems, CanBeWrittenAndReadBack) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + 100; ++seed) {
    expect_to_be_a_system_file(equal_block_system(seed));
    expect_to_be_a_system_file(mixed_scenario(seed).system);
    expect_to_be_a_system_file(bulk_scenario(seed).system);
    expect_to_be_a_system_file(pieces_scenario(seed).system);
    expect_to_be_a_system_file(strategy_scenario(seed).system);
    if (HasFatalFailure()) return;
  }
}

TEST(RandomSystems, AreTheSameForTheSameSeed) {
  EXPECT_EQ(describe(mixed_scenario(7)), describe(mixed_scenario(7)));
  EXPECT_NE(describe(mixed_scenario(7)), describe(mixed_scenario(8)));
}

}  // namespace
}  // namespace tactus::test
