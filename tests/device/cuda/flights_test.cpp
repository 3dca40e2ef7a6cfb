#include "tactus/device/cuda/flights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "support/dice.hpp"
#include "tactus/device/cuda/job_rows.hpp"

namespace tactus::cuda {
namespace {

using testing::UnorderedElementsAre;

TEST(CudaFlights, AQueueKeepsTheOrderOfCalls) {
  Flights flights{4, 2};
  const std::uint32_t a = flights.open();
  const std::uint32_t b = flights.open();
  const std::uint32_t c = flights.open();
  flights.enqueue(a, 1);
  flights.enqueue(b, 0);
  flights.enqueue(c, 1);
  EXPECT_EQ(flights.size(), 3U);
  EXPECT_THAT(flights.busy(), UnorderedElementsAre(0U, 1U));
  EXPECT_EQ(flights.first(1), a);
  flights.pop(1);
  EXPECT_EQ(flights.first(1), c);
  flights.pop(1);
  EXPECT_EQ(flights.first(1), nothing);
  EXPECT_THAT(flights.busy(), UnorderedElementsAre(0U));
}

TEST(CudaFlights, LoopsBeforeOneAreThoseOfItsQueue) {
  Flights flights{5, 2};
  std::vector<std::uint32_t> all;
  for (int i = 0; i < 5; ++i) all.push_back(flights.open());
  for (const std::size_t i : {0U, 1U, 3U, 4U}) flights.enqueue(all[i], 1);
  flights.enqueue(all[2], 0);
  for (const std::size_t i : {0U, 2U, 3U}) flights[all[i]].loop = 7;
  EXPECT_EQ(flights.loops_before(all[0]), 0U);
  EXPECT_EQ(flights.loops_before(all[2]), 0U);
  EXPECT_EQ(flights.loops_before(all[3]), 1U);
  EXPECT_EQ(flights.loops_before(all[4]), 2U);
  flights.pop(1);
  EXPECT_EQ(flights.loops_before(all[4]), 1U);
}

TEST(CudaFlights, AFullTableSaysSoAndPlacesComeBack) {
  Flights flights{2, 1};
  const std::uint32_t a = flights.open();
  EXPECT_NE(flights.open(), nothing);
  EXPECT_EQ(flights.open(), nothing);
  flights.close(a);
  EXPECT_EQ(flights.open(), a);
}

// The word of a flight still holds what its last use wrote.
TEST(CudaFlights, ASignalIsNewForEveryUse) {
  Flights flights{1, 1};
  unsigned before = 0;
  for (int i = 0; i < 10; ++i) {
    const std::uint32_t index = flights.open();
    EXPECT_EQ(flights[index].signal, before + 1);
    before = flights[index].signal;
    flights.close(index);
  }
}

TEST(CudaFlights, ManyQueuesAgainstPlainOnes) {
  constexpr std::size_t capacity = 40;
  constexpr std::uint32_t queues = 7;
  test::Dice dice{17};
  Flights flights{capacity, queues};
  std::vector<std::deque<std::uint32_t>> plain(queues);
  std::size_t count = 0;
  for (int step = 0; step < 20'000; ++step) {
    const auto queue = static_cast<std::uint32_t>(dice.between(0, queues - 1));
    if (dice.between(0, 1) == 0 || plain[queue].empty()) {
      const std::uint32_t index = flights.open();
      ASSERT_EQ(index == nothing, count == capacity);
      if (index == nothing) continue;
      flights.enqueue(index, queue);
      plain[queue].push_back(index);
      ++count;
    } else {
      ASSERT_EQ(flights.first(queue), plain[queue].front());
      flights.pop(queue);
      flights.close(plain[queue].front());
      plain[queue].pop_front();
      --count;
    }
    ASSERT_EQ(flights.size(), count);
    std::vector<std::uint32_t> busy = flights.busy();
    std::sort(busy.begin(), busy.end());
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < queues; ++i) {
      if (!plain[i].empty()) expected.push_back(i);
    }
    ASSERT_EQ(busy, expected);
  }
}

TEST(CudaJobRows, ANewJobInAnOldRowKnowsNothing) {
  JobRows rows{3, 2};
  const sched::JobId first{.slot = 1, .generation = 0};
  const sched::JobId second{.slot = 1, .generation = 1};
  EXPECT_EQ(rows.find({first, 0}), nullptr);
  rows.open({first, 1}).loop = 5;
  rows.open({first, 1}).copy = MemoryCopy{.bytes = 7};
  rows.note_start(first, at(nanoseconds(70)));
  rows.note_start(first, at(nanoseconds(90)));
  EXPECT_EQ(rows.find({first, 1})->loop, 5U);
  EXPECT_EQ(rows.start(first), at(nanoseconds(70)));
  EXPECT_EQ(rows.find({first, 2}), nullptr);
  EXPECT_EQ(rows.open({second, 1}).loop, nothing);
  EXPECT_FALSE(rows.find({second, 1})->copy.has_value());
  EXPECT_EQ(rows.find({first, 1}), nullptr);
  EXPECT_EQ(rows.start(first), never);
  EXPECT_EQ(rows.start(second), never);
}

}  // namespace
}  // namespace tactus::cuda
