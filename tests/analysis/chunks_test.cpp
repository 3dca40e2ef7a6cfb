// Chunks of jobs in windows: the published list, edges of windows, lost jobs, and huge periods.
#include "tactus/analysis/chunks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/window_twins.hpp"

namespace tactus::analysis {
namespace {

using test::chunk_list;
using test::longest_chunks;
using test::supply_of;
using test::WindowChunk;
using testing::ElementsAre;
using testing::Pair;

GpuTask task(std::int64_t cost, std::int64_t deadline, std::int64_t period) {
  return {.cost = nanoseconds(cost), .deadline = nanoseconds(deadline), .period = nanoseconds(period)};
}

std::vector<std::pair<std::int64_t, std::int64_t>> list(const GpuTask& task, const Supply& supply) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const WindowChunk& chunk : chunk_list(task, supply)) {
    pairs.emplace_back(in_ns(chunk.arrival), in_ns(chunk.length));
  }
  return pairs;
}

TEST(Chunks, ThePublishedList) {
  EXPECT_THAT(list(task(3, 10, 10), supply_of(0, 8, 12)),
              ElementsAre(Pair(0, 8), Pair(12, 8), Pair(24, 6), Pair(30, 2), Pair(36, 4), Pair(40, 4),
                          Pair(48, 2), Pair(50, 6)));
}

TEST(Chunks, LongestOfEveryJobOfThePublishedList) {
  const std::vector<WindowChunk> longest = longest_chunks(chunk_list(task(3, 10, 10), supply_of(0, 8, 12)));
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const WindowChunk& chunk : longest) pairs.emplace_back(in_ns(chunk.arrival), in_ns(chunk.length));
  EXPECT_THAT(pairs,
              ElementsAre(Pair(0, 8), Pair(12, 8), Pair(24, 6), Pair(36, 4), Pair(40, 4), Pair(50, 6)));
  const LeastChunk least = min_chunk(task(3, 10, 10), supply_of(0, 8, 12));
  EXPECT_EQ(least.length, nanoseconds(4));
  EXPECT_EQ(least.distance, nanoseconds(4));
  EXPECT_FALSE(least.lost);
}

TEST(Chunks, AJobKnowsItsNumber) {
  const std::vector<WindowChunk> all = chunk_list(task(3, 10, 10), supply_of(0, 8, 12));
  EXPECT_EQ(all[3], (WindowChunk{3, time_at(nanoseconds(30)), nanoseconds(2)}));
  EXPECT_EQ(all[4], (WindowChunk{3, time_at(nanoseconds(36)), nanoseconds(4)}));
}

TEST(Chunks, TheSetsOfTheoremFive) {
  const LeastChunk first = min_chunk(task(4, 5, 10), supply_of(0, 16, 20));
  EXPECT_EQ(first.length, nanoseconds(5));
  EXPECT_EQ(first.distance, nanoseconds(10));
  const LeastChunk second = min_chunk(task(6, 40, 40), supply_of(0, 16, 20));
  EXPECT_EQ(second.length, nanoseconds(16));
  // The paper prints 20; the longest chunk of every job is the first window, and those are 40 apart.
  EXPECT_EQ(second.distance, nanoseconds(40));
}

TEST(Chunks, LostJobsAreNamedByTheirRelease) {
  EXPECT_EQ(min_chunk(task(1, 2, 2), supply_of(0, 4, 8)).lost, nanoseconds(4));
  EXPECT_EQ(min_chunk(task(1, 3, 5), supply_of(1, 1, 5)).lost, std::nullopt);
  EXPECT_EQ(min_chunk(task(1, 1, 3), supply_of(1, 4, 6)).lost, nanoseconds(0));
}

TEST(Chunks, AWindowThatCoversThePeriodIsNoWindow) {
  EXPECT_THAT(list(task(1, 7, 9), supply_of(0, 3, 3)), ElementsAre(Pair(0, 7)));
  const LeastChunk least = min_chunk(task(1, 7, 9), supply_of(0, 4, 4));
  EXPECT_EQ(least.length, nanoseconds(7));
  EXPECT_EQ(least.distance, nanoseconds(9));
}

TEST(Chunks, HugePeriodsAreNotUnrolled) {
  const std::int64_t prime = 1'000'000'007;
  const std::int64_t other = 998'244'353;
  const GpuTask slow = task(1, prime, prime);
  // All phases occur. The worst job sees as much of one window's end as of the next one's beginning.
  const LeastChunk least = min_chunk(slow, supply_of(0, other / 2, other));
  EXPECT_EQ(least.length, nanoseconds((prime - (other - other / 2) + 1) / 2));
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(min_chunk(task(1, most, most), supply_of(0, most - 2, most - 1)).length,
            nanoseconds((most - 1) / 2));
}

}  // namespace
}  // namespace tactus::analysis
