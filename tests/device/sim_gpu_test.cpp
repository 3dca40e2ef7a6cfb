// The simulated GPU: what is withdrawn from it, and what gives way on it.
#include "tactus/device/sim/sim_gpu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tactus::device {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Two SMs, two levels. SM sets: all, each SM alone.
Gpu small_gpu() {
  Gpu gpu;
  gpu.sms = 2;
  gpu.threads_per_sm = 64;
  gpu.priority_levels = 2;
  return gpu;
}

Time instant(std::int64_t count) { return time_at(nanoseconds(count)); }

TimedCall exclusive(std::uint64_t token, std::int64_t length, std::uint32_t level, std::uint32_t sm_set) {
  TimedCall call;
  call.call.kind = OperationKind::exclusive;
  call.call.level = level;
  call.call.sm_set = sm_set;
  call.length = call.last_length = nanoseconds(length);
  call.preemptible_anywhere = true;
  call.token = token;
  return call;
}

class SimGpuTest : public testing::Test, private GpuListener {
 protected:
  SimGpuTest() { gpu.listen({.listener = this, .blocks = true, .copies = false}); }

  OperationIndex call(const TimedCall& call, std::int64_t now) {
    const OperationIndex index = gpu.call(gpu.open_stream(), call, instant(now));
    gpu.dispatch(instant(now));
    return index;
  }
  /// Lets it run up to an instant, dispatching wherever something finished; answers what finished.
  std::vector<std::string> run_to(std::int64_t limit) {
    std::vector<std::string> finished;
    Time now{};
    do {
      std::vector<Completion> completions;
      now = gpu.advance(instant(limit), completions);
      for (const Completion& one : completions) {
        finished.push_back(std::to_string(one.token) + "@" + std::to_string(in_ns(now)));
      }
      gpu.dispatch(now);
    } while (now < instant(limit));
    return finished;
  }

  SimGpu gpu{small_gpu(), {{0, 1}, {0}, {1}}};
  std::vector<std::string> ran;  // "token#block on sm: start-end"

 private:
  void block_ran(std::uint64_t token, std::int64_t block, std::int32_t sm, Time start, Time end) override {
    ran.push_back(std::to_string(token) + "#" + std::to_string(block) + " on " + std::to_string(sm) + ": " +
                  std::to_string(in_ns(start)) + "-" + std::to_string(in_ns(end)));
  }
  void copy_ran(std::uint64_t /*token*/, std::int32_t /*engine*/, Time /*start*/, Time /*end*/) override {}
};

TEST_F(SimGpuTest, WithdrawsRunningWorkAndTellsWhatIsLeft) {
  const OperationIndex index = call(exclusive(7, 10, 1, 0), 0);
  run_to(4);
  const SimGpu::Withdrawn withdrawn = gpu.withdraw(index, instant(4));
  EXPECT_EQ(withdrawn.left, nanoseconds(6));
  EXPECT_EQ(withdrawn.called, instant(0));
  EXPECT_EQ(withdrawn.start, instant(0));
  EXPECT_THAT(ran, ElementsAre("7#0 on 0: 0-4", "7#0 on 1: 0-4"));
  EXPECT_EQ(gpu.next_end(), never);
  // The SMs are free at once, and what goes on is counted on.
  TimedCall rest = exclusive(7, 6, 1, 0);
  rest.first_block = 1;
  call(rest, 4);
  EXPECT_THAT(run_to(20), ElementsAre("7@10"));
  EXPECT_EQ(ran.back(), "7#1 on 1: 4-10");
}

TEST_F(SimGpuTest, WhatIsWithdrawnWhereItBeganNeverRan) {
  const OperationIndex index = call(exclusive(7, 10, 1, 0), 3);
  const SimGpu::Withdrawn withdrawn = gpu.withdraw(index, instant(3));
  EXPECT_EQ(withdrawn.left, nanoseconds(10));
  EXPECT_EQ(withdrawn.start, never);
  EXPECT_THAT(ran, IsEmpty());
}

TEST_F(SimGpuTest, WithdrawsWaitingWork) {
  TimedCall block = exclusive(1, 5, 0, 0);
  block.preemptible_anywhere = false;
  call(block, 0);
  const OperationIndex waiting = call(exclusive(2, 10, 1, 0), 0);
  run_to(2);
  const SimGpu::Withdrawn withdrawn = gpu.withdraw(waiting, instant(2));
  EXPECT_EQ(withdrawn.left, nanoseconds(10));
  EXPECT_EQ(withdrawn.start, never);
  EXPECT_THAT(run_to(20), ElementsAre("1@5"));
  EXPECT_THAT(ran, ElementsAre("1#0 on 0: 0-5", "1#0 on 1: 0-5"));
  EXPECT_EQ(gpu.rules().head(), no_index);
}

TEST_F(SimGpuTest, TakesTheShortWayOnlyWhileNothingElseIsThere) {
  const TimedCall whole = exclusive(1, 5, 1, 0);
  const StreamIndex stream = gpu.open_stream();
  const auto call_alone = [&](std::uint64_t token, std::int64_t now) {
    const bool taken = gpu.call_alone(stream, whole.call, 1, nanoseconds(5), token, instant(now));
    gpu.dispatch(instant(now));
    return taken;
  };
  EXPECT_FALSE(call_alone(1, 0)) << "every block is told";
  gpu.listen({});
  EXPECT_TRUE(call_alone(1, 0));
  EXPECT_EQ(gpu.next_end(), instant(5));
  EXPECT_FALSE(call_alone(2, 3));
  EXPECT_THAT(run_to(5), ElementsAre("1@5"));
  EXPECT_TRUE(call_alone(3, 5));
  // Others make it one of them, with what is left of its time.
  TimedCall next = exclusive(4, 2, 1, 0);
  next.preemptible_anywhere = false;
  EXPECT_THAT(run_to(7), IsEmpty());
  call(next, 7);
  EXPECT_FALSE(call_alone(5, 7));
  EXPECT_THAT(run_to(20), ElementsAre("3@10", "4@12"));
}

TEST_F(SimGpuTest, WithdrawsWorkThatGaveWayBefore) {
  const OperationIndex low = call(exclusive(1, 10, 1, 0), 0);
  run_to(3);
  call(exclusive(2, 4, 0, 0), 3);
  run_to(5);
  const SimGpu::Withdrawn withdrawn = gpu.withdraw(low, instant(5));
  EXPECT_EQ(withdrawn.left, nanoseconds(7));
  EXPECT_EQ(withdrawn.start, instant(0));
  EXPECT_THAT(run_to(20), ElementsAre("2@7"));
  EXPECT_THAT(ran, ElementsAre("1#0 on 0: 0-3", "1#0 on 1: 0-3", "2#0 on 0: 3-7", "2#0 on 1: 3-7"));
}

TEST_F(SimGpuTest, WorkGivesWayOnlyWhereAMoreUrgentHeadWantsItsSms) {
  call(exclusive(1, 10, 1, 1), 0);
  call(exclusive(2, 10, 1, 2), 0);
  run_to(2);
  call(exclusive(3, 3, 0, 2), 2);
  EXPECT_THAT(run_to(20), ElementsAre("3@5", "1@10", "2@13"));
  EXPECT_THAT(ran, ElementsAre("2#0 on 1: 0-2", "3#0 on 1: 2-5", "1#0 on 0: 0-10", "2#1 on 1: 5-13"));
}

TEST_F(SimGpuTest, AStreamGoesOnBehindWhatWasWithdrawn) {
  const StreamIndex stream = gpu.open_stream();
  const OperationIndex first = gpu.call(stream, exclusive(1, 10, 1, 0), instant(0));
  gpu.call(stream, exclusive(2, 5, 1, 0), instant(0));
  gpu.dispatch(instant(0));
  run_to(4);
  gpu.withdraw(first, instant(4));
  gpu.dispatch(instant(4));
  EXPECT_THAT(run_to(20), ElementsAre("2@9"));
}

}  // namespace
}  // namespace tactus::device
