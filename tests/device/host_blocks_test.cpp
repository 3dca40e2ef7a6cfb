// The GPU of the host device: bound blocks and functions under the rules of the GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/host_run.hpp"
#include "tactus/base/error.hpp"

namespace tactus::test {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Counts calls by block, and how many run at once.
struct Counter {
  explicit Counter(std::size_t blocks) : calls(blocks) {}

  void enter(const Job& job) {
    calls[static_cast<std::size_t>(job.first_block())].fetch_add(1);
    const int now = running.fetch_add(1) + 1;
    int before = most.load();
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
  }
  void leave() { running.fetch_sub(1); }
  std::function<void(Job&)> work(Duration length = 20us) {
    return [this, length](Job& job) {
      enter(job);
      std::this_thread::sleep_for(length);
      leave();
    };
  }
  [[nodiscard]] std::vector<int> counts() const { return {calls.begin(), calls.end()}; }

  std::vector<std::atomic<int>> calls;
  std::atomic<int> running{0};
  std::atomic<int> most{0};
};

System one_kernel(std::int64_t blocks, std::int64_t threads = 32) {
  System system = small_host_system();
  add_task(system, "kernel", {host_kernel(blocks, 50us, threads)});
  return system;
}

TEST(HostBlocks, EachBlockRunsOnceAndNoMoreThanFitAtATime) {
  constexpr int blocks = 101;
  Counter counter{blocks};
  HostRun run{one_kernel(blocks), {{bound_blocks(counter.work())}}};
  run.open();
  const sched::SubmissionId submission = run.submit(0, 7);
  ASSERT_TRUE(run.pump_until_heard_of(submission));
  run.device->close();
  EXPECT_EQ(run.heard_of(submission), "finished");
  EXPECT_THAT(counter.counts(), Each(1));
  EXPECT_LE(counter.most.load(), 4);
  ASSERT_THAT(run.recorder.recording.blocks, SizeIs(blocks));
  std::vector<int> told(blocks);
  for (const trace::BlockRan& block : run.recorder.recording.blocks) {
    ++told[static_cast<std::size_t>(block.block)];
    EXPECT_EQ(block.job.number, 7U);
    EXPECT_TRUE(block.sm == 0 || block.sm == 1) << block.sm;
    EXPECT_LE(block.start, block.end);
  }
  EXPECT_THAT(told, Each(1));
}

TEST(HostBlocks, WhatABlockMayKnow) {
  std::atomic<int> wrong{0};
  const auto work = [&](Job& job) {
    if (job.task() != "kernel" || job.task_index() != 0 || job.number() != 3 || job.segment() != 0 ||
        job.blocks() != 1 || job.first_block() < 0 || job.first_block() > 8 || job.stop_requested()) {
      ++wrong;
    }
  };
  HostRun run{one_kernel(9), {{bound_blocks(work)}}};
  run.open();
  ASSERT_TRUE(run.pump_until_heard_of(run.submit(0, 3)));
  EXPECT_EQ(wrong.load(), 0);
}

TEST(HostBlocks, AnSmSetIsKept) {
  Counter counter{12};
  HostRun run{one_kernel(12), {{bound_blocks(counter.work())}}};
  run.open({{1}});
  ASSERT_TRUE(run.pump_until_heard_of(run.submit(0, 0, 0, {.sms = 1})));
  run.device->close();
  EXPECT_LE(counter.most.load(), 2);
  ASSERT_THAT(run.recorder.recording.blocks, SizeIs(12));
  for (const trace::BlockRan& block : run.recorder.recording.blocks) EXPECT_EQ(block.sm, 1);
}

TEST(HostBlocks, FewerThreadsThanPlacesStillRunEachBlockOnce) {
  Counter counter{50};
  device::HostOptions options = plain_host();
  options.max_threads = 3;  // the front end, and two for blocks
  HostRun run{one_kernel(50), {{bound_blocks(counter.work())}}, options};
  run.open();
  ASSERT_TRUE(run.pump_until_heard_of(run.submit(0, 0)));
  EXPECT_THAT(counter.counts(), Each(1));
  EXPECT_LE(counter.most.load(), 2);
  EXPECT_THAT(run.device->not_enforced(), testing::Contains(HasSubstr("share 2 threads")));
}

TEST(HostBlocks, AStreamIsAQueue) {
  System system = small_host_system();
  add_task(system, "a", {host_kernel(3), host_copy(0us), host_kernel(3)});
  std::atomic<int> step{0};
  std::atomic<int> wrong{0};
  const auto in_order = [&](int from, int to) {
    return [&, from, to](Job&) {
      const int now = step.fetch_add(1);
      if (now < from || now >= to) ++wrong;
    };
  };
  HostRun run{system,
              {{bound_blocks(in_order(0, 3)), bound_function(in_order(3, 4)), bound_blocks(in_order(4, 7))}}};
  run.open();
  run.submit(0, 0, 0);
  run.submit(0, 0, 1);
  const sched::SubmissionId last = run.submit(0, 0, 2);
  ASSERT_TRUE(run.pump_until_heard_of(last));
  EXPECT_EQ(step.load(), 7);
  EXPECT_EQ(wrong.load(), 0);
}

TEST(HostBlocks, CopiesGoOneAtATimeThroughAnEngine) {
  System system = small_host_system();
  system.platform.gpu.copy_engines = 2;
  add_task(system, "copy", {host_copy(0us)});
  Counter counter{1};
  HostRun run{system, {{bound_function(counter.work(100us))}}};
  run.open();
  std::vector<sched::SubmissionId> all;
  for (std::uint32_t job = 0; job < 20; ++job) all.push_back(run.submit(0, job));
  for (const sched::SubmissionId& submission : all) ASSERT_TRUE(run.pump_until_heard_of(submission));
  run.device->close();
  EXPECT_EQ(counter.calls[0].load(), 20);
  EXPECT_LE(counter.most.load(), 2);
  ASSERT_THAT(run.recorder.recording.copies, SizeIs(20));
  for (const trace::CopyRan& one : run.recorder.recording.copies) {
    for (const trace::CopyRan& other : run.recorder.recording.copies) {
      if (one.engine != other.engine || one.job == other.job) continue;
      EXPECT_TRUE(one.end <= other.start || other.end <= one.start);
    }
  }
}

TEST(HostBlocks, PartsGoOnWhereTheLastOneEnded) {
  Counter counter{10};
  HostRun run{one_kernel(10), {{bound_blocks(counter.work())}}};
  run.open();
  std::vector<std::string> heard;
  for (int part = 0; part < 3; ++part) {
    const sched::SubmissionId submission = run.submit(0, 0, 0, {.extent = sched::Extent::slice});
    ASSERT_TRUE(run.pump_until_heard_of(submission));
    heard.push_back(run.heard_of(submission));
    int called = 0;
    for (const int calls : counter.counts()) called += calls;
    EXPECT_EQ(called, std::min(10, 4 * (part + 1)));
  }
  EXPECT_THAT(heard, ElementsAre("stopped", "stopped", "finished"));
  EXPECT_THAT(counter.counts(), Each(1));
}

TEST(HostBlocks, AnUrgentStreamTakesOverAtABlockBoundary) {
  System system = small_host_system();
  add_task(system, "long", {host_kernel(40)});
  add_task(system, "urgent", {host_kernel(4)});
  std::atomic<int> long_calls{0};
  std::atomic<int> urgent_calls{0};
  std::atomic<bool> submitted{false};
  // Blocks that come after the request hold all places until an urgent block has run: if it had to wait
  // behind them, nothing would ever go on.
  HostRun run{system,
              {{bound_blocks([&](Job& job) {
                 ++long_calls;
                 while (!submitted.load() || (job.first_block() >= 4 && urgent_calls.load() == 0)) {
                   std::this_thread::sleep_for(50us);
                 }
               })},
               {bound_blocks([&](Job&) { ++urgent_calls; })}}};
  run.open();
  const sched::SubmissionId low = run.submit(0, 0, 0, {.level = 1});
  ASSERT_TRUE(run.pump([&] { return long_calls.load() == 4; }));
  const sched::SubmissionId high = run.submit(1, 1, 0, {.level = 0});
  submitted = true;
  ASSERT_TRUE(run.pump_until_heard_of(high));
  ASSERT_TRUE(run.pump_until_heard_of(low));
  EXPECT_EQ(long_calls.load(), 40);
  EXPECT_EQ(urgent_calls.load(), 4);
}

TEST(HostBlocks, AFunctionHasItsSmsToItself) {
  System system = small_host_system();
  add_task(system, "kernel", {host_kernel(30)});
  add_task(system, "opaque", {host_kernel(6)});
  Counter blocks{30};
  std::atomic<int> beside{0};
  std::atomic<std::int64_t> told_blocks{0};
  HostRun run{system, {{bound_blocks(blocks.work())}, {bound_function([&](Job& job) {
                         told_blocks = job.blocks();
                         for (int i = 0; i < 20; ++i) {
                           if (blocks.running.load() != 0) ++beside;
                           std::this_thread::sleep_for(20us);
                         }
                       })}}};
  run.open();
  const sched::SubmissionId first = run.submit(0, 0);
  const sched::SubmissionId second = run.submit(1, 1);
  const sched::SubmissionId third = run.submit(0, 2);
  for (const sched::SubmissionId& submission : {first, second, third}) {
    ASSERT_TRUE(run.pump_until_heard_of(submission));
    EXPECT_EQ(run.heard_of(submission), "finished");
  }
  EXPECT_EQ(beside.load(), 0);
  EXPECT_EQ(told_blocks.load(), 6);
  EXPECT_THAT(blocks.counts(), Each(2));
}

TEST(HostBlocks, AnExceptionFailsTheSegmentAlone) {
  System system = one_kernel(100);
  add_task(system, "other", {host_kernel(4)});
  std::atomic<int> calls{0};
  Counter others{4};
  HostRun run{system,
              {{bound_blocks([&](Job& job) {
                 ++calls;
                 if (job.first_block() == 5) throw std::runtime_error{"no such bird"};
                 std::this_thread::sleep_for(50us);
               })},
               {bound_blocks(others.work())}}};
  run.open();
  const sched::SubmissionId bad = run.submit(0, 4);
  const sched::SubmissionId good = run.submit(1, 5);
  ASSERT_TRUE(run.pump_until_heard_of(bad));
  ASSERT_TRUE(run.pump_until_heard_of(good));
  EXPECT_EQ(run.heard_of(bad), "failed");
  EXPECT_EQ(run.heard_of(good), "finished");
  EXPECT_EQ(run.device->failure(), "task 'kernel', job 4, segment 0: no such bird");
  EXPECT_LT(calls.load(), 100);
  EXPECT_THAT(others.counts(), Each(1));
}

TEST(HostBlocks, AFailedCopyAndFunctionAreTold) {
  System system = small_host_system();
  add_task(system, "mixed", {host_copy(0us), host_exclusive(1us)});
  const auto bad = [](Job&) { throw 42; };  // NOLINT(hicpp-exception-baseclass): what users may do
  HostRun run{system, {{bound_function(bad), bound_function(bad)}}};
  run.open();
  const sched::SubmissionId copy = run.submit(0, 0, 0);
  ASSERT_TRUE(run.pump_until_heard_of(copy));
  const sched::SubmissionId function = run.submit(0, 1, 1);
  ASSERT_TRUE(run.pump_until_heard_of(function));
  EXPECT_EQ(run.heard_of(copy), "failed");
  EXPECT_EQ(run.heard_of(function), "failed");
  EXPECT_EQ(run.device->failure(), "task 'mixed', job 0, segment 0: an exception of unknown type");
}

TEST(HostBlocks, RefusesWhatItCannotRun) {
  System system = small_host_system();
  add_task(system, "a", {host_kernel(1), host_copy(1us)});
  const device::Binding on_a_stream{.kind = device::Binding::Kind::calls, .work = [](Job&) {}};
  HostRun run{system, {{on_a_stream, bound_blocks([](Job&) {})}}};
  try {
    run.open();
    FAIL() << "opened";
  } catch (const InputError& error) {
    ASSERT_THAT(error.problems(), SizeIs(2));
    EXPECT_THAT(error.problems()[0].message, HasSubstr("task 'a', segment 0: GPU work on a stream"));
    EXPECT_THAT(error.problems()[1].message, HasSubstr("task 'a', segment 1: only a `kernel` segment"));
  }
  run.bindings = {{bound_function(nullptr)}};
  EXPECT_THROW(run.open(), InputError);
}

TEST(HostBlocks, RefusesTooManyThreads) {
  System system = small_host_system();
  for (int i = 0; i < 10; ++i) add_task(system, "task" + std::to_string(i), {host_cpu(1us)}).core = i;
  device::HostOptions options = plain_host();
  options.max_threads = 10;
  HostRun run{system, {}, options};
  EXPECT_THROW(run.open(), InputError);
  options.max_threads = 11;
  HostRun enough{system, {}, options};
  enough.open();
}

TEST(HostBlocks, TellsWhatItCanDo) {
  HostRun run{one_kernel(1)};
  const sched::Capabilities capabilities = run.device->capabilities(run.system);
  EXPECT_EQ(capabilities.engine, "the host device");
  EXPECT_EQ(capabilities.priority_levels, 2);
  EXPECT_EQ(capabilities.sm_set_granularity, 1);
  EXPECT_TRUE(capabilities.stops_kernels);
  EXPECT_FALSE(capabilities.immediate_refill);
  EXPECT_TRUE(capabilities.preemptive_cpu);
}

}  // namespace
}  // namespace tactus::test
