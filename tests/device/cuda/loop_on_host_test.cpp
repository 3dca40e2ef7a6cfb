// The loop over blocks on threads of the host: a thread stands for a block of a launch. It shows on every
// machine that no block is lost or done twice, whatever the order in which blocks and a stop come.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "tactus/device/cuda/block_loop.hpp"

// What the compiler for the device gives to a kernel, for blocks of one thread.
#undef __device__
#undef __shared__
#define __device__
#define __shared__ static thread_local
namespace {

thread_local uint3 threadIdx;
thread_local uint3 blockIdx;
thread_local dim3 gridDim;

template <class Value>
Value atomicAdd(Value* place, Value value) {
  return std::atomic_ref{*place}.fetch_add(value);
}
void __syncthreads() {}
void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }
int __ffs(int value) { return __builtin_ffs(value); }

}  // namespace
namespace tactus::cuda {
namespace {

thread_local unsigned this_sm = 0;
unsigned sm_id() { return this_sm; }

}  // namespace
}  // namespace tactus::cuda
#include "tactus/device/cuda/block_loop.cuh"

namespace tactus::cuda {
namespace {

struct Case {
  unsigned blocks;
  unsigned launched;
  unsigned virtual_sms;
  unsigned chosen_sms;
  bool anywhere = false;
};

constexpr unsigned sms = 4;

/// Runs one launch and asks it to stop after a number of blocks (never, if that is larger than the work).
void run_launch(const BlockLoop& loop, unsigned launched, unsigned stop_after,
                std::vector<unsigned>& counts) {
  std::atomic<unsigned> ended{0};
  std::barrier start{static_cast<std::ptrdiff_t>(launched)};
  std::vector<std::jthread> threads;
  for (unsigned block = 0; block < launched; ++block) {
    threads.emplace_back([&, block] {
      blockIdx = {block, 0, 0};
      gridDim = dim3{launched};
      this_sm = block % sms;
      start.arrive_and_wait();
      for_each_block(loop, [&](BlockIndex index) {
        std::atomic_ref{counts.at(index.linear)}.fetch_add(1U);
        if (ended.fetch_add(1) + 1 == stop_after) std::atomic_ref{loop.state->stop}.store(loop.launch);
        if (index.linear % 3 == 0) std::this_thread::yield();
      });
    });
  }
}

/// Runs jobs with a stop after a random number of blocks, again and again.
void run_jobs(const Case& parameters, unsigned jobs) {
  const auto state = std::make_unique<LoopState>();
  LoopReport report{};
  BlockLoop loop;
  loop.state = state.get();
  loop.report = &report;
  loop.grid = dim3{parameters.blocks};
  loop.blocks = parameters.blocks;
  loop.virtual_sms = parameters.virtual_sms;
  loop.pieces = std::max(1U, parameters.virtual_sms);
  loop.piece_blocks = (loop.blocks - 1) / loop.pieces + 1;
  for (unsigned sm = 0; sm < parameters.chosen_sms; ++sm) loop.sms.insert(sm);
  loop.anywhere = parameters.anywhere;
  loop.launch = 0;
  std::mt19937 random{parameters.blocks};
  std::vector<unsigned> counts(parameters.blocks);
  for (unsigned job = 1; job <= jobs; ++job) {
    int launches = 0;
    unsigned long long before = 0;
    do {
      ++loop.launch;
      ASSERT_LT(++launches, 10'000) << "the job does not end";
      const auto stop_after = static_cast<unsigned>(1 + random() % (parameters.blocks + 1));
      // Fewer blocks than a launch before, or more.
      const auto launched = static_cast<unsigned>(1 + random() % parameters.launched);
      run_launch(loop, launched, stop_after, counts);
      ASSERT_EQ(report.launch, loop.launch);
      ASSERT_GE(report.done, before);
      before = report.done;
      if (state->stop != loop.launch) {
        ASSERT_EQ(report.done, loop.blocks) << "a launch left blocks though nobody asked it to stop";
      }
    } while (report.done < loop.blocks);
    ASSERT_EQ(counts, std::vector<unsigned>(parameters.blocks, job));
  }
}

TEST(CudaLoopOnHost, EveryBlockRunsExactlyOnce) {
  run_jobs({.blocks = 200, .launched = 8, .virtual_sms = 0, .chosen_sms = sms}, 40);
  run_jobs({.blocks = 5, .launched = 8, .virtual_sms = 0, .chosen_sms = sms}, 40);
  run_jobs({.blocks = 1, .launched = 3, .virtual_sms = 0, .chosen_sms = sms}, 40);
}

TEST(CudaLoopOnHost, ALaunchAsLargeAsTheWorkLeavesNoBlock) {
  run_jobs({.blocks = 6, .launched = 12, .virtual_sms = 0, .chosen_sms = sms, .anywhere = true}, 60);
  run_jobs({.blocks = 1, .launched = 3, .virtual_sms = 0, .chosen_sms = sms, .anywhere = true}, 40);
  run_jobs({.blocks = 200, .launched = 8, .virtual_sms = 0, .chosen_sms = sms, .anywhere = true}, 20);
}

TEST(CudaLoopOnHost, InALaunchAsLargeAsTheWorkEachBlockTakesOne) {
  const auto state = std::make_unique<LoopState>();
  LoopReport report{};
  BlockLoop loop;
  loop.state = state.get();
  loop.report = &report;
  loop.grid = dim3{5};
  loop.blocks = 5;
  loop.piece_blocks = 5;
  for (unsigned sm = 0; sm < sms; ++sm) loop.sms.insert(sm);
  for (const bool anywhere : {true, false}) {
    loop.anywhere = anywhere;
    ++loop.launch;
    // One after the other: the first would take all, if it took more than one.
    unsigned most = 0;
    for (unsigned block = 0; block < 5; ++block) {
      blockIdx = {block, 0, 0};
      gridDim = dim3{5};
      unsigned taken = 0;
      for_each_block(loop, [&](BlockIndex) { ++taken; });
      most = std::max(most, taken);
    }
    EXPECT_EQ(most, anywhere ? 1U : 5U);
    EXPECT_EQ(report.launch, loop.launch);
    EXPECT_EQ(report.done, 5U);
  }
}

TEST(CudaLoopOnHost, VirtualSmsLeaveNoBlock) {
  run_jobs({.blocks = 203, .launched = 8, .virtual_sms = 2, .chosen_sms = sms}, 20);
  run_jobs({.blocks = 3, .launched = 16, .virtual_sms = 4, .chosen_sms = sms}, 20);
  run_jobs({.blocks = 100, .launched = 16, .virtual_sms = 3, .chosen_sms = 2}, 20);
}

TEST(CudaLoopOnHost, PinnedBlocksLeaveNoBlock) {
  run_jobs({.blocks = 150, .launched = 8, .virtual_sms = 0, .chosen_sms = 1}, 20);
}

}  // namespace
}  // namespace tactus::cuda
