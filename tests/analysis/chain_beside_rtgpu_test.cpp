// On SMs of their own: the composed test is never worse than rtgpu and the paper's bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/effort.hpp"
#include "support/first_seed.hpp"
#include "support/random_systems.hpp"
#include "support/small_chains.hpp"
#include "tactus/analysis/analyses.hpp"

namespace tactus::analysis {
namespace {

struct Tally {
  std::int64_t accepted = 0;  // by rtgpu's
  std::int64_t gained = 0;    // by chain-fp alone
  std::int64_t smaller = 0;   // bounds
};

void compare(Result (*test)(const System&), std::uint64_t seed, Tally& tally) {
  const System blank = test::small_chain_system(seed, seed % 2 == 0);
  const auto sms = test::draw_sms(blank, seed);
  if (!sms) return;
  const System system = test::with_sms(blank, *sms);
  const Result theirs = test(system);
  const Result composed = chain_fp(system);
  if (!theirs.applies() || !composed.applies()) return;
  const bool accepts = composed.verdict == Verdict::schedulable;
  if (theirs.verdict == Verdict::schedulable) {
    ++tally.accepted;
    ASSERT_TRUE(accepts) << "seed " << seed << "\n" << test::describe(system);
  } else if (accepts) {
    ++tally.gained;
  }
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    const std::optional<Duration>& bound = theirs.tasks[i].bound;
    if (!bound || *bound > *theirs.tasks[i].deadline) continue;
    ASSERT_TRUE(composed.tasks[i].bound) << "seed " << seed << "\n" << test::describe(system);
    ASSERT_LE(*composed.tasks[i].bound, *bound) << "seed " << seed << ", " << system.tasks[i].name << "\n"
                                                << test::describe(system);
    if (*composed.tasks[i].bound < *bound) ++tally.smaller;
  }
}

class ChainBesideRtgpu : public testing::TestWithParam<Result (*)(const System&)> {};

TEST_P(ChainBesideRtgpu, NoBoundIsLarger) {
  Tally tally;
  constexpr std::uint64_t systems = test::tries(6000);
  for (std::uint64_t seed = test::first_seed(); seed < test::first_seed() + systems; ++seed) {
    compare(GetParam(), seed, tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.accepted, test::tries(2000));
  EXPECT_GT(tally.gained, test::tries(5));
  EXPECT_GT(tally.smaller, test::tries(100));
}

INSTANTIATE_TEST_SUITE_P(Tests, ChainBesideRtgpu, testing::Values(rtgpu, rtgpu_paper));

}  // namespace
}  // namespace tactus::analysis
