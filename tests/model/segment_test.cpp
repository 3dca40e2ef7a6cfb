#include "tactus/model/segment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "tactus/model/presets.hpp"

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

/// Blocks of so many threads, registers of a thread and KiB of shared memory that an SM holds: as NVIDIA's
/// occupancy calculator has it (cuda_occupancy.h; tests/device/cuda/occupancy_test.cpp asks it).
TEST(BlocksPerSm, AreThoseOfTheCard) {
  struct Row {
    const char* card;
    std::int64_t threads;
    std::int64_t registers;
    std::int64_t kib;
    std::int64_t blocks;
  };
  const std::vector<Row> rows{
      // From compute capability 8.0 every block takes a KiB more.
      {"jetson-agx-orin-64gb", 256, 0, 82, 1},
      {"jetson-agx-orin-64gb", 256, 0, 81, 2},
      {"jetson-agx-orin-64gb", 256, 0, 163, 1},
      {"jetson-agx-orin-64gb", 256, 0, 164, 0},
      {"rtx-4090", 128, 0, 49, 2},
      {"rtx-4090", 128, 0, 50, 1},
      {"h200", 256, 0, 227, 1},
      {"h200", 32, 0, 6, 32},
      {"titan-v", 256, 0, 48, 2},
      {"titan-v", 256, 0, 96, 1},
      // 41 registers a thread are 1536 a warp: 10 warps in a file of 16384.
      {"jetson-agx-orin-64gb", 128, 41, 0, 10},
      {"jetson-agx-orin-64gb", 128, 40, 0, 12},
      // 104 are 3328: 4 warps a file, though an SM without files would hold 19.
      {"h200", 192, 104, 0, 2},
      {"h200", 32, 104, 0, 16},
      {"gtx-1080-ti", 96, 104, 0, 5},
      {"h200", 1024, 64, 0, 1},
      {"h200", 1024, 65, 0, 0},
      {"h200", 256, 32, 0, 8},
      {"jetson-tx2", 64, 255, 0, 4},
  };
  for (const Row& row : rows) {
    const Gpu gpu = find_preset(row.card).value().gpu;
    KernelSegment kernel;
    kernel.block = row.threads;
    kernel.registers = row.registers * row.threads;
    kernel.shared_memory = row.kib * 1024;
    EXPECT_EQ(blocks_per_sm(block_demand(kernel, gpu), gpu), row.blocks)
        << row.card << ", " << row.threads << " threads, " << row.registers << " registers, " << row.kib
        << " KiB";
  }
}

/// The formula of the calculator, for all registers and threads: warps in whole units, four files, one
/// kernel.
TEST(BlocksPerSm, AreThoseOfTheFormula) {
  Gpu gpu = find_preset("h200").value().gpu;
  gpu.blocks_per_sm = 1024;
  gpu.threads_per_sm = 1 << 20U;
  for (std::int64_t warps = 1; warps <= 32; ++warps) {
    for (std::int64_t each = 1; each <= 255; ++each) {
      KernelSegment kernel;
      kernel.block = 32 * warps;
      kernel.registers = each * kernel.block;
      const std::int64_t of_warp = (each * 32 + 255) / 256 * 256;
      EXPECT_EQ(blocks_per_sm(block_demand(kernel, gpu), gpu),
                std::min<std::int64_t>(16384 / of_warp * 4 / warps, gpu.shared_memory_per_sm / 1024))
          << warps << " warps, " << each << " registers";
    }
  }
}

TEST(BlockDemand, ADifferentKernelCountsForItsShareOfTheFiles) {
  // 10 warps of 41 registers fill a file, 8 of 64: half of each, and no warp more.
  const Gpu gpu = find_preset("h200").value().gpu;
  const auto registers = [&](std::int64_t each, std::int64_t warps) {
    KernelSegment kernel;
    kernel.block = 32 * warps;
    kernel.registers = each * kernel.block;
    return block_demand(kernel, gpu).registers;
  };
  EXPECT_LE(registers(41, 20) + registers(64, 16), gpu.registers_per_sm);
  EXPECT_GT(registers(41, 21) + registers(64, 16), gpu.registers_per_sm);
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
