#include "tactus/device/cuda/stream_queues.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "support/dice.hpp"
#include "tactus/device/job_starts.hpp"

namespace tactus::cuda {
namespace {

using testing::UnorderedElementsAre;

TEST(CudaStreamQueues, AQueueKeepsTheOrderOfCalls) {
  StreamQueues entries{4, 2};
  const std::uint32_t a = entries.open();
  const std::uint32_t b = entries.open();
  const std::uint32_t c = entries.open();
  entries.enqueue(a, 1);
  entries.enqueue(b, 0);
  entries.enqueue(c, 1);
  EXPECT_EQ(entries.size(), 3U);
  EXPECT_THAT(entries.busy(), UnorderedElementsAre(0U, 1U));
  EXPECT_EQ(entries.first(1), a);
  entries.pop(1);
  EXPECT_EQ(entries.first(1), c);
  entries.pop(1);
  EXPECT_EQ(entries.first(1), nothing);
  EXPECT_THAT(entries.busy(), UnorderedElementsAre(0U));
}

TEST(CudaStreamQueues, LoopsBeforeOneAreThoseOfItsQueue) {
  StreamQueues entries{5, 2};
  std::vector<std::uint32_t> all;
  for (int i = 0; i < 5; ++i) all.push_back(entries.open());
  for (const std::size_t i : {0U, 1U, 3U, 4U}) entries.enqueue(all[i], 1);
  entries.enqueue(all[2], 0);
  for (const std::size_t i : {0U, 2U, 3U}) entries[all[i]].loop = 7;
  EXPECT_EQ(entries.loops_before(all[0]), 0U);
  EXPECT_EQ(entries.loops_before(all[2]), 0U);
  EXPECT_EQ(entries.loops_before(all[3]), 1U);
  EXPECT_EQ(entries.loops_before(all[4]), 2U);
  entries.pop(1);
  EXPECT_EQ(entries.loops_before(all[4]), 1U);
}

TEST(CudaStreamQueues, AFullTableSaysSoAndPlacesComeBack) {
  StreamQueues entries{2, 1};
  const std::uint32_t a = entries.open();
  EXPECT_NE(entries.open(), nothing);
  EXPECT_EQ(entries.open(), nothing);
  entries.close(a);
  EXPECT_EQ(entries.open(), a);
}

// The word of an entry still holds what its last use wrote.
TEST(CudaStreamQueues, ASignalIsNewForEveryUse) {
  StreamQueues entries{1, 1};
  unsigned before = 0;
  for (int i = 0; i < 10; ++i) {
    const std::uint32_t index = entries.open();
    EXPECT_EQ(entries[index].signal, before + 1);
    before = entries[index].signal;
    entries.close(index);
  }
}

TEST(CudaStreamQueues, ManyQueuesAgainstPlainOnes) {
  constexpr std::size_t capacity = 40;
  constexpr std::uint32_t queues = 7;
  test::Dice dice{17};
  StreamQueues entries{capacity, queues};
  std::vector<std::deque<std::uint32_t>> plain(queues);
  std::size_t count = 0;
  for (int step = 0; step < 20'000; ++step) {
    const auto queue = static_cast<std::uint32_t>(dice.between(0, queues - 1));
    if (dice.between(0, 1) == 0 || plain[queue].empty()) {
      const std::uint32_t index = entries.open();
      ASSERT_EQ(index == nothing, count == capacity);
      if (index == nothing) continue;
      entries.enqueue(index, queue);
      plain[queue].push_back(index);
      ++count;
    } else {
      ASSERT_EQ(entries.first(queue), plain[queue].front());
      entries.pop(queue);
      entries.close(plain[queue].front());
      plain[queue].pop_front();
      --count;
    }
    ASSERT_EQ(entries.size(), count);
    std::vector<std::uint32_t> busy = entries.busy();
    std::sort(busy.begin(), busy.end());
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < queues; ++i) {
      if (!plain[i].empty()) expected.push_back(i);
    }
    ASSERT_EQ(busy, expected);
  }
}

TEST(CudaJobStarts, ANewJobInAnOldRowKnowsNothing) {
  device::JobStarts starts{3};
  const sched::JobId first{.slot = 1, .generation = 0};
  const sched::JobId second{.slot = 1, .generation = 1};
  starts.note(first, time_at(nanoseconds(10)));
  EXPECT_EQ(starts.of(first), never);
  starts.open(first);
  starts.note(first, time_at(nanoseconds(70)));
  starts.note(first, time_at(nanoseconds(90)));
  EXPECT_EQ(starts.of(first), time_at(nanoseconds(70)));
  starts.open(second);
  starts.note(first, time_at(nanoseconds(60)));
  EXPECT_EQ(starts.of(first), never);
  EXPECT_EQ(starts.of(second), never);
}

}  // namespace
}  // namespace tactus::cuda
