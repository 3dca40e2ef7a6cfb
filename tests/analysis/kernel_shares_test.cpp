#include "tactus/analysis/kernel_shares.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "support/dice.hpp"
#include "support/effort.hpp"
#include "tactus/base/exact.hpp"

namespace tactus::analysis {
namespace {

using test::Dice;

KernelSegment kernel(std::int64_t blocks, std::int64_t threads, std::int64_t time) {
  return {.grid = {blocks, 1, 1}, .block = threads, .block_time = Interval::exactly(nanoseconds(time))};
}

Gpu two_sms() {
  Gpu gpu;
  gpu.sms = 2;
  gpu.threads_per_sm = 1024;
  gpu.blocks_per_sm = 8;
  return gpu;
}

TEST(KernelShares, OfEqualBlocksAreThePlacesOfTheGpu) {
  const KernelSegment some = kernel(9, 256, 10);  // eight at a time
  const std::array<const KernelSegment*, 1> all{&some};
  const Gpu gpu = two_sms();
  const KernelShares shares{all, gpu};
  EXPECT_EQ(shares.time_of(some, 8, 2), nanoseconds(10));
  EXPECT_EQ(shares.time_of(some, 9, 2), nanoseconds(12));  // 11.25, rounded up
  EXPECT_EQ(shares.time_alone(some, 2), nanoseconds(20));
  EXPECT_EQ(shares.longest_block(), nanoseconds(10));
}

TEST(KernelShares, GrowWithTheLargestBlock) {
  // A block of 768 threads does not fit an SM that has 512 taken of 1024: half of it may stay idle.
  const KernelSegment small = kernel(8, 256, 10);
  const KernelSegment large = kernel(2, 768, 10);
  const std::array<const KernelSegment*, 2> all{&small, &large};
  const Gpu gpu = two_sms();
  const KernelShares shares{all, gpu};
  EXPECT_EQ(shares.time_of(small, 8, 2), nanoseconds(20));  // 256 / (1024 - 768 + 256) of an SM each
  EXPECT_EQ(shares.time_of(large, 2, 2), nanoseconds(15));
}

TEST(KernelShares, CountTheScarcestResource) {
  KernelSegment some = kernel(8, 32, 10);
  some.shared_memory = 32 * 1024;
  Gpu gpu = two_sms();
  gpu.shared_memory_per_sm = 64 * 1024;
  const std::array<const KernelSegment*, 1> all{&some};
  EXPECT_EQ(KernelShares(all, gpu).time_of(some, 8, 2), nanoseconds(20));  // two on an SM
  some.shared_memory = 0;
  EXPECT_EQ(KernelShares(all, gpu).time_of(some, 16, 2), nanoseconds(10));  // slots: eight on an SM
}

TEST(KernelShares, BeyondSixtyFourBitsAreTold) {
  KernelSegment some = kernel(2'147'483'647, 1024, 1'000'000'000'000'000'000);
  const std::array<const KernelSegment*, 1> all{&some};
  const Gpu gpu = two_sms();
  EXPECT_THROW(static_cast<void>(KernelShares(all, gpu).time_alone(some, 1)), OverflowError);
}

/// The claim: where a block fits an SM no more, the shares on that SM add up to 1 or more.
TEST(KernelShares, FillAnSmOnWhichABlockDoesNotFit) {
  int full = 0;
  for (std::uint64_t seed = 0; seed < test::tries(5000U); ++seed) {
    Dice dice{seed};
    Gpu gpu = two_sms();
    gpu.threads_per_sm = 32 * dice.small(4, 64);
    gpu.shared_memory_per_sm = dice.between(1, 100);
    gpu.registers_per_sm = dice.between(1, 100);
    gpu.blocks_per_sm = dice.small(1, 16);
    gpu.warp = 32;
    std::vector<KernelSegment> kernels;
    for (std::int64_t i = dice.between(1, 4); i > 0; --i) {
      KernelSegment some = kernel(1, dice.between(1, gpu.threads_per_sm), 1'000'000);
      some.shared_memory = dice.percent(50) ? 0 : dice.between(1, gpu.shared_memory_per_sm);
      some.registers = dice.percent(50) ? 0 : dice.between(1, gpu.registers_per_sm);
      kernels.push_back(some);
    }
    std::vector<const KernelSegment*> all;
    for (const KernelSegment& some : kernels) all.push_back(&some);
    const KernelShares shares{all, gpu};
    BlockDemand taken;
    std::int64_t slots = 0;
    Duration sum{};
    for (int placed = 0; placed < 40; ++placed) {
      const KernelSegment& some =
          kernels[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(kernels.size()) - 1))];
      const BlockDemand more = block_demand(some, gpu);
      const bool fits = slots < gpu.blocks_per_sm && taken.threads + more.threads <= gpu.threads_per_sm &&
                        taken.shared_memory + more.shared_memory <= gpu.shared_memory_per_sm &&
                        taken.registers + more.registers <= gpu.registers_per_sm;
      if (!fits) {
        ++full;
        EXPECT_GE(sum, nanoseconds(1'000'000)) << "seed " << seed;
        continue;
      }
      ++slots;
      taken = {taken.threads + more.threads, taken.shared_memory + more.shared_memory,
               taken.registers + more.registers};
      sum += shares.time_of(some, 1, 1);
    }
  }
  EXPECT_GT(full, 1000);
}

}  // namespace
}  // namespace tactus::analysis
