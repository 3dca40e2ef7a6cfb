// Kernels that are served as they come: golden values, the limits of each resource, and the plain formula.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/effort.hpp"
#include "support/plain_fifo.hpp"
#include "tactus/analysis/check.hpp"
#include "tactus/analysis/registry.hpp"
#include "tactus/base/error.hpp"
#include "tactus/falsify/borderline_systems.hpp"
#include "tactus/falsify/dice.hpp"
#include "tactus/falsify/family.hpp"
#include "tactus/io/system_file.hpp"

namespace tactus::analysis {
namespace {

using testing::HasSubstr;

System system_of(const std::string& gpu, const std::string& tasks) {
  ReadResult read = read_system("tactus: 1\nplatform: {cpus: 1, gpu: {" + gpu +
                                    "}}\npolicy: {strategy: as-submitted}\ntasks:\n" + tasks,
                                "test.yaml");
  if (!read.system) throw InputError{std::move(read.problems)};
  return std::move(*read.system);
}

Result run_one(const std::string& id, const System& system) { return run(*find(id), system); }

TEST(GpuFifo, OneKernelThatFillsTheGpuWaitsForTheOneBefore) {
  // cap = 2 (1024 - 1024 + 1024) threads; [Lmax (2048 - 1024) + 4 * 1024 L - 1024 L] / cap + L = 3 ms.
  const System system =
      system_of("sms: 2, threads_per_sm: 1024",
                "  - {name: a, period: 10ms, kernel: {grid: 4, block: 1024, block_time: 1ms}}\n");
  for (const std::string id : {"gpu-fifo", "gpu-fifo-multi"}) {
    const Result result = run_one(id, system);
    ASSERT_TRUE(result.applies()) << result.why_not;
    EXPECT_EQ(result.verdict, Verdict::schedulable);
    EXPECT_EQ(result.tasks.at(0).bound, std::chrono::milliseconds{3});
  }
}

TEST(GpuFifo, BlocksOfDifferentSizesLeaveRoomFree) {
  // h = 256, cap = 2 (1024 - 768 + 256) = 1024 threads. Work: 8 * 256 * 1 ms + 2 * 768 * 2 ms = 5120; begun:
  // 2 ms
  // * (2048 - 768) = 2560. a: (7680 - 256) / 1024 + 1 = 8.25; b: (7680 - 1536) / 1024 + 2 = 8.
  const System system =
      system_of("sms: 2, threads_per_sm: 1024",
                "  - {name: a, period: 20ms, kernel: {grid: 8, block: 256, block_time: 1ms}}\n"
                "  - {name: b, period: 20ms, kernel: {grid: 2, block: 768, block_time: 2ms}}\n");
  const Result result = run_one("gpu-fifo", system);
  ASSERT_TRUE(result.applies()) << result.why_not;
  EXPECT_EQ(result.tasks.at(0).bound, std::chrono::microseconds{8250});
  EXPECT_EQ(result.tasks.at(1).bound, std::chrono::milliseconds{8});
}

TEST(GpuFifo, LateKernelsAreMore) {
  // 1 ms of 8 ms late: an eighth of the work more, and 1 ms itself.
  const System system =
      system_of("sms: 2, threads_per_sm: 1024",
                "  - {name: a, period: 8ms, jitter: 1ms, kernel: {grid: 4, block: 1024, block_time: 1ms}}\n");
  EXPECT_EQ(run_one("gpu-fifo", system).tasks.at(0).bound, std::chrono::microseconds{3000 + 1000 + 250});
}

/// 128 blocks of 32 threads fill the threads of a TX2, but only 64 of them find a slot: it falls ever further
/// behind.
TEST(GpuFifo, SlotsThatRunShortAreNotForgotten) {
  const System system =
      system_of("sms: 2, threads_per_sm: 2048, blocks_per_sm: 32",
                "  - {name: a, period: 10ms, kernel: {grid: 128, block: 32, block_time: 10ms}}\n");
  EXPECT_THAT(run_one("gpu-fifo", system).why_not, HasSubstr("slots"));
  const Result result = run_one("gpu-fifo-multi", system);
  EXPECT_EQ(result.verdict, Verdict::unproven);
  EXPECT_EQ(result.tasks.at(0).bound, std::nullopt);
  EXPECT_THAT(result.reason, HasSubstr("no bound"));
}

TEST(GpuFifo, ADeadlineMayExceedThePeriod) {
  const System system = system_of(
      "sms: 2, threads_per_sm: 1024",
      "  - {name: a, period: 2ms, deadline: 3ms, kernel: {grid: 4, block: 1024, block_time: 1ms}}\n");
  EXPECT_EQ(run_one("gpu-fifo", system).verdict, Verdict::schedulable);
}

TEST(GpuFifo, SaysWhatItNeeds) {
  const std::string gpu = "sms: 2, threads_per_sm: 1024";
  const std::string kernel = "kernel: {grid: 4, block: 1024, block_time: 1ms}";
  const auto why = [&](const std::string& tasks) {
    return run_one("gpu-fifo-multi", system_of(gpu, tasks)).why_not;
  };
  EXPECT_THAT(why("  - {name: a, period: 9ms, exclusive: 1ms}\n"), HasSubstr("one kernel"));
  EXPECT_THAT(why("  - {name: a, period: 9ms, stream: s, " + kernel + "}\n"),
              HasSubstr("stream for each job"));
  EXPECT_THAT(why("  - {name: a, arrival: best-effort, " + kernel + "}\n"), HasSubstr("best-effort"));
  EXPECT_THAT(why("  - {name: a, period: 9ms, " + kernel +
                  "}\n  - {name: b, period: 9ms, stream_priority: -1, " + kernel + "}\n"),
              HasSubstr("priority"));
}

TEST(GpuFifo, IsThePlainFormula) {
  int bounded = 0;
  for (std::uint64_t seed = 1; seed <= test::tries(std::uint64_t{5000}); ++seed) {
    falsify::Dice dice{seed, 0};
    const System system = falsify::random_system(*falsify::family_of("gpu-fifo-multi"), dice);
    const Result result = run_one("gpu-fifo-multi", system);
    const std::vector<double> plain = test::plain_fifo_bounds(system);
    ASSERT_TRUE(result.applies()) << result.why_not;
    if (plain.empty() != !result.tasks.front().bound.has_value()) {
      // The load is rounded up, by a nanosecond for each kernel.
      ASSERT_FALSE(plain.empty()) << seed;
      continue;
    }
    if (plain.empty()) continue;
    ++bounded;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const auto bound = static_cast<double>(in_ns(*result.tasks[i].bound));
      // Every term is rounded up.
      ASSERT_GE(bound, plain[i] - 1e-3) << seed;
      ASSERT_LE(bound, plain[i] + 2.0 * static_cast<double>(system.tasks.size()) + 5) << seed;
    }
    const Result threads = run_one("gpu-fifo", system);
    if (!threads.applies()) continue;
    for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_EQ(threads.tasks[i].bound, result.tasks[i].bound);
  }
  EXPECT_GT(bounded, 100);
}

}  // namespace
}  // namespace tactus::analysis
