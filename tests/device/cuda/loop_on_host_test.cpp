// The loop over blocks on threads of the host: a thread stands for a block of a launch. It shows on every
// machine that no block is lost or done twice, whatever the order in which blocks and a stop come.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
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
void __threadfence_system() { std::atomic_thread_fence(std::memory_order_seq_cst); }
int __ffs(int value) { return __builtin_ffs(value); }

}  // namespace
namespace tactus::cuda {
namespace {

thread_local unsigned this_sm = 0;
unsigned sm_id() { return this_sm; }
void fence_on_device() { std::atomic_thread_fence(std::memory_order_seq_cst); }
void fence_with_host() { std::atomic_thread_fence(std::memory_order_seq_cst); }
void release_to_host(unsigned* place, unsigned value) { std::atomic_ref{*place}.store(value); }
unsigned long long acquire_now(unsigned long long* place) { return std::atomic_ref{*place}.load(); }
unsigned long long acquire_if_equal(unsigned long long* place, unsigned long long expected,
                                    unsigned long long wanted) {
  std::atomic_ref{*place}.compare_exchange_strong(expected, wanted);
  return expected;
}
unsigned long long global_time() {
  // A spinning block would keep the others waiting on a machine with few cores.
  std::this_thread::yield();
  return static_cast<unsigned long long>(std::chrono::steady_clock::now().time_since_epoch().count());
}

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
  BlocksOnSm most{};
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
  loop.pieces = std::max(1U, parameters.virtual_sms);
  loop.piece_blocks = (loop.blocks - 1) / loop.pieces + 1;
  for (unsigned sm = 0; sm < parameters.chosen_sms; ++sm) loop.sms.insert(sm);
  loop.last_sm = parameters.chosen_sms - 1;
  loop.most = parameters.most.between != 0
                  ? parameters.most
                  : BlocksOnSm{parameters.virtual_sms, parameters.virtual_sms, parameters.virtual_sms};
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
  this_sm = 0;
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

TEST(CudaLoopOnHost, LimitsOnTheFirstAndTheLastSmLeaveNoBlock) {
  run_jobs({.blocks = 100, .launched = 16, .virtual_sms = 0, .chosen_sms = 3, .most = {1, 4, 2}}, 20);
  run_jobs({.blocks = 100, .launched = 16, .virtual_sms = 2, .chosen_sms = 2, .most = {2, 4, 6}}, 20);
}

TEST(CudaLoopOnHost, AnSmHasNoMoreBlocksThanItsLimit) {
  const auto state = std::make_unique<LoopState>();
  LoopReport report{};
  BlockLoop loop;
  loop.state = state.get();
  loop.report = &report;
  loop.grid = dim3{1000};
  loop.blocks = 1000;
  loop.piece_blocks = 1000;
  for (const unsigned sm : {5U, 7U, 8U}) loop.sms.insert(sm);
  loop.first_sm = 5;
  loop.last_sm = 8;
  loop.most = {1, 3, 2};
  // One after the other: they arrive, and stay as long as the launch.
  for (const auto& [sm, places] : {std::pair{4U, 0}, {5U, 1}, {6U, 0}, {7U, 3}, {8U, 2}, {9U, 0}}) {
    this_sm = sm;
    int stayed = 0;
    for (int block = 0; block < 5; ++block) {
      detail::LoopPlace place{};
      detail::arrive(loop, place);
      stayed += place.home == detail::not_here ? 0 : 1;
    }
    EXPECT_EQ(stayed, places) << "SM " << sm;
  }
  detail::forget_arrivals(loop);
  for (const unsigned sm : {5U, 7U, 8U}) EXPECT_EQ(state->arrived[sm], 0U);
}

/// A resident launch of some blocks, and the host's side of it.
struct Resident {
  explicit Resident(unsigned blocks_of_work, unsigned long long period, unsigned long long skip_after = 0)
      : counts(blocks_of_work), ring(4096), done(16) {
    paced.wants_facts = 1;
    loop.pace = {.control = &control,
                 .answer = &answer,
                 .ring = ring.data(),
                 .done = done.data(),
                 .state = &paced,
                 .ring_size = ring.size(),
                 .period = period,
                 .skip_after = skip_after,
                 .facts = &facts,
                 .offset = 5,
                 .deadline = 7};
    loop.state = state.get();
    loop.grid = dim3{blocks_of_work};
    loop.blocks = blocks_of_work;
    loop.piece_blocks = blocks_of_work;
    for (unsigned sm = 0; sm < sms; ++sm) loop.sms.insert(sm);
    loop.anywhere = true;
  }

  void start(unsigned launched) {
    for (unsigned block = 0; block < launched; ++block) {
      threads.emplace_back([this, block, launched] {
        blockIdx = {block, 0, 0};
        gridDim = dim3{launched};
        this_sm = block % sms;
        for_each_block(loop, [&](BlockIndex index) {
          if (std::atomic_ref{counts.at(index.linear)}.fetch_add(1U) + 1 == stop_in_job) stop();
          std::atomic_ref{segments}.fetch_add(index.segment);
          if (!loop.sms.contains(this_sm)) strayed = true;
        });
      });
    }
    while (std::atomic_ref{answer.ready}.load() == 0) std::this_thread::yield();
  }
  /// Keeps a launch on two SMs, with one block on the first and two on the last.
  void pin() {
    loop.anywhere = false;
    loop.sms = sm_set_of({1, 2});
    loop.first_sm = 1;
    loop.last_sm = 2;
    loop.most = {1, 3, 2};
    loop.staying = 3;
  }
  void tell(ResidentWord word) {
    for (ResidentControl::Place& place : control.places) std::atomic_ref{place.word}.store(word.bits);
  }
  void stop() { tell(resident_word(0, 0, true)); }
  void begin() { std::atomic_ref{control.first}.store(global_time() + 1'000'000); }
  void ring_and_wait(unsigned job, unsigned segment = 0) {
    tell(resident_word(job, segment, false));
    for (unsigned block = 0; block < answer.ready; ++block) {
      while (std::atomic_ref{done[block]}.load() != job) std::this_thread::yield();
    }
  }
  void wait_for(unsigned long long jobs) {
    const ResidentRecord& record = ring[(jobs - 1) % ring.size()];
    while (detail::read_now(record.sequence) < jobs) std::this_thread::yield();
    EXPECT_EQ(record.check, check_of(record));
  }

  std::vector<unsigned> counts;
  std::unique_ptr<LoopState> state = std::make_unique<LoopState>();
  ResidentControl control{};
  ResidentAnswer answer{};
  ResidentState paced{};
  JobFacts facts{};
  std::vector<ResidentRecord> ring;
  std::vector<unsigned> done;
  BlockLoop loop;
  unsigned segments = 0;     // the sum over all blocks
  unsigned stop_in_job = 0;  // a block of that job asks for a stop; counted from 1, 0: of none
  std::atomic<bool> strayed{false};
  std::vector<std::jthread> threads;
};

TEST(CudaLoopOnHost, AResidentLaunchDoesEveryJobOnce) {
  Resident resident{50, 200'000};
  resident.start(4);
  resident.begin();
  resident.wait_for(30);
  resident.stop();
  resident.threads.clear();
  const auto jobs = static_cast<unsigned>(resident.paced.round);
  EXPECT_GE(jobs, 30U);
  EXPECT_EQ(resident.counts, std::vector<unsigned>(50, jobs));
  EXPECT_EQ(resident.facts.number, jobs);
  EXPECT_EQ(resident.facts.release_ns, 5 + 200'000LL * jobs);
  EXPECT_EQ(resident.facts.deadline_ns, 12 + 200'000LL * jobs);
  for (unsigned job = 0; job < 30; ++job) {
    EXPECT_EQ(resident.ring[job].number, job);
    EXPECT_GE(resident.ring[job].start, resident.control.first + job * 200'000ULL);
    EXPECT_GE(resident.ring[job].end, resident.ring[job].start);
  }
}

TEST(CudaLoopOnHost, AResidentLaunchAnswersAndFollowsTheHostsClock) {
  Resident resident{4, 5'000'000};
  resident.start(2);
  resident.begin();
  resident.wait_for(2);
  std::atomic_ref{resident.control.shift}.store(700);
  resident.tell(resident_word(7, 0, false));
  while (std::atomic_ref{resident.answer.question}.load() != 7) std::this_thread::yield();
  EXPECT_GT(resident.answer.time, 0U);
  const unsigned long long seen = resident.paced.round;
  resident.wait_for(seen + 2);
  resident.stop();
  resident.threads.clear();
  EXPECT_EQ(resident.paced.first, resident.control.first + 700);
}

/// With facts one block hears the host, without them several do.
TEST(CudaLoopOnHost, JobsAreRung) {
  for (const unsigned wants_facts : {0U, 1U}) {
    Resident resident{18, 0};
    resident.paced.wants_facts = wants_facts;
    resident.start(6);
    resident.begin();
    EXPECT_EQ(resident.answer.ready, 6U);
    for (unsigned job = 1; job <= 50; ++job) {
      resident.control.facts.number = job;
      resident.ring_and_wait(job, job % 3);
      ASSERT_EQ(resident.counts, std::vector<unsigned>(18, job));  // it was over when it was told
      EXPECT_EQ(resident.facts.number, wants_facts * job);
    }
    resident.tell(resident_word(50, 0, true));
    resident.threads.clear();
    EXPECT_EQ(resident.paced.round, 50U);
    EXPECT_EQ(resident.segments, 18 * (17 * 1 + 17 * 2U));  // of 50 jobs, with segments 1, 2, 0, 1, ...
  }
}

TEST(CudaLoopOnHost, OnlyTheBlocksOnChosenSmsStay) {
  Resident resident{50, 0};
  resident.pin();
  resident.start(16);
  EXPECT_EQ(resident.paced.present, 3U);
  // The others have left for good: they wait for no job.
  std::this_thread::sleep_for(std::chrono::milliseconds{5});
  resident.begin();
  for (unsigned job = 1; job <= 20; ++job) resident.ring_and_wait(job);
  resident.tell(resident_word(20, 0, true));
  resident.threads.clear();
  EXPECT_EQ(resident.paced.present, 3U);
  EXPECT_EQ(resident.counts, std::vector<unsigned>(50, 20U));
  EXPECT_FALSE(resident.strayed);
}

TEST(CudaLoopOnHost, BlocksThatStayHaveBlocksOfTheirOwn) {
  for (const unsigned blocks : {1U, 3U}) {
    Resident resident{blocks, 0};
    resident.pin();
    resident.loop.piece_blocks = 0;  // who asks gets nothing
    resident.start(16);
    resident.begin();
    for (unsigned job = 1; job <= 20; ++job) resident.ring_and_wait(job);
    resident.tell(resident_word(20, 0, true));
    resident.threads.clear();
    EXPECT_EQ(resident.counts, std::vector<unsigned>(blocks, 20U));
  }
}

TEST(CudaLoopOnHost, APinnedLaunchIsReleasedByTheClock) {
  Resident resident{50, 200'000};
  resident.pin();
  resident.start(16);
  resident.begin();
  resident.wait_for(30);
  resident.stop();
  resident.threads.clear();
  EXPECT_EQ(resident.counts, std::vector<unsigned>(50, static_cast<unsigned>(resident.paced.round)));
  EXPECT_FALSE(resident.strayed);
}

TEST(CudaLoopOnHost, AStopBeforeTheFirstJobEndsTheLaunch) {
  Resident resident{9, 1'000'000};
  resident.start(3);
  resident.stop();
  resident.threads.clear();
  EXPECT_EQ(resident.paced.round, 0U);
}

/// The next release is an hour away: no block may wait for it.
TEST(CudaLoopOnHost, AStopBetweenTwoJobsEndsTheLaunch) {
  for (const unsigned launched : {1U, 5U}) {
    Resident resident{11, 3'600'000'000'000};
    resident.start(launched);
    resident.begin();
    resident.wait_for(1);
    resident.stop();
    resident.threads.clear();
    EXPECT_EQ(resident.counts, std::vector<unsigned>(11, 1U));
  }
}

/// Also where no time passes between two jobs: the period is far below what a job takes.
TEST(CudaLoopOnHost, AStopEndsTheLaunchWithTheJobInProgress) {
  for (const unsigned launched : {1U, 5U}) {
    for (const unsigned job : {1U, 2U, 7U, 23U}) {
      Resident resident{11, 1};
      resident.stop_in_job = job;
      resident.start(launched);
      resident.begin();
      resident.threads.clear();
      EXPECT_EQ(resident.paced.round, job);
      EXPECT_EQ(resident.counts, std::vector<unsigned>(11, job));
    }
  }
}

TEST(CudaLoopOnHost, AfterAMissTheNextJobIsSkipped) {
  Resident resident{1, 1'000'000, 1};
  resident.start(1);
  resident.begin();
  resident.wait_for(5);
  resident.stop();
  resident.threads.clear();
  for (unsigned job = 0; job < 5; ++job) EXPECT_EQ(resident.ring[job].number, 2 * job);
}

}  // namespace
}  // namespace tactus::cuda
