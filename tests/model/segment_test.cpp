#include "tactus/model/segment.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <vector>

namespace tactus {
namespace {

using namespace std::chrono_literals;

TEST(BlockDemand, CountsThreadsInWholeWarps) {
  Gpu gpu;
  KernelSegment kernel;
  kernel.shared_memory = 5;
  kernel.registers = 7;
  kernel.block = 33;
  EXPECT_EQ(block_demand(kernel, gpu), (BlockDemand{.threads = 64, .shared_memory = 5, .registers = 7}));
  kernel.block = 64;
  EXPECT_EQ(block_demand(kernel, gpu).threads, 64);
  gpu.warp = 1;
  kernel.block = 33;
  EXPECT_EQ(block_demand(kernel, gpu).threads, 33);
}

TEST(BlocksPerSm, IsTheScarcestResource) {
  Gpu gpu;  // 2048 threads, 32 slots, 64 KiB, 65536 registers
  EXPECT_EQ(blocks_per_sm({.threads = 32, .shared_memory = 0, .registers = 0}, gpu), 32);
  EXPECT_EQ(blocks_per_sm({.threads = 512, .shared_memory = 0, .registers = 0}, gpu), 4);
  EXPECT_EQ(blocks_per_sm({.threads = 32, .shared_memory = 20'000, .registers = 0}, gpu), 3);
  EXPECT_EQ(blocks_per_sm({.threads = 32, .shared_memory = 0, .registers = 40'000}, gpu), 1);
  EXPECT_EQ(blocks_per_sm({.threads = 4096, .shared_memory = 0, .registers = 0}, gpu), 0);
}

TEST(KernelSegment, CountsItsBlocks) {
  KernelSegment kernel;
  EXPECT_EQ(kernel.blocks(), 1);
  kernel.grid = {8, 4, 2};
  EXPECT_EQ(kernel.blocks(), 64);
}

TEST(CopyTime, IsRoundedUp) {
  EXPECT_EQ(copy_time(0, 5), 0ns);
  EXPECT_EQ(copy_time(1, 1'000'000'000), 1ns);
  EXPECT_EQ(copy_time(1, 3'000'000'000), 1ns);
  EXPECT_EQ(copy_time(4, 3'000'000'000), 2ns);
  EXPECT_EQ(copy_time(7, 1), 7s);
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(copy_time(largest, 1'000'000'000), Duration::max());
  EXPECT_EQ(copy_time(largest, largest), 1s);
  EXPECT_EQ(copy_time(largest, 999'999'999), std::nullopt);
}

TEST(KindName, IsTheKeyOfTheFile) {
  EXPECT_STREQ(kind_name(CpuSegment{}), "cpu");
  EXPECT_STREQ(kind_name(CopySegment{}), "copy");
  EXPECT_STREQ(kind_name(KernelSegment{}), "kernel");
  EXPECT_STREQ(kind_name(GpuSegment{}), "gpu");
  EXPECT_STREQ(kind_name(ExclusiveSegment{}), "exclusive");
}

TEST(CopyChunks, AddUpToTheWholeCopyWhateverIsRoundedUp) {
  Gpu gpu;
  gpu.copy_bandwidth = 700'000'000;  // 10/7 ns a byte
  gpu.copy_chunk = 3;
  const CopySegment copy{.time = Interval::exactly(*copy_time(11, *gpu.copy_bandwidth)), .bytes = 11};
  ASSERT_EQ(copy.time.worst, nanoseconds(16));
  const CopyChunks pieces = chunks_of(copy, gpu);
  ASSERT_EQ(pieces.count, 4);
  std::vector<std::int64_t> times;
  for (std::int64_t i = 0; i < pieces.count; ++i) times.push_back(in_ns(pieces.time(i, copy.time.worst)));
  EXPECT_EQ(times, (std::vector<std::int64_t>{5, 4, 4, 3}));  // until 5, 9, 13, 16
}

TEST(CopyChunks, OnlyLongCopiesInBytesAreCut) {
  Gpu gpu;
  gpu.copy_bandwidth = 1'000'000'000;
  const CopySegment copy{.time = Interval::exactly(nanoseconds(8)), .bytes = 8};
  EXPECT_EQ(chunks_of(copy, gpu), CopyChunks{});
  gpu.copy_chunk = 8;
  EXPECT_EQ(chunks_of(copy, gpu), CopyChunks{});
  EXPECT_EQ(chunks_of(copy, gpu).time(0, copy.time.worst), nanoseconds(8));
  gpu.copy_chunk = 7;
  EXPECT_EQ(chunks_of(copy, gpu).count, 2);
  EXPECT_EQ(chunks_of({.time = copy.time, .bytes = {}}, gpu), CopyChunks{});
}

}  // namespace
}  // namespace tactus
